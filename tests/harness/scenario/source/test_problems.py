"""Problems: once each, at their places, for the cells that have them."""

from __future__ import annotations

import pytest

from windtunnel.errors import ScenarioError
from windtunnel.scenario.source.problems import (
    MOST,
    Problems,
    one_line,
)
from windtunnel.scenario.source.yaml_nodes import Fault


def told(problems: Problems) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        problems.raise_any()
    return [str(problem) for problem in caught.value.problems]


def test_none_is_no_error() -> None:
    problems = Problems("x.yaml")
    assert not problems
    problems.raise_any()


def test_in_the_order_of_the_file_and_once() -> None:
    problems = Problems("x.yaml")
    problems.add(Fault(3, 1, "c"), Fault(1, 9, "b"), Fault(1, 2, "a"), Fault(3, 1, "c"))
    assert problems
    assert told(problems) == [
        "x.yaml:1:2: error: a",
        "x.yaml:1:9: error: b",
        "x.yaml:3:1: error: c",
    ]


def test_a_fault_of_every_cell_names_none() -> None:
    problems = Problems("x", cells=2)
    for cell in ("[a=1]", "[a=2]"):
        problems.add_for(cell, [Fault(1, 1, "everywhere")])
    problems.add_for("[a=2]", [Fault(2, 1, "somewhere")])
    assert told(problems) == ["x:1:1: error: everywhere", "x:2:1: error: somewhere [in [a=2]]"]


def test_of_many_cells_the_first_is_named() -> None:
    problems = Problems("x", cells=9)
    for cell in range(3):
        problems.add_for(f"[a={cell}]", [Fault(1, 1, "some")])
    assert told(problems) == ["x:1:1: error: some [in [a=0] and 2 more]"]


def test_of_too_many_the_rest_is_counted() -> None:
    problems = Problems("x")
    problems.add(*(Fault(line, 1, "wrong") for line in range(1, MOST + 38)))
    lines = told(problems)
    assert len(lines) == MOST + 1
    assert lines[-1] == f"x:{MOST}:1: error: … and 37 more"


def test_what_follows_from_unreadable_yaml_is_not_told() -> None:
    problems = Problems("x", cells=1)
    problems.add_unreadable(Fault(1, 1, "unreadable"))
    problems.add_for("", [Fault(1, 1, "so it is no number"), Fault(1, 2, "other")])
    assert told(problems) == ["x:1:1: error: unreadable", "x:1:2: error: other"]


def test_every_problem_is_one_line() -> None:
    assert one_line("a\nb\x1bc\u2028ä😀") == "a\\nb\\x1bc\\u2028ä😀"


def test_the_last_problem_ends_the_reading() -> None:
    problems = Problems("x")
    problems.add(Fault(1, 1, "first"))
    with pytest.raises(ScenarioError) as caught:
        problems.end(Fault(2, 1, "last"))
    assert [problem.line for problem in caught.value.problems] == [1, 2]
