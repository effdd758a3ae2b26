"""The check `sometimes`: what a scenario is about has really been reached."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import occurrences
from windtunnel.fields import EachEventRef
from windtunnel.trace import Trace


class SometimesArgs(CheckArgs):
    """What must have been reached, and how often."""

    event: EachEventRef
    min: Annotated[int, Field(ge=1)] = 1


@register("sometimes", SometimesArgs)
def sometimes(trace: Trace, args: SometimesArgs, context: Context) -> CheckResult:
    """The event was reached at least `min` times in the run; over many orders, in all of them.

    A phase over a repeat is reached by any of its operations. Where a limit cut the run short, one
    that was not reached is unknown. Measured: how often it was reached. Never vacuous: what never
    happens is the failure.
    """
    found = list(occurrences(trace, args.event))
    reached = len(found)
    name = args.event.text
    if reached >= args.min:
        return CheckResult(Verdict.PASS, f"{name} reached {reached} times", (), reached)
    told = f"{name} was never reached" if not reached else f"{name} was reached {reached} times"
    short = Verdict.UNKNOWN if context.end.reason == "limit" else Verdict.FAIL
    witness = tuple(event.seq for event in found[:1])
    return CheckResult(short, f"{told}, expected at least {args.min}", witness, reached)
