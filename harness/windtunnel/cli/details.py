"""The details of cells that did not pass: which expectation, what was seen, how to replay it.

Imports rich and the results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        for line in _details(one):
            console.print(line, soft_wrap=True)
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
    for (scenario, reason), number in reasons.items():
        line = Text.assemble(
            verdict_text(Verdict.SKIPPED), plain(f" {scenario}: {plural(number, 'cell')}: {reason}")
        )
        console.print(line, soft_wrap=True)


def _details(one: Told) -> Iterator[Text]:
    result = one.result
    yield Text.assemble(verdict_text(result.verdict), " ", plain(result.name, "bold"))
    checks = [check for check in result.checks if check.verdict not in _SILENT]
    if result.reason and not any(result.reason == check.message for check in checks):
        yield plain(f"  {result.file}:{result.line}: {result.reason}")
    for check in checks:
        yield from _check(result.file, check)
    if one.printed:
        yield plain("  printed by the cell:", "dim")
        yield from (plain(f"    {text}", "dim") for text in _shortened(one.printed.splitlines()))
    yield plain(f"  replay: {result.replay}")


def _check(file: str, check: CheckLine) -> Iterator[Text]:
    place = f"{file}:{check.line}" if check.line else f"{file}: always on"
    message = f": {check.message}" if check.message else ""
    yield Text.assemble(
        plain(f"  {place}: "), verdict_text(check.verdict), plain(f": {check.name}{message}")
    )
    for line in check.excerpt:
        yield plain(f"    {line}", "dim")


def _shortened(lines: list[str]) -> list[str]:
    left_out = len(lines) - FIRST_LINES - LAST_LINES
    if left_out <= 1:
        return lines
    return [*lines[:FIRST_LINES], f"… {left_out} lines", *lines[-LAST_LINES:]]
