"""Expansion: a scenario → its cells, every reference replaced and every value typed.

Imports `cell_typing`, which types one cell. Deterministic: the matrix in the file's order, then
the rows of the cases, then the worlds.
"""

from __future__ import annotations

from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.cell_setup import Overrides
from windtunnel.scenario.expanding.cell_typing import CellTyper
from windtunnel.scenario.expanding.typing_cell import Shared
from windtunnel.scenario.reading.scenario import Scenario
from windtunnel.scenario.source.problems import Problems


def expand(scenario: Scenario, overrides: Overrides | None = None) -> tuple[Cell, ...]:
    """Return the cells of a scenario, none where it does not run in the world asked for.

    `overrides` (none by default) take the place of what the file says, an axis of that name
    included. Raises `ScenarioError` with every mistake in the values of the cells, and where the
    file names a foreign class without `allow_code`.
    """
    problems = Problems(scenario.file)
    cells = type_cells(scenario, problems, overrides or Overrides())
    problems.raise_any()
    return tuple(cells)


def type_cells(scenario: Scenario, problems: Problems, overrides: Overrides) -> list[Cell]:
    """Return the cells that are right; adds what is wrong with the others."""
    variations = scenario.variations.fixed(overrides.axes())
    points = [point for point in variations.points() if overrides.world in (None, point.world)]
    problems.cells = len(points)
    shared = Shared(scenario, problems, overrides)
    cells = (CellTyper(shared, point, variations.variables(point)).cell() for point in points)
    return [cell for cell in cells if cell is not None]
