"""Expansion: the same cells in the same order, each time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windtunnel.scenario.cells import Cell

Expand = Callable[..., tuple[Cell, ...]]

TEXT = """\
format: 1
name: probe
system: toy
world: [sim, real]
matrix:
  x: [1, 2]
  exclude: [{x: 2}]
cases:
  inputs: [y]
  rows:
    - [a]
    - {id: second, in: [b]}
timeline: [{at: 0s, submit: job, args: {name: $x$y}}]
expect: [conservation: {}]
"""


def test_in_order(cells: Expand) -> None:
    assert [(cell.name, cell.line) for cell in cells(TEXT)] == [
        ("probe[x=1,case=1,world=sim]", 11),
        ("probe[x=1,case=1,world=real]", 11),
        ("probe[x=1,case=second,world=sim]", 12),
        ("probe[x=1,case=second,world=real]", 12),
    ]
    assert [cell.name for cell in cells(TEXT)] == [cell.name for cell in cells(TEXT)]


def test_one_world_keeps_the_names(cells: Expand) -> None:
    assert [cell.name for cell in cells(TEXT, world="real")] == [
        "probe[x=1,case=1,world=real]",
        "probe[x=1,case=second,world=real]",
    ]


def test_a_world_in_which_it_does_not_run_has_no_cells(cells: Expand) -> None:
    assert cells(TEXT.replace("[sim, real]", "sim"), world="real") == ()


def test_values_reach_the_arguments(cells: Expand) -> None:
    names = [cell.timeline[0].template.make(0).args.name for cell in cells(TEXT, world="sim")]
    assert names == ["1a", "1b"]


def test_every_cell_is_checked_and_each_mistake_told_once(
    refusals: Callable[..., list[str]],
) -> None:
    text = TEXT.replace("$x$y", "$y").replace("[a]", "[1]").replace("[b]", "[2]")
    assert refusals(text) == [
        (
            "13:47 a text is needed here, not 1; quote it (from `$y`) [in "
            "[x=1,case=1,world=sim] and 1 more]"
        ),
        (
            "13:47 a text is needed here, not 2; quote it (from `$y`) [in "
            "[x=1,case=second,world=sim] and 1 more]"
        ),
    ]


@pytest.mark.parametrize("option", [{"seed": -1}, {"policy": "nothing"}, {"scheduler": "no"}])
def test_mistakes_of_the_command_line_are_told(
    refusals: Callable[..., list[str]], option: dict[str, object]
) -> None:
    assert len(refusals(TEXT, **option)) == 1
