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
    witness: tuple[int, ...] = ()
    most, first = 0, None
    for event, life in walk(trace, args.of):
        if event is not life.started or not life.queued:
            continue
        recent.append(event)
        while recent[0].time <= event.time - args.span:
            recent.popleft()
        if len(recent) > most:
            most, first = len(recent), recent[0]
        if len(recent) > args.max and not witness:
            witness = (recent[0].seq, event.seq)
    if first is None:
        return CheckResult(Verdict.VACUOUS, "nothing started")
    span = format_duration(args.span)
    told = f"{most} starts within {span}, from {first.op} {at(first)}, allowed {args.max}"
    verdict = Verdict.FAIL if witness else Verdict.PASS
    return CheckResult(verdict, told, witness, most)
