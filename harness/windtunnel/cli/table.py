"""The verdict table: one row for a scenario that passes, one for each cell that does not.

Imports rich and the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
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
"""Columns from which the reason has a place in the table; else it stands below only."""


def verdict_table(results: Sequence[CellResult], width: int) -> Table:
    """Return the table of results that are in the order of the cells; `width` in columns."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("verdict", no_wrap=True)
    table.add_column("scenario / cell", overflow="fold", min_width=20)
    table.add_column("cells", justify="right", no_wrap=True)
    table.add_column("world", overflow="fold")
    table.add_column("policy", overflow="fold")
    table.add_column("events", justify="right", no_wrap=True)
    table.add_column("seconds", justify="right", no_wrap=True)
    if width >= _WIDE:
        table.add_column("reason", overflow="fold")
    for _, group in groupby(results, key=lambda result: (result.file, result.scenario)):
        for row in _rows(list(group)):
            table.add_row(*row[: len(table.columns)])
    return table


def _rows(group: list[CellResult]) -> Iterable[tuple[Text, ...]]:
    """Return the rows of one scenario: its own, then those of its cells that did not pass."""
    others = [result for result in group if result.verdict is not Verdict.PASS]
    if len(group) == 1 or not others:
        yield _row(group[0].verdict, plain(group[0].name if others else group[0].scenario), group)
        return
    yield _summary(group)
    for result in others[:MOST_ROWS]:
        axes = result.name.removeprefix(result.scenario)
        yield _row(result.verdict, plain(f"  {axes}"), [result])
    if len(others) > MOST_ROWS:
        more = plain(f"  … and {len(others) - MOST_ROWS} more that did not pass", "dim")
        yield (Text(), more, *[Text()] * 6)


def _summary(group: list[CellResult]) -> tuple[Text, ...]:
    name = plain(group[0].scenario)
    tally = counts(result.verdict for result in group)
    return (Text(), name, *_figures(group), tally)


def _row(verdict: Verdict, name: Text, group: list[CellResult]) -> tuple[Text, ...]:
    return (verdict_text(verdict), name, *_figures(group), plain(group[0].reason))


def _figures(group: list[CellResult]) -> tuple[Text, ...]:
    return (
        plain(str(len(group))),
        plain(_distinct(result.world for result in group)),
        plain(_distinct(_tested(result) for result in group)),
        plain(str(sum(result.events for result in group))),
        plain(f"{sum(result.seconds for result in group):.2f}"),
    )


def _tested(result: CellResult) -> str:
    return result.scheduler or result.policy


def _distinct(values: Iterable[str]) -> str:
    found = list(dict.fromkeys(values))
    return ", ".join(found) if len(found) <= 3 else plural(len(found), "value")  # noqa: PLR2004 - what fits
