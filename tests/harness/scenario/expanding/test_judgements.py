"""The judgements of a cell: which expectations and thresholds apply to it."""

from __future__ import annotations

from collections.abc import Callable

from windtunnel.scenario.cells import Cell

Expand = Callable[..., tuple[Cell, ...]]
Refusals = Callable[..., list[str]]

HEAD = "format: 1\nname: probe\nsystem: toy\nworld: [sim, real]\nmatrix: {n: [1, 2]}\n"


def test_when_and_world_select_both_alike(cells: Expand) -> None:
    text = """\
    expect:
      - conservation: {}
      - mutual_exclusion: {resource: x}
        when: {n: 1}
      - count: {of: kind:run.ended, min: 1}
        world: real
    thresholds:
      - {metric: wait, stat: max, max: 1s, when: {n: 1}}
      - {metric: run, stat: max, max: 1s, world: real}
    """
    found = {
        (cell.axes["n"], cell.world): (
            [expectation.check for expectation in cell.expect],
            [threshold.metric for threshold in cell.thresholds],
        )
        for cell in cells(HEAD, text)
    }
    assert found == {
        (1, "sim"): (["conservation", "mutual_exclusion"], ["wait"]),
        (1, "real"): (["conservation", "mutual_exclusion", "count"], ["wait", "run"]),
        (2, "sim"): (["conservation"], []),
        (2, "real"): (["conservation", "count"], ["run"]),
    }


def test_a_threshold_does_not_stand_in_for_an_expectation(refusals: Refusals) -> None:
    text = """\
    expect: [{conservation: {}, when: {n: 1}}]
    thresholds: [{metric: wait, stat: max, max: 1s}]
    """
    (told,) = refusals(HEAD, text)
    assert "no expectation applies, so there is nothing to check" in told
