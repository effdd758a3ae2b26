"""The verdict table: one row for a scenario that passes, one for each cell that does not.

What is skipped has no row: it is told by its reasons, apart (`skips`).

Imports rich and the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from windtunnel.checks.base import Verdict
from windtunnel.cli.texts import counts, plain, plural, verdict_text
from windtunnel.scenario.results import CellResult

MOST_ROWS: Final = 20
"""Cells of one scenario that have a row of their own; the others are counted."""
_WIDE: Final = 120
"""Columns of the terminal from which the table shows all it knows."""
_REASON: Final = 16
"""Columns that a reason needs; it stands below the table as a whole."""
_GAP: Final = 2
"""Columns between two columns of the table."""
_COLUMNS: Final[Mapping[str, bool]] = MappingProxyType(
    {
        "verdict": False,
        "scenario / cell": False,
        "cells": False,
        "runs": False,
        "world": False,
        "policy": False,
        "events": True,
        "time": False,
        "reason": True,
    }
)
"""Name → whether it is left out where there is no room; the reason then stands below only."""
_NUMBERS: Final = frozenset({"cells", "runs", "events", "time"})
Row = dict[str, Text]
"""Column → what stands there; a column that is not named stays empty."""


def verdict_table(results: Sequence[CellResult], width: int) -> Table | None:
    """Return the table of results that are in the order of the cells; `width` in columns.

    None where all are skipped.
    """
    rows = _all_rows(results)
    shown = [name for name, needs_width in _COLUMNS.items() if width >= _WIDE or not needs_width]
    if not any(result.orders or result.runs > 1 for result in results):
        shown.remove("runs")
    if "reason" in shown:
        room = width - sum(_widest(rows, name) + _GAP for name in shown if name != "reason")
        if room < _REASON or not any(row.get("reason") for row in rows):
            shown.remove("reason")
        for row in rows:
            row.get("reason", Text()).truncate(room, overflow="ellipsis")
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for name in shown:
        fixed = name in _NUMBERS or name == "reason"
        justify: JustifyMethod = "right" if name in _NUMBERS else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=fixed)
    for row in rows:
        table.add_row(*(row.get(name, "") for name in shown))
    return table if rows else None


def _all_rows(results: Sequence[CellResult]) -> list[Row]:
    if len({result.scheduler for result in results}) == 1:  # it stands in the first line
        results = [replace(result, scheduler=None) for result in results]
    groups = groupby(results, key=lambda result: (result.file, result.scenario))
    return [row for _, group in groups for row in _rows(list(group))]


def _widest(rows: Sequence[Row], name: str) -> int:
    return max([cell_len(name), *(row[name].cell_len for row in rows if name in row)])


def _rows(group: list[CellResult]) -> Iterator[Row]:
    """Yield the rows of one scenario: its own, then those of its cells that did not pass."""
    played = [result for result in group if result.verdict is not Verdict.SKIPPED]
    others = [result for result in played if result.verdict is not Verdict.PASS]
    if not played:
        return
    one = played[0]
    counted = counts(result.verdict for result in group).plain
    if len(played) == 1 or not others:
        name = _marked(one.name if others else one.scenario, one)
        reason = counted if len(played) < len(group) and not one.reason else one.reason
        yield _row(group, verdict_text(one.verdict), name, reason)
        return
    yield _row(group, Text(), _marked(one.scenario, one), counted)
    for result in others[:MOST_ROWS]:
        name = f"  {result.name.removeprefix(result.scenario)}"
        yield _row([result], verdict_text(result.verdict), name, result.reason)
    if len(others) > MOST_ROWS:
        more = f"  … and {len(others) - MOST_ROWS} more that did not pass"
        yield {"scenario / cell": plain(more, "dim")}


def _row(group: list[CellResult], verdict: Text, name: str, reason: str) -> Row:
    return {
        "verdict": verdict,
        "scenario / cell": plain(name),
        "cells": plain(_number(group)),
        "runs": plain(str(sum(map(_runs, group)))),
        "world": plain(_distinct(result.world for result in group)),
        "policy": plain(_distinct(result.scheduler or result.policy for result in group)),
        "events": plain(str(sum(result.events for result in group))),
        "time": plain(f"{sum(result.seconds for result in group):.2f} s"),
        "reason": plain(reason),
    }


def _number(group: list[CellResult]) -> str:
    """Return how many cells were played, and of how many if some were skipped."""
    played = sum(result.verdict is not Verdict.SKIPPED for result in group)
    return str(played) if played == len(group) else f"{played} of {len(group)}"


def _runs(result: CellResult) -> int:
    """Return how often a cell was played: each repeat in all its orders of ties."""
    return max(1, result.orders) * result.runs


def _marked(name: str, result: CellResult) -> str:
    """Return the name with the scenario's status, unless it is the usual one."""
    return name if result.status == "active" else f"{name} ({result.status})"


def _distinct(values: Iterable[str]) -> str:
    found = list(dict.fromkeys(values))
    return ", ".join(found) if len(found) <= 3 else plural(len(found), "value")  # noqa: PLR2004 - what fits
