"""Expansion: a scenario → its cells, every reference replaced and every value typed.

Imports `cell_typing`, which types one cell. Deterministic: the matrix in the file's order, then
the rows of the cases, then the worlds.
"""

from __future__ import annotations

from dataclasses import replace

from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.cell_typing import CellTyper, Overrides, Shared
from windtunnel.scenario.reading.document import Document, Scenario
from windtunnel.scenario.source.problems import Problems


def expand(
    scenario: Scenario,
    *,
    world: str | None = None,
    policy: str | None = None,
    scheduler: str | None = None,
    seed: int | None = None,
    allow_code: bool = False,
) -> tuple[Cell, ...]:
    """Return the cells of a scenario, none where it does not run in the world asked for.

    `policy`, `scheduler` (`module:Class`) and `seed` take the place of what the file says, an axis
    of that name included. Raises `ScenarioError` with every mistake in the values of the cells,
    and where the file names a foreign class without `allow_code`.
    """
    problems = Problems(scenario.file)
    overrides = Overrides(world, policy, scheduler, seed, allow_code)
    cells = check_document(scenario.document, problems, overrides)
    problems.raise_any()
    return tuple(
        replace(cell, scenario=scenario.name, covers=scenario.covers, tags=scenario.tags)
        for cell in cells
    )


def check_document(
    document: Document, problems: Problems, overrides: Overrides | None = None
) -> list[Cell]:
    """Return the cells that are right, without the scenario's name; adds what is wrong."""
    said = overrides or Overrides(allow_code=True)
    variations = document.variations.fixed(said.axes())
    points = [point for point in variations.points() if said.world in (None, point.world)]
    problems.cells = len(points)
    shared = Shared(document, problems, said)
    cells = (CellTyper(shared, point, variations.variables(point)).cell() for point in points)
    return [cell for cell in cells if cell is not None]
