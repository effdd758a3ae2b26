"""The details of cells that did not pass: which expectation, what was seen, how to replay it.

Imports rich and the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from windtunnel.checks.base import Verdict
from windtunnel.cli.session import Told
from windtunnel.cli.texts import plain, plural, verdict_text
from windtunnel.scenario.results import CellResult, CheckLine

MOST_CELLS: Final = 20
"""Cells whose details are printed; `--json` has them all."""
FIRST_LINES: Final = 10
LAST_LINES: Final = 20
"""Lines shown of what a cell printed: a crash begins with the place, an exception ends with it."""
_SILENT: Final = frozenset({Verdict.PASS, Verdict.SKIPPED})


def print_details(console: Console, told: Sequence[Told]) -> None:
    """Print the details of the first cells that did not pass, a line for each skipped scenario."""
    troubled = [one for one in told if one.result.verdict not in _SILENT]
    for one in troubled[:MOST_CELLS]:
        console.print()
        _print_one(console, one)
    if len(troubled) > MOST_CELLS:
        more = plural(len(troubled) - MOST_CELLS, "more cell")
        console.print(f"\n… and {more} that did not pass; --json FILE has all of them")
    _print_skipped(console, [one.result for one in told])


def _print_skipped(console: Console, results: Sequence[CellResult]) -> None:
    reasons: dict[tuple[str, str], int] = {}
    for result in results:
        if result.verdict is Verdict.SKIPPED:
            key = (result.scenario, result.reason)
            reasons[key] = reasons.get(key, 0) + 1
    if reasons:
        console.print()
    for (scenario, reason), number in reasons.items():
        line = Text.assemble(
            verdict_text(Verdict.SKIPPED), plain(f" {scenario}: {plural(number, 'cell')}: {reason}")
        )
        console.print(line, soft_wrap=True)


def _print_one(console: Console, one: Told) -> None:
    result = one.result
    console.print(Text.assemble(verdict_text(result.verdict), " ", plain(result.name, "bold")))
    checks = [check for check in result.checks if check.verdict not in _SILENT]
    if result.reason and not any(result.reason == f"{c.name}: {c.message}" for c in checks):
        console.print(plain(f"  {result.file}:{result.line}: {result.reason}"))
    for check in checks:
        _print_check(console, result.file, check)
    if one.printed:
        console.print(plain("  printed by the cell:", "dim"))
        for text in _shortened(one.printed.splitlines()):
            console.print(plain(f"    {text}", "dim"), soft_wrap=True)
    console.print(plain(f"  replay: {result.replay}"), soft_wrap=True)  # whole, to be copied


def _print_check(console: Console, file: str, check: CheckLine) -> None:
    place = f"{file}:{check.line}" if check.line else f"{file}: always on"
    message = f": {check.message}" if check.message else ""
    console.print(
        plain(f"  {place}: "),
        verdict_text(check.verdict),
        plain(f": {check.name}{message}"),
        sep="",
    )
    for line in check.excerpt:
        style = "" if line.startswith(">") else "dim"
        console.print(plain(f"    {line}", style), no_wrap=True, overflow="ellipsis")


def _shortened(lines: list[str]) -> list[str]:
    left_out = len(lines) - FIRST_LINES - LAST_LINES
    if left_out <= 1:
        return lines
    return [*lines[:FIRST_LINES], f"… {left_out} lines", *lines[-LAST_LINES:]]
