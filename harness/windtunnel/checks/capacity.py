"""The check `capacity`: so many operations at once, and no more (RT-C2)."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator
from typing import Annotated, NamedTuple, Self

from pydantic import Field, model_validator

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, lifecycles
from windtunnel.checks.moments import at, end_of
from windtunnel.checks.selection import Operations
from windtunnel.fields import Duration
from windtunnel.trace import Event, Trace

_ENDS, _FAULT, _PASSES, _BEGINS = range(4)
"""At one instant: what ends makes room first, then the new bound holds, then what begins."""


class CapacityArgs(CheckArgs):
    """How many of which operations may run at once."""

    of: Operations = ()
    max: Annotated[int, Field(ge=0)]
    after_fault_max: Annotated[int | None, Field(ge=0)] = None
    """What holds in the place of `max` once the first fault is on and `settle` has passed."""
    settle: Duration = 0
    """How long after the fault there may still run more."""

    @model_validator(mode="after")
    def _settle_follows_a_fault(self) -> Self:
        if self.settle and self.after_fault_max is None:
            raise ValueError("`settle` is about `after_fault_max`: give that, too")
        return self


class Peak(NamedTuple):
    """The most that ran at once over some time, and the operation with which it was reached."""

    number: int = 0
    last: Event | None = None
    first: Event | None = None
    """The start of the one that ran longest by then."""


@register("capacity", CapacityArgs)
def capacity(trace: Trace, args: CapacityArgs, context: Context) -> CheckResult:
    """At most `max` of these operations run at once, each from its start to its end (RT-C2).

    One may start at the very instant at which another ends. From `settle` after the first fault
    on at most `after_fault_max` run; those that go on from before count. Measured: the most at
    once; where only `after_fault_max` is broken, the most from then on. Vacuous where none
    started, or where `after_fault_max` is given and the run did not get so far.
    """
    del context
    lives = [life for life in lifecycles(trace, args.of).values() if life.started]
    if not lives:
        return CheckResult(Verdict.VACUOUS, "nothing started")
    bound_at = _bound_at(trace, args)
    before, after = _peaks(lives, bound_at)
    most = max(before, after, key=lambda peak: peak.number)
    if before.number > args.max:
        return _failure(most, args.max)
    if args.after_fault_max is None:
        return CheckResult(Verdict.PASS, f"at most {most.number} at once", measured=most.number)
    if bound_at is None:
        told = "no fault came, or the run ended before it had settled"
        return CheckResult(Verdict.VACUOUS, told, measured=most.number)
    if after.number > args.after_fault_max:
        return _failure(after, args.after_fault_max, " after the fault")
    told = f"at most {before.number} at once, {after.number} after the fault"
    return CheckResult(Verdict.PASS, told, measured=most.number)


def _failure(peak: Peak, allowed: int, when: str = "") -> CheckResult:
    shown = [event for event in (peak.last, peak.first) if event is not None]
    last = f", with {peak.last.op} {at(peak.last)}" if peak.last else ""
    return CheckResult(
        Verdict.FAIL,
        f"{peak.number} ran at once{when}{last}, allowed {allowed}",
        tuple(dict.fromkeys(event.seq for event in shown)),
        peak.number,
    )


def _bound_at(trace: Trace, args: CapacityArgs) -> int | None:
    """Return the instant from which `after_fault_max` holds; None where it was not reached."""
    fault = next(trace.of("fault.injected"), None)
    if args.after_fault_max is None or fault is None:
        return None
    instant = fault.time + args.settle
    return instant if instant <= end_of(trace) else None


def _peaks(lives: list[Lifecycle], bound_at: int | None) -> tuple[Peak, Peak]:
    """Return the most at once before the bound changes, and from then on."""
    before, now = Peak(), Peak()
    running: OrderedDict[int, Event] = OrderedDict()  # finds its first at once, however it shrank
    for number, edge in _edges(lives, bound_at):
        if edge == _ENDS:
            del running[number]
            continue
        if edge == _FAULT:
            first = next(iter(running.values()), None)
            before, now = now, Peak(len(running), first, first)
            continue
        start = lives[number].started
        assert start is not None
        if len(running) + 1 > now.number:
            now = Peak(len(running) + 1, start, next(iter(running.values()), start))
        if edge == _BEGINS:
            running[number] = start
    return (now, Peak()) if bound_at is None else (before, now)


def _edges(lives: list[Lifecycle], bound_at: int | None) -> Iterator[tuple[int, int]]:
    edges: list[tuple[float, int, int]] = []
    if bound_at is not None:
        edges.append((bound_at, _FAULT, -1))
    for number, life in enumerate(lives):
        assert life.started is not None
        begin = life.started.time
        end = math.inf if life.settled is None else life.settled.time
        if begin == end:
            edges.append((begin, _PASSES, number))
        else:
            edges += (begin, _BEGINS, number), (end, _ENDS, number)
    edges.sort()
    return ((number, edge) for _, edge, number in edges)
