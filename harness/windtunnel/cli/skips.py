"""Skips: which cells were not played, told once for each reason. Imports rich and the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from windtunnel.checks.base import Verdict
from windtunnel.cli.texts import hanging, plain, plural, verdict_text
from windtunnel.scenario.results import CellResult

MOST_REASONS: Final = 12
"""Reasons that are told; the others are counted."""
_MOST_NAMES: Final = 3
"""Scenarios that are named with a reason."""


def print_skipped(console: Console, results: Sequence[CellResult]) -> None:
    """Print a line for each reason to skip, that of the most cells first."""
    by_reason: dict[str, list[CellResult]] = {}
    for result in results:
        if result.verdict is Verdict.SKIPPED:
            by_reason.setdefault(result.reason, []).append(result)
    groups = sorted(by_reason.items(), key=lambda group: -len(group[1]))
    if groups:
        console.print()
    for reason, cells in groups[:MOST_REASONS]:
        told = f" {plural(len(cells), 'cell')}: {reason} ({_named(cells)})"
        hanging(console, Text.assemble(verdict_text(Verdict.SKIPPED), plain(told)))
    others = groups[MOST_REASONS:]
    if others:
        number = plural(sum(len(cells) for _, cells in others), "more cell")
        console.print(f"… and {number} for {plural(len(others), 'other reason')}")


def _named(cells: Sequence[CellResult]) -> str:
    names = list(dict.fromkeys(cell.scenario for cell in cells))
    return ", ".join(names) if len(names) <= _MOST_NAMES else plural(len(names), "scenario")
