"""The tables of cases: each row with its inputs, what it says comes of them, and its verdict.

Imports rich and the results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from windtunnel.checks.base import Verdict
from windtunnel.cli.texts import plain, print_table, verdict_text
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.source.yaml_scalars import written

_NUMBER = int | float


def print_case_tables(console: Console, results: Sequence[CellResult]) -> None:
    """Print a table for each scenario that has cases; results are in the order of the cells.

    An output that was observed to be something else has both: `30 (29 observed)`.
    """
    for (_, scenario), group in groupby(results, key=lambda one: (one.file, one.scenario)):
        rows = [one for one in group if one.case is not None]
        if rows:
            console.print()
            console.print(plain(scenario, "bold"))
            print_table(console, _table(rows))


def _table(rows: Sequence[CellResult]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    texts = [list(_cells(row)) for row in rows]
    for column, (name, _, _) in enumerate(texts[0]):
        number = all(isinstance(row[column][2], _NUMBER) for row in texts)
        table.add_column(name, justify="right" if number else "left")
    table.add_column("verdict")
    for row, result in zip(texts, rows, strict=True):
        table.add_row(*(text for _, text, _ in row), verdict_text(result.verdict))
    return table


def _cells(result: CellResult) -> Iterator[tuple[str, Text, Any]]:
    """Yield the name of each column, what stands there, and its value."""
    for axis, value in result.cell.items():
        yield axis, plain(written(value)), value
    assert result.case is not None, "it has a row"
    for name, value in result.case.inputs.items():
        yield name, plain(_said(value)), value
    for name, value in result.case.outputs.items():
        text, seen = plain(_said(value)), result.observed.get(name, value)
        if seen != value and result.verdict is not Verdict.SKIPPED:
            text = Text.assemble(text, plain(f" ({_said(seen)} observed)", "bold red"))
        yield name, text, value


def _said(value: Any) -> str:  # noqa: ANN401 - plain data
    """Return a value as a scenario file writes it."""
    plain_value = value is None or isinstance(value, str | int | float | bool)
    return written(value) if plain_value else str(value)
