"""The check `calls`: the timeline's calls of services end, and end well."""

from __future__ import annotations

from typing import Literal

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import at
from windtunnel.checks.selection import Operations, selects
from windtunnel.trace import Event, Trace

OPEN_IS_FINE = ("until", "limit")
"""Ends of a run that may cut a call short."""


class CallsArgs(CheckArgs):
    """Which calls, and how each of them ends."""

    of: Operations = ()
    outcome: Literal["done", "failed"] = "done"


@register("calls", CallsArgs)
def calls(trace: Trace, args: CallsArgs, context: Context) -> CheckResult:
    """Every call of a service that began has ended, with the outcome (UI-Q9, UI-Q10, UI-W4).

    A call that raised has failed. The ui system runs this check over every cell that does not name
    it. Measured: the number of calls that ended otherwise or never. Vacuous where nothing was
    called.
    """
    begun = {
        event.op: event
        for event in trace.of("call.started")
        if selects(args.of, event.op, event.class_)
    }
    if not begun:
        return CheckResult(Verdict.VACUOUS, "nothing was called")
    last = begun | {event.op: event for event in trace.of("call.ended") if event.op in begun}
    wrong = [event for event in last.values() if _is_wrong(event, args, context)]
    if not wrong:
        return CheckResult(Verdict.PASS, f"{len(begun)} calls, all {args.outcome}", (), 0)
    more = f"; {len(wrong)} of {len(begun)} in all" if len(wrong) > 1 else ""
    return CheckResult(Verdict.FAIL, f"{_told(wrong[0])}{more}", (wrong[0].seq,), len(wrong))


def _is_wrong(last: Event, args: CallsArgs, context: Context) -> bool:
    """Judge a call by its last event: its end, or its beginning where it never ended."""
    if last.kind == "call.started":
        return context.end.reason not in OPEN_IS_FINE
    return last.outcome != args.outcome


def _told(last: Event) -> str:
    call = f"{last.class_} ({last.op})"
    if last.kind == "call.started":
        return f"{call}, called {at(last)}, never ended"
    if last.outcome == "done":
        return f"{call} did not fail {at(last)}"
    return f"{call} failed {at(last)}: {last.details.get('code') or last.details.get('error')}"
