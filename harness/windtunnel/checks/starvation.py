"""The check `starvation`: nobody is passed over without end (UI-Q1)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import Field

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, lifecycles, walk
from windtunnel.checks.moments import at
from windtunnel.checks.selection import Operations, selects
from windtunnel.trace import Event, Trace


class StarvationArgs(CheckArgs):
    """Who may be passed over how often."""

    of: Operations = ()
    max_bypass: Annotated[int, Field(ge=0)]


class Starts:
    """How many have started among those submitted up to a place: a tree of partial sums."""

    def __init__(self, size: int) -> None:
        self._sums = [0] * (size + 1)
        self._all = 0

    def add(self, place: int) -> None:
        """Count the start of the operation submitted at a place, from 0."""
        self._all += 1
        place += 1
        while place < len(self._sums):
            self._sums[place] += 1
            place += place & -place

    def behind(self, place: int) -> int:
        """Return how many have started of those submitted after a place."""
        up_to = 0
        place += 1
        while place:
            up_to += self._sums[place]
            place -= place & -place
        return self._all - up_to


class Bypassed(NamedTuple):
    """An operation and how often it was passed over."""

    times: int
    life: Lifecycle
    until: Event | None
    """Its start, or its end without one; None where it waits still."""


@register("starvation", StarvationArgs)
def starvation(trace: Trace, args: StarvationArgs, context: Context) -> CheckResult:
    """At most `max_bypass` operations that came later start while one of these waits (UI-Q1).

    It waits from its submission until it starts, until it settles without, or to the end of the
    run. Those that pass it over may be of any class and priority; what goes past the scheduler
    (`via: direct`) neither waits nor passes. Measured: the largest number of times that one was
    passed over. Vacuous where none of these was submitted, or it was the only operation.
    """
    del context
    places = {op: n for n, (op, life) in enumerate(lifecycles(trace).items()) if life.queued}
    bypassed = _bypassed(trace, args, places)
    if not bypassed or len(places) == 1:
        return CheckResult(Verdict.VACUOUS, "nothing waited that could have been passed over")
    worst = max(bypassed, key=lambda each: each.times)
    over = sum(each.times > args.max_bypass for each in bypassed)
    life, waited = worst.life, worst.until
    until = f"{at(waited)}" if waited else "at the end, still waiting"
    told = (
        f"{life.submitted.class_} {life.op}, submitted {at(life.submitted)}, had been passed over "
        f"{worst.times} times {until}, allowed {args.max_bypass}"
    )
    if not over:
        return CheckResult(Verdict.PASS, told, measured=worst.times)
    passer = _passer(trace, worst, places, args.max_bypass)
    return CheckResult(
        Verdict.FAIL, f"{told}; {over} such", (passer.seq, life.submitted.seq), worst.times
    )


def _bypassed(trace: Trace, args: StarvationArgs, places: dict[str, int]) -> list[Bypassed]:
    starts = Starts(max(places.values(), default=-1) + 1)
    waiting: dict[str, Lifecycle] = {}
    found: list[Bypassed] = []
    for event, life in walk(trace):
        op = event.op
        if not life.queued:
            continue
        if event is life.submitted:
            if selects(args.of, op, event.class_):
                waiting[op] = life
        elif event is life.started or event is life.settled:
            if op in waiting:
                found.append(Bypassed(starts.behind(places[op]), waiting.pop(op), event))
            if event is life.started:
                starts.add(places[op])
    found += [Bypassed(starts.behind(places[op]), life, None) for op, life in waiting.items()]
    return found


def _passer(trace: Trace, worst: Bypassed, places: dict[str, int], allowed: int) -> Event:
    """Return the start that was one too many."""
    place = places[worst.life.op]
    later = (
        event
        for event, life in walk(trace)
        if event is life.started and life.queued and places[event.op] > place
    )
    passed = [event for _, event in zip(range(allowed + 1), later, strict=False)]
    return passed[-1]
