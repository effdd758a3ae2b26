"""The check `happens_before`: one event comes before another in the trace."""

from __future__ import annotations

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import at, find
from windtunnel.fields import EventRef
from windtunnel.trace import Trace
from windtunnel.units import to_seconds


class HappensBeforeArgs(CheckArgs):
    """The two events."""

    first: EventRef
    then: EventRef


@register("happens_before", HappensBeforeArgs)
def happens_before(trace: Trace, args: HappensBeforeArgs, context: Context) -> CheckResult:
    """`first` stands before `then` in the trace: in sequence, at one instant too (UI-W2, UI-W3).

    Fails where `then` happened and `first` never did. Measured: the lead of `first` in seconds,
    negative where it came too late. Vacuous where `then` never happened.
    """
    del context
    then = find(trace, args.then)
    if then is None:
        return CheckResult(Verdict.VACUOUS, f"{args.then.text} never happened")
    told = f"{args.then.text} happened {at(then)}"
    first = find(trace, args.first)
    if first is None:
        return CheckResult(Verdict.FAIL, f"{told} and {args.first.text} never did", (then.seq,))
    lead = to_seconds(then.time - first.time)
    told = f"{told}, {args.first.text} {at(first)}"
    if first.seq < then.seq:
        return CheckResult(Verdict.PASS, told, (first.seq, then.seq), lead)
    return CheckResult(Verdict.FAIL, f"{told}: too late", (then.seq, first.seq), lead)
