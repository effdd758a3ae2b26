"""The details of cells that did not pass: which expectation, what was seen, how to replay it.

What fails comes last, where a terminal shows it: after what is skipped, warned of and open.

Imports rich and the results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import Final

from rich.console import Console
from rich.text import Text

from windtunnel.checks.base import Verdict
from windtunnel.cli.skips import print_skipped
from windtunnel.cli.summaries import short_form
from windtunnel.cli.texts import hanging, plain, plural, verdict_text
from windtunnel.scenario.playing.pool import Played
from windtunnel.scenario.results import FINE, CellResult, CheckLine, FaultLine
from windtunnel.units import format_duration

MOST_CELLS: Final = 20
"""Cells whose details are printed; `--json` has them all."""
NO_SUMMARIES: Final[Mapping[str, str]] = MappingProxyType({})
FIRST_LINES: Final = 10
LAST_LINES: Final = 20
"""Lines shown of what a cell printed: a crash begins with the place, an exception ends with it."""
_MARK: Final = 2
"""Columns of what marks an event in an excerpt."""


def print_details(
    console: Console, told: Sequence[Played], summaries: Mapping[str, str] = NO_SUMMARIES
) -> None:
    """Print why cells were skipped, the warnings, then the first cells that did not pass.

    `summaries` says by file what its scenario shows.
    """
    passed = [one.result for one in told if one.result.verdict in FINE]
    print_skipped(console, passed)
    _print_warnings(console, passed)
    _print_open(console, [one for one in passed if one.status == "open" and one.reason])
    troubled = [one for one in told if one.result.verdict not in FINE]
    for one in troubled[:MOST_CELLS]:
        console.print()
        _print_one(console, one, summaries.get(one.result.file, ""))
    if len(troubled) > MOST_CELLS:
        more = plural(len(troubled) - MOST_CELLS, "more cell")
        console.print(f"\n… and {more} that did not pass; --json FILE has all of them")


def _print_warnings(console: Console, passed: Sequence[CellResult]) -> None:
    """Print what did not hold in cells that passed: it is of severity `warning`."""
    active = [one for one in passed if one.status != "open"]
    found = [(one, check) for one in active for check in one.checks if check.verdict not in FINE]
    if found:
        console.print()
    for result, check in found[:MOST_CELLS]:
        hanging(console, Text.assemble(("warning", "yellow"), " ", plain(result.name, "bold")))
        _print_check(console, short_form(result.file), check)
    if len(found) > MOST_CELLS:
        console.print(f"… and {plural(len(found) - MOST_CELLS, 'more warning')}")


def _print_open(console: Console, known: Sequence[CellResult]) -> None:
    """Print a line for each cell that fails as it is known to."""
    if known:
        console.print()
    for result in known[:MOST_CELLS]:
        told = plain(f" {result.name}: {short_form(result.file)}:{result.line}: {result.reason}")
        hanging(console, Text.assemble(("open", "yellow"), told))
    if len(known) > MOST_CELLS:
        console.print(f"… and {plural(len(known) - MOST_CELLS, 'more open cell')}")


def _print_one(console: Console, one: Played, summary: str) -> None:
    result, file = one.result, short_form(one.result.file)
    quarantined = "" if result.gates else " (quarantined: it does not count)"
    title = (verdict_text(result.verdict), " ", plain(result.name, "bold"), quarantined)
    hanging(console, Text.assemble(*title))
    if summary:
        hanging(console, plain(" ".join(summary.split()), "dim"), 2, 2)
    checks = _without_repeats([check for check in result.checks if check.verdict not in FINE])
    if result.reason and not any(result.reason == f"{c.name}: {c.message}" for c in checks):
        hanging(console, plain(f"{file}:{result.line}: {result.reason}"), 2)
        checks = [_after(result.reason, check) for check in checks]
    for check in checks:
        _print_check(console, file, check)
    for fault in result.faults:
        hanging(console, plain(f"{file}:{fault.line}: {_told(fault)}"), 2)
    if result.kept:
        console.print(plain(f"  frames: {result.kept}"), soft_wrap=True)  # whole, to be copied
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


def _without_repeats(checks: Sequence[CheckLine]) -> list[CheckLine]:
    """Return checks whose events are shown once, where several show the same ones."""
    shown: set[tuple[str, ...]] = set()
    lines: list[CheckLine] = []
    for check in checks:
        events = tuple(line[_MARK:] for line in check.excerpt)
        again = len(events) > 1 and events in shown
        clash = [line.split()[2] for line in check.excerpt if line.startswith(">")] if again else ()
        told = (f"  (the same events, > {', '.join(clash)})",) if clash else ()
        lines.append(replace(check, excerpt=told) if again else check)
        shown.add(events)
    return lines


def _after(reason: str, check: CheckLine) -> CheckLine:
    """Return a check that was not decided without the reason, which is the cell's own."""
    if check.verdict is not Verdict.UNKNOWN or not check.message.startswith(reason):
        return check
    return replace(check, message=check.message.removeprefix(reason).removeprefix("; "))


def _print_check(console: Console, file: str, check: CheckLine) -> None:
    place = f"{file}:{check.line}" if check.line else f"{file}: always on"
    message = f": {check.message}" if check.message else ""
    verdict = verdict_text(check.verdict)
    told = Text.assemble(plain(f"{place}: "), verdict, plain(f": {check.name}{message}"))
    hanging(console, told, 2)
    for line in check.excerpt:
        style = "" if line.startswith(">") else "dim"
        console.print(plain(f"    {line}", style), no_wrap=True, overflow="ellipsis")


def _shortened(lines: list[str]) -> list[str]:
    runs = [(line, len(list(same))) for line, same in groupby(lines)]
    lines = [f"{line} (x{times})" if times > 1 else line for line, times in runs]
    left_out = len(lines) - FIRST_LINES - LAST_LINES
    if left_out <= 1:
        return lines
    return [*lines[:FIRST_LINES], f"… {left_out} lines", *lines[-LAST_LINES:]]
