"""The bundled cells of the simulation, expanded once, and a way to run them beside each other."""

from __future__ import annotations

from collections.abc import Callable, Collection

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.selecting.selection import Request, select


@pytest.fixture(scope="session")
def bundled_cells() -> tuple[Cell, ...]:
    selection = select(Request(world="sim"))
    assert not selection.problems
    assert selection.cells
    return selection.cells


@pytest.fixture(scope="session")
def ui_cells(bundled_cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    return tuple(cell for cell in bundled_cells if cell.system == "ui")


@pytest.fixture
def red_scenarios(ui_cells: tuple[Cell, ...]) -> Callable[[], set[str]]:
    """Give a function that runs every cell of `ui` and names the scenarios that turn red."""

    def run() -> set[str]:
        results = [run_cell(cell) for cell in ui_cells]
        return {result.scenario for result in results if result.verdict is Verdict.FAIL}

    return run


@pytest.fixture
def played(
    bundled_cells: tuple[Cell, ...],
) -> Callable[[Collection[str]], tuple[CellResult, ...]]:
    """Give a function that runs the cells of bundled scenarios, of each of these at least one."""

    def run(scenarios: Collection[str]) -> tuple[CellResult, ...]:
        cells = [cell for cell in bundled_cells if cell.scenario in scenarios]
        assert {cell.scenario for cell in cells} == set(scenarios)
        return tuple(run_cell(cell) for cell in cells)

    return run
