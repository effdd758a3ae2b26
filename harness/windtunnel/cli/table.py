"""The verdict table: one row for a scenario that passes, one for each cell that does not.

Imports rich and the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final

from rich import box
from rich.table import Table
from rich.text import Text

from windtunnel.checks.base import Verdict
from windtunnel.cli.texts import counts, plain, plural, verdict_text
from windtunnel.scenario.results import CellResult

MOST_ROWS: Final = 20
"""Cells of one scenario that have a row of their own; the others are counted."""
_WIDE: Final = 120
"""Columns of the terminal from which the table shows all it knows."""
_REASON: Final = 40
"""Characters of a reason at that width; it stands below the table as a whole."""
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


def verdict_table(results: Sequence[CellResult], width: int) -> Table:
    """Return the table of results that are in the order of the cells; `width` in columns."""
    wide = width >= _WIDE
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    shown = [name for name, needs_width in _COLUMNS.items() if wide or not needs_width]
    if not any(result.reason for result in results) and wide:
        shown.remove("reason")
    if not any(result.orders or result.runs > 1 for result in results):
        shown.remove("runs")
    for name in shown:
        right = name in _NUMBERS
        table.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=right)
    for _, group in groupby(results, key=lambda result: (result.file, result.scenario)):
        for row in _rows(list(group)):
            if "reason" in row:
                row["reason"].truncate(width - _WIDE + _REASON, overflow="ellipsis")
            table.add_row(*(row.get(name, "") for name in shown))
    return table


def _rows(group: list[CellResult]) -> Iterator[Row]:
    """Yield the rows of one scenario: its own, then those of its cells that did not pass."""
    others = [result for result in group if result.verdict is not Verdict.PASS]
    if len(group) == 1 or not others:
        name = _marked(group[0].name if others else group[0].scenario, group[0])
        yield _row(group, verdict_text(group[0].verdict), name, group[0].reason)
        return
    name = _marked(group[0].scenario, group[0])
    yield _row(group, Text(), name, counts(result.verdict for result in group).plain)
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
        "cells": plain(str(len(group))),
        "runs": plain(str(sum(map(_runs, group)))),
        "world": plain(_distinct(result.world for result in group)),
        "policy": plain(_distinct(result.scheduler or result.policy for result in group)),
        "events": plain(str(sum(result.events for result in group))),
        "time": plain(f"{sum(result.seconds for result in group):.2f} s"),
        "reason": plain(reason),
    }


def _runs(result: CellResult) -> int:
    """Return how often a cell was played: each repeat in all its orders of ties."""
    return max(1, result.orders) * result.runs


def _marked(name: str, result: CellResult) -> str:
    """Return the name with the scenario's status, unless it is the usual one."""
    return name if result.status == "active" else f"{name} ({result.status})"


def _distinct(values: Iterable[str]) -> str:
    found = list(dict.fromkeys(values))
    return ", ".join(found) if len(found) <= 3 else plural(len(found), "value")  # noqa: PLR2004 - what fits
