"""Running: a cell as its scenario asks for it: how often, in how many orders, of what status.

Imports the orders of a cell and the results.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.orders import play_orders
from windtunnel.scenario.playing.single_run import USUAL
from windtunnel.scenario.reading.models import Status
from windtunnel.scenario.results import CellResult
from windtunnel.world import WorldOptions


def run_cell(cell: Cell, *, keep_trace: bool = False, options: WorldOptions = USUAL) -> CellResult:
    """Run a cell and judge it; never raises for what the code under test does.

    `options` say how a real world is to be run; the simulated one has none.
    Raises `PluginError` or `WorldUnavailableError` when the system or the world is not there.
    """
    repeated = _repeated(cell, keep_trace=keep_trace, options=options)
    return judged_by_status(repeated, cell.status)


def _repeated(cell: Cell, *, keep_trace: bool, options: WorldOptions) -> CellResult:
    """Play a cell as often as `repeat` says; it passes when `pass_at_least` of these do.

    The result is that of the first run that decides: the first that passes, or the first that does
    not. Where something is lacking nothing is repeated. Of what was kept, that of the first run
    that did not pass is told.
    """
    repeats = cell.repeats
    play = partial(play_orders, keep_trace=keep_trace, options=options)
    if repeats.repeat <= 1:
        return play(cell)
    passed: CellResult | None = None
    other: CellResult | None = None
    count = 0
    for number in range(repeats.repeat):
        result = play(cell, number=number)
        if result.verdict is Verdict.SKIPPED:
            return result
        if result.verdict is Verdict.PASS:
            count += 1
            passed = passed or result
        else:
            other = other or result
    told = f"{count} of {repeats.repeat} runs passed, {repeats.pass_at_least} needed"
    kept = next((one.kept for one in (other, passed) if one is not None and one.kept), "")
    played = {"runs": repeats.repeat, "passed": count, "kept": kept}
    if passed is not None and count >= repeats.pass_at_least:
        return replace(passed, reason=told if other is not None else "", **played)  # type: ignore[arg-type]
    assert other is not None, "not enough have passed, so one has not"
    return replace(other, reason=f"{told}: {other.reason}", **played)  # type: ignore[arg-type]


def judged_by_status(result: CellResult, status: Status) -> CellResult:
    """Return the result as its scenario's status has it.

    `open` is a known fault that is not mended: the cell must fail, which is then a pass whose
    reason says so, and to pass is a failure. Anything else says nothing of the fault, and stays.
    `quarantined` changes no verdict: what gates is for the exit code to say.
    """
    if status != "open":
        return result
    if result.verdict is Verdict.FAIL:
        return replace(result, verdict=Verdict.PASS, reason=f"open, fails still: {result.reason}")
    if result.verdict is Verdict.PASS:
        reason = "open, but it passes: the fault is mended, so take `status: open` away"
        return replace(result, verdict=Verdict.FAIL, reason=reason)
    return result
