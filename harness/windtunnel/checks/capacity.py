"""The check `capacity`: so many operations at once, and no more (RT-C2, RT-S4)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, Self, cast

from pydantic import (
    Field,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import lifecycles
from windtunnel.checks.moments import at, end_of
from windtunnel.checks.pairing import BEGINS, CHANGES, ENDS, Pair, edges
from windtunnel.checks.selection import Operations
from windtunnel.checks.views import PLACES, Side, View, periods
from windtunnel.fields import Duration
from windtunnel.trace import Event, Trace


def _side_or_operations(
    value: Any,  # noqa: ANN401 - whatever stands in the file
    operations: ValidatorFunctionWrapHandler,
    info: ValidationInfo,
) -> tuple[str, ...]:
    """Return a side where a party looks, a selection of operations where none does."""
    if info.data.get("view", "") is None:
        return cast("tuple[str, ...]", operations(value))
    if value not in tuple(PLACES):
        raise ValueError(f"with `view`, `of` is a side: {' or '.join(PLACES)}")
    return (value,)


class CapacityArgs(CheckArgs):
    """How many of which operations may run at once, or how many tasks may be on a side."""

    view: View | None = None
    """Who looks; without one the operations themselves are counted."""
    of: Annotated[Operations, WrapValidator(_side_or_operations)] = ()
    """Operations; with a `view` the side: `internal` or `external`."""
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

    @model_validator(mode="after")
    def _a_view_has_a_side(self) -> Self:
        if self.view and not self.of:
            raise ValueError(f"`view` is on a side: give `of`, too, {' or '.join(PLACES)}")
        if self.view == "dispatcher" and self.of == ("external",):
            raise ValueError("the dispatcher sees nothing of the external side")
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

    With a `view` at most `max` tasks are on the side `of`, as that party sees it: in the `world`
    worked on, by the `dispatcher` assigned and not released, by the `backend` sent and open. One
    may start at the very instant at which another ends. From `settle` after the first fault on at
    most `after_fault_max` run; those that go on from before count. Measured: the most at once;
    where only `after_fault_max` is broken, the most from then on. Vacuous where none started, or
    where `after_fault_max` is given and the run did not get so far.
    """
    del context
    found = _periods(trace, args)
    if not found:
        return CheckResult(Verdict.VACUOUS, "nothing started" + _seen(args))
    bound_at = _bound_at(trace, args)
    before, after = _peaks(found, bound_at)
    most = max(before, after, key=lambda peak: peak.number)
    if before.number > args.max:
        return _failure(most, args.max, _seen(args))
    if args.after_fault_max is None:
        told = f"at most {most.number} at once{_seen(args)}"
        return CheckResult(Verdict.PASS, told, measured=most.number)
    if bound_at is None:
        told = "no fault came, or the run ended before it had settled"
        return CheckResult(Verdict.VACUOUS, told, measured=most.number)
    if after.number > args.after_fault_max:
        return _failure(after, args.after_fault_max, _seen(args) + " after the fault")
    told = f"at most {before.number} at once{_seen(args)}, {after.number} after the fault"
    return CheckResult(Verdict.PASS, told, measured=most.number)


def _periods(trace: Trace, args: CapacityArgs) -> list[Pair]:
    if args.view:
        return periods(trace, args.view, cast("Side", args.of[0]))
    lives = lifecycles(trace, args.of).values()
    return [Pair(life.started, life.settled) for life in lives if life.started]


def _seen(args: CapacityArgs) -> str:
    return f" {PLACES[cast('Side', args.of[0])]}, seen by the {args.view}" if args.view else ""


def _failure(peak: Peak, allowed: int, when: str) -> CheckResult:
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


def _peaks(found: Sequence[Pair], bound_at: int | None) -> tuple[Peak, Peak]:
    """Return the most at once before the bound changes, and from then on."""
    before, now = Peak(), Peak()
    running: OrderedDict[int, Event] = OrderedDict()  # finds its first at once, however it shrank
    for number, edge in edges(found, bound_at):
        if edge == ENDS:
            del running[number]
            continue
        if edge == CHANGES:
            first = next(iter(running.values()), None)
            before, now = now, Peak(len(running), first, first)
            continue
        start = found[number].start
        if len(running) + 1 > now.number:
            now = Peak(len(running) + 1, start, next(iter(running.values()), start))
        if edge == BEGINS:
            running[number] = start
    return (now, Peak()) if bound_at is None else (before, now)
