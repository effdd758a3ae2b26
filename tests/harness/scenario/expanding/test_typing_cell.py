"""The cell that is being typed: what was wrong in it is told once, in its name."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.errors import ScenarioError
from windtunnel.scenario.expanding.cell_setup import Overrides
from windtunnel.scenario.expanding.typing_cell import Shared, TypingCell
from windtunnel.scenario.reading.loading import parse_scenario
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.validation import Typed
from windtunnel.scenario.source.yaml_nodes import Fault

TEXT = "format: 1\nname: x\nsystem: toy\nmatrix: {n: [1, 2]}\nexpect: [conservation: {}]\n"


@pytest.fixture
def cell(toy: Any) -> TypingCell:
    scenario, problems = parse_scenario(TEXT, "x.yaml"), Problems("x.yaml", cells=2)
    found = scenario.variations
    point = next(found.points())
    return TypingCell(Shared(scenario, problems, Overrides()), point, found.variables(point))


def test_what_is_right_goes_on(cell: TypingCell) -> None:
    assert cell.take(Typed(3)) == 3
    assert not cell.wrong
    assert dict(cell.values) == cell.all_values == {"n": 1}


def test_what_is_wrong_is_added_in_the_cell_s_name(cell: TypingCell) -> None:
    assert cell.take(Typed(None, (Fault(2, 1, "wrong"),))) is None
    assert cell.wrong
    with pytest.raises(ScenarioError, match=r"x.yaml:2:1: error: wrong \[in \[n=1\]\]"):
        cell.shared.problems.raise_any()


def test_what_was_told_already_makes_the_cell_wrong_as_well(cell: TypingCell) -> None:
    assert cell.take(Typed(None)) is None
    assert cell.wrong
    assert not cell.shared.problems


def test_nothing_wrong_is_nothing(cell: TypingCell) -> None:
    cell.add(())
    assert not cell.wrong


def test_a_row_of_the_table_is_told_by_its_columns(toy: Any) -> None:
    cases = "let: {m: 7}\ncases: {inputs: [n], outputs: [made], rows: [[3, $m]]}\n"
    text = TEXT.replace("matrix: {n: [1, 2]}\n", cases)
    scenario, problems = parse_scenario(text, "x.yaml"), Problems("x.yaml", cells=1)
    found = scenario.variations
    point = next(found.points())
    cell = TypingCell(Shared(scenario, problems, Overrides()), point, found.variables(point))
    assert (cell.case.inputs, cell.case.outputs) == ({"n": 3}, {"made": 7})
