"""The check `rate`: so many starts in any sliding span, and no more (UI-Q6)."""

from __future__ import annotations

from collections import deque
from typing import Annotated

from pydantic import Field

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import walk
from windtunnel.checks.moments import at
from windtunnel.checks.selection import Operations
from windtunnel.fields import Duration
from windtunnel.trace import Event, Trace
from windtunnel.units import SECOND, format_duration


class RateArgs(CheckArgs):
    """How many may start in which span."""

    of: Operations = ()
    max: Annotated[int, Field(ge=0)]
    span: Annotated[Duration, Field(gt=0)] = SECOND


@register("rate", RateArgs)
def rate(trace: Trace, args: RateArgs, context: Context) -> CheckResult:
    """At most `max` operations start in any sliding span, half open [t, t + span) (UI-Q6).

    Operations that go past the scheduler (`via: direct`) do not count. Measured: the largest
    number of starts found in one span. Vacuous where nothing started.
    """
    del context
    recent: deque[Event] = deque()
    fullest: tuple[Event, ...] = ()
    for event, life in walk(trace, args.of):
        if event.kind != "action.started" or not life.queued:
            continue
        recent.append(event)
        while recent[0].time <= event.time - args.span:
            recent.popleft()
        if len(recent) > len(fullest):
            fullest = tuple(recent)
    if not fullest:
        return CheckResult(Verdict.VACUOUS, "nothing started")
    most, span = len(fullest), format_duration(args.span)
    told = f"{most} starts within {span}, from {fullest[0].op} {at(fullest[0])}, allowed {args.max}"
    if most <= args.max:
        return CheckResult(Verdict.PASS, told, measured=most)
    witness = (fullest[0].seq, fullest[args.max].seq)
    return CheckResult(Verdict.FAIL, told, witness, most)
