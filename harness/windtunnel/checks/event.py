"""The check `event`: a named event happened, when it should, or never."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from pydantic import model_validator

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import at, find
from windtunnel.fields import Duration, EventRef
from windtunnel.trace import Trace
from windtunnel.units import format_duration, to_seconds


class EventArgs(CheckArgs):
    """The event and when it should happen; without a time it has to happen at all."""

    name: EventRef
    at: Duration | None = None
    before: Duration | None = None
    """The last instant allowed, itself included."""
    after: Duration | None = None
    """The first instant allowed, itself included."""
    absent: bool = False
    """It must not happen."""
    tolerance: Duration = 0
    """By how much each of the instants may be missed."""

    @model_validator(mode="after")
    def _absent_has_no_time(self) -> Self:
        if self.absent and (self.at, self.before, self.after) != (None, None, None):
            raise ValueError("`absent` says that it never happens: leave out at, before and after")
        return self

    def loosened(self, tolerance: int) -> Self:
        """Return it with so much more tolerance."""
        return self.model_copy(update={"tolerance": self.tolerance + tolerance})


@register("event", EventArgs)
def event(trace: Trace, args: EventArgs, context: Context) -> CheckResult:
    """A named event happened, at its time where one is given, or never (`absent`) (UI-W2, UI-AC4).

    Where a limit cut the run short, what has not happened fails only if it is late by then.
    Measured: when it happened, seconds since the start of the run. Never vacuous.
    """
    found = find(trace, args.name)
    if found is None:
        early = context.end.reason == "limit" and not _is_late(trace, args)
        verdict = Verdict.PASS if args.absent else Verdict.UNKNOWN if early else Verdict.FAIL
        return CheckResult(verdict, f"{args.name.text} never happened")
    told = f"{args.name.text} happened {at(found)}"
    wrong = ", ".join(_misses(found.time, args))
    return CheckResult(
        Verdict.FAIL if wrong else Verdict.PASS,
        f"{told}, expected {wrong}" if wrong else told,
        (found.seq,),
        to_seconds(found.time),
    )


def _is_late(trace: Trace, args: EventArgs) -> bool:
    """Tell whether the trace goes on after the last instant at which it could have happened."""
    ends = trace[len(trace) - 1].time if len(trace) else 0
    bounds = [bound for bound in (args.at, args.before) if bound is not None]
    return any(bound + args.tolerance < ends for bound in bounds)


def _misses(time: int, args: EventArgs) -> Iterator[str]:
    """Yield what was expected and is not so."""
    within = f" ± {format_duration(args.tolerance)}" if args.tolerance else ""
    if args.absent:
        yield "never"
    if args.at is not None and abs(time - args.at) > args.tolerance:
        yield f"at {format_duration(args.at)}{within}"
    if args.before is not None and time > args.before + args.tolerance:
        yield f"no later than {format_duration(args.before)}{within}"
    if args.after is not None and time < args.after - args.tolerance:
        yield f"no sooner than {format_duration(args.after)}{within}"
