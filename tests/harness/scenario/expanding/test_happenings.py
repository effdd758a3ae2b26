"""The happenings of a cell: entries, faults and order under one set of names."""

from __future__ import annotations

from collections.abc import Callable

from windtunnel.scenario.cells import Cell

Expand = Callable[..., tuple[Cell, ...]]
Refusals = Callable[..., list[str]]

HEAD = "format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\n"


def test_everything_waits_for_everything(cells: Expand) -> None:
    text = """\
    timeline:
      - {at: 0s, submit: job, id: a, args: {name: x}}
      - {after: out.affected, submit: ping, id: b}
    faults:
      - {after: a.open, do: outage, id: out, for: 1s}
      - {after: b.settled, do: storm}
    order: [[out.undone, a.close.begin], [fault-1.injected, a.work.begin]]
    """
    (cell,) = cells(HEAD, text)
    assert [entry.after and entry.after.text for entry in cell.timeline] == [None, "out.affected"]
    assert [entry.after and entry.after.text for entry in cell.faults] == ["a.open", "b.settled"]
    assert [held.first.text for held in cell.order] == ["out.undone", "fault-1.injected"]


def test_a_circle_through_a_fault_and_a_pair(refusals: Refusals) -> None:
    text = """\
    timeline:
      - {at: 0s, submit: job, id: a, args: {name: x}}
      - {after: out.undone, submit: ping, id: b}
    faults: [{after: a.settled, do: outage, id: out, for: 1s}]
    order: [[b.settled, a.close.begin]]
    """
    assert refusals(HEAD, text) == [
        "9:9 `a.close.begin` waits for `b.settled`, which cannot come before it"
    ]


def test_one_mistake_does_not_hide_the_others(refusals: Refusals) -> None:
    text = """\
    timeline:
      - {at: 0s, submit: jbo, id: a, args: {name: x}}
      - {at: 0s, submit: ping, id: b}
    faults: [{at: 1s, do: outtage}, {at: soon, do: storm}]
    order: [[b.settled, b.submitted], [b.settled, c.submitted]]
    """
    told = [line.split(" ", 1)[0] for line in refusals(HEAD, text)]
    assert told == ["6:22", "8:23", "8:38", "9:47"]


def test_the_same_names_for_cells_that_differ_elsewhere(cells: Expand) -> None:
    text = "matrix: {n: [1, 2]}\ntimeline: [{at: 0s, submit: job, id: a, args: {name: x}}]\n"
    one, two = cells(HEAD, text)
    assert one.timeline[0] is two.timeline[0], "typed once"


def test_what_hangs_on_the_seed_is_typed_for_each(cells: Expand) -> None:
    text = """\
    matrix: {seed: [1, 2]}
    timeline:
      - {at: 0s, submit: ping, id: fixed, burst: {size: 2}}
      - {at: 0s, submit: ping, id: drawn, poisson: {rate: 1/s, count: 2}}
    """
    one, two = cells(HEAD, text)
    assert one.timeline[0].offsets == two.timeline[0].offsets
    assert one.timeline[1].offsets != two.timeline[1].offsets
