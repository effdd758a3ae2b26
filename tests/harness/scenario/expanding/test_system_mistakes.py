"""What a system finds wrong with what is well formed is told at its place, for its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from windtunnel.scenario.cells import Cell

Expand = Callable[..., tuple[Cell, ...]]
Refusals = Callable[..., list[str]]

TEXT = """\
format: 1
name: probe
system: toy
matrix: {lanes: [1, 3]}
given: {lanes: {count: $lanes}}
timeline:
  - {at: 0s, submit: job, id: a, args: {name: x, size: 1}}
faults:
  - {at: 0s, do: outage, lanes: [0, 2]}
expect: [conservation: {}]
"""


def of_lanes(_system: Any, given: Any, said: Any) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Refuse a lane that there is not, and a job larger than there are lanes."""
    for index, lane in enumerate(getattr(said, "lanes", ())):
        if lane >= given.lanes.count:
            yield ("lanes", index), f"there is no lane {lane}"
    if getattr(said, "size", 0) > given.lanes.count:
        yield ("size",), "too large"


@pytest.fixture
def picky(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(toy), "mistakes", of_lanes, raising=False)


@pytest.mark.usefixtures("picky")
def test_the_fields_of_a_fault(refusals: Refusals) -> None:
    assert refusals(TEXT) == ["9:37 there is no lane 2 [in [lanes=1]]"]


@pytest.mark.usefixtures("picky")
def test_the_args_of_an_operation(refusals: Refusals) -> None:
    text = TEXT.replace("size: 1", "size: 4").replace("[0, 2]", "[0]")
    assert refusals(text) == ["7:56 too large"]


@pytest.mark.usefixtures("picky")
def test_the_args_of_each_operation_of_a_repeat(refusals: Refusals) -> None:
    text = TEXT.replace("size: 1}", "size: $i}, repeat: 3").replace("[0, 2]", "[0]")
    (line,) = refusals(text)
    assert "too large" in line
    assert "[in [lanes=1]]" in line


@pytest.mark.usefixtures("picky")
def test_where_given_is_wrong_that_alone_is_told(refusals: Refusals) -> None:
    (line,) = refusals(TEXT.replace("[1, 3]", "[0]"))
    assert "at least 1" in line


def test_a_system_without_any_finds_nothing(cells: Expand) -> None:
    assert len(cells(TEXT)) == 2
