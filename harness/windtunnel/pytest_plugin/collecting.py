"""Collecting: a scenario file → items, one for each cell or one for a large table.

Imports pytest and the selection.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from windtunnel.errors import WindtunnelError
from windtunnel.pytest_plugin import world_of
from windtunnel.pytest_plugin.items import CellsItem
from windtunnel.scenario.cells import Cell, axes_label
from windtunnel.scenario.selecting.selection import Request, select

MOST_ROWS: Final = 500
"""Rows of a table that are items of their own; a larger one is one item."""
_ROW_AXIS: Final = "case"
_MARKS: Final = re.compile(
    rb"""^(?:---\s*)?[{"'\s]*?(?:format|system|timeline|expect)["']?\s*:""", re.MULTILINE
)
"""What a scenario says at its outermost level; `format` alone would let its absence pass."""
_HEAD: Final = 1 << 20


def collect_scenario(
    path: Path, parent: pytest.Collector, *, trusted: bool
) -> ScenarioModule | None:
    """Return the collector of a file, or None where it is YAML of another sort.

    `trusted`: the classes that the file names may be imported.
    """
    if not is_scenario(path):
        return None
    module: ScenarioModule = ScenarioModule.from_parent(parent, path=path, trusted=trusted)
    return module


def is_scenario(path: Path) -> bool:
    """Tell a scenario from data beside it; a file that cannot be read is one, to be told of."""
    try:
        with path.open("rb") as file:
            return any(_outermost(found) for found in _MARKS.finditer(file.read(_HEAD)))
    except OSError:
        return True


def _outermost(found: re.Match[bytes]) -> bool:
    """Tell whether the key begins its line, or the document's only braces."""
    before = found.group().partition(b":")[0]
    return not before[:1].isspace()


class ScenarioModule(pytest.File):
    """A scenario file."""

    def __init__(self, *, trusted: bool = True, **fields: Any) -> None:  # noqa: ANN401 - pytest's own
        super().__init__(**fields)
        self._trusted = trusted

    def collect(self) -> Iterator[CellsItem]:
        """Yield the items; every mistake of the file is told as file:line:col, at once."""
        request = self._request()
        try:
            selection = select(request)
        except WindtunnelError as error:
            raise self.CollectError(str(error)) from error
        if selection.problems:
            raise self.CollectError("\n".join(map(str, selection.problems)))
        for name, cells in grouped(selection.cells):
            yield CellsItem.from_parent(self, name=name, cells=cells, request=request)

    def _request(self) -> Request:
        option = self.config.getoption
        scheduler = option("windtunnel_scheduler")
        return Request(
            paths=(shown(self.path),),
            world=world_of(self.config),
            scheduler=scheduler,
            seed=option("windtunnel_seed"),
            allow_code=self._trusted or scheduler is not None,
        )


def shown(path: Path) -> str:
    """Return the path from here where it lies below, as `windtunnel run` shows it."""
    here = Path.cwd()
    return os.fspath(path.relative_to(here) if path.is_relative_to(here) else path)


def grouped(cells: Iterable[Cell]) -> Iterator[tuple[str, Sequence[Cell]]]:
    """Yield the name and the cells of each item: a cell, or all rows of a large table."""
    tables: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        tables[_table(cell)].append(cell)
    for name, rows in tables.items():
        if len(rows) > MOST_ROWS:
            yield name, rows
        else:
            yield from ((row.name, (row,)) for row in rows)


def _table(cell: Cell) -> str:
    """Return the cell's name without its row; what is no row of a table stands alone."""
    if _ROW_AXIS not in cell.axes:
        return cell.name
    others = {axis: value for axis, value in cell.axes.items() if axis != _ROW_AXIS}
    return f"{cell.scenario}{axes_label(others)}"
