"""The details of cells that did not pass: which expectation, what was seen, how to replay it.

Imports rich and the results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from windtunnel.checks.base import Verdict
from windtunnel.cli.texts import plain, plural, verdict_text
from windtunnel.scenario.playing.pool import Played
from windtunnel.scenario.results import FINE, CellResult, CheckLine, FaultLine
from windtunnel.units import format_duration

MOST_CELLS: Final = 20
"""Cells whose details are printed; `--json` has them all."""
FIRST_LINES: Final = 10
LAST_LINES: Final = 20
"""Lines shown of what a cell printed: a crash begins with the place, an exception ends with it."""


def print_details(console: Console, told: Sequence[Played]) -> None:
    """Print the first cells that did not pass, the warnings, a line for each skipped scenario."""
    troubled = [one for one in told if one.result.verdict not in FINE]
    for one in troubled[:MOST_CELLS]:
        console.print()
        _print_one(console, one)
    if len(troubled) > MOST_CELLS:
        more = plural(len(troubled) - MOST_CELLS, "more cell")
        console.print(f"\n… and {more} that did not pass; --json FILE has all of them")
    passed = [one.result for one in told if one.result.verdict in FINE]
    _print_warnings(console, passed)
    _print_open(console, [one for one in passed if one.status == "open" and one.reason])
    _print_skipped(console, [one.result for one in told])


def _print_warnings(console: Console, passed: Sequence[CellResult]) -> None:
    """Print what did not hold in cells that passed: it is of severity `warning`."""
    active = [one for one in passed if one.status != "open"]
    found = [(one, check) for one in active for check in one.checks if check.verdict not in FINE]
    if found:
        console.print()
    for result, check in found[:MOST_CELLS]:
        console.print(Text.assemble(("warning", "yellow"), " ", plain(result.name, "bold")))
        _print_check(console, result.file, check)
    if len(found) > MOST_CELLS:
        console.print(f"… and {plural(len(found) - MOST_CELLS, 'more warning')}")


def _print_open(console: Console, known: Sequence[CellResult]) -> None:
    """Print a line for each cell that fails as it is known to."""
    if known:
        console.print()
    for result in known[:MOST_CELLS]:
        told = plain(f" {result.name}: {result.file}:{result.line}: {result.reason}")
        console.print(Text.assemble(("open", "yellow"), told), soft_wrap=True)
    if len(known) > MOST_CELLS:
        console.print(f"… and {plural(len(known) - MOST_CELLS, 'more open cell')}")


def _print_skipped(console: Console, results: Sequence[CellResult]) -> None:
    skipped = (result for result in results if result.verdict is Verdict.SKIPPED)
    reasons = Counter((result.scenario, result.reason) for result in skipped)
    if reasons:
        console.print()
    for (scenario, reason), number in reasons.items():
        line = Text.assemble(
            verdict_text(Verdict.SKIPPED), plain(f" {scenario}: {plural(number, 'cell')}: {reason}")
        )
        console.print(line, soft_wrap=True)


def _print_one(console: Console, one: Played) -> None:
    result = one.result
    quarantined = "" if result.gates else " (quarantined: it does not count)"
    title = (verdict_text(result.verdict), " ", plain(result.name, "bold"), quarantined)
    console.print(Text.assemble(*title))
    checks = [check for check in result.checks if check.verdict not in FINE]
    if result.reason and not any(result.reason == f"{c.name}: {c.message}" for c in checks):
        console.print(plain(f"  {result.file}:{result.line}: {result.reason}"))
    for check in checks:
        _print_check(console, result.file, check)
    for fault in result.faults:
        console.print(plain(f"  {result.file}:{fault.line}: {_told(fault)}"))
    if one.printed:
        console.print(plain("  printed by the cell:", "dim"))
        for text in _shortened(one.printed.splitlines()):
            console.print(plain(f"    {text}", "dim"), soft_wrap=True)
    console.print(plain(f"  replay: {result.replay}"), soft_wrap=True)  # whole, to be copied


def _told(fault: FaultLine) -> str:
    """Return what became of a fault: `fault storm (slow): on at 1s, affected at 2s, …`."""
    if fault.injected is None:
        return f"fault {fault.id} ({fault.do}): never brought about"
    instants = (("on", fault.injected), ("affected", fault.affected), ("undone", fault.undone))
    said = [f"{what} at {format_duration(at)}" for what, at in instants if at is not None]
    if fault.affected is None:
        said.append("affected nothing")
    return f"fault {fault.id} ({fault.do}): {', '.join(said)}"


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
