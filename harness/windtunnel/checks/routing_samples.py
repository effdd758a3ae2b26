"""Samples of a router: detection, degradation, and how the two sides are used.

As those in `samples.py`, each function takes the trace and a selection of operations. Imports the
samples, the views and `windtunnel.trace`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from windtunnel.checks.degradations import degradations
from windtunnel.checks.lifecycles import Lifecycle, lifecycles
from windtunnel.checks.moments import end_of
from windtunnel.checks.pairing import Pair
from windtunnel.checks.samples import Sample, Selection
from windtunnel.checks.views import works
from windtunnel.trace import Event, Outcome, Trace


def detections(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield the time from each fault's begin to the degradation that it led to (RT-H2, F-R22).

    A fault that comes while the router is degraded already, or is over before it is, has none.
    """
    del of
    open_: dict[str, Event] = {}
    degraded = False
    for event in trace.of("fault.injected", "fault.undone", "router.degraded", "router.recovered"):
        match event.kind:
            case "fault.injected":
                if not degraded:
                    open_[event.op] = event
            case "fault.undone":
                open_.pop(event.op, None)
            case "router.degraded":
                degraded = True
                for fault in open_.values():
                    fields = {"fault": fault.class_, "reason": event.details["reason"]}
                    yield Sample(event.time - fault.time, fault, event, fields)
                open_.clear()
            case _:
                degraded = False
    for fault in open_.values():
        fields = {"fault": fault.class_}
        yield Sample(end_of(trace) - fault.time, fault, None, fields, final=False)


def switches(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield the time from each detection until the router does without the inside (RT-H3, RT-P1).

    That is until `router.degraded`, or the last decision before its end that still sends tasks
    inside. What was detected and not told by the end of the run goes on.
    """
    del of
    for one in degradations(trace):
        end = one.switched
        if one.degraded is not None and end is not None:
            yield Sample(end.time - one.since, one.detected, end, _reason(one.degraded))
        else:
            yield Sample(one.until - one.since, one.detected, None, final=False)


def times_degraded(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield each time in which the router did without the inside (RT-H3, RT-H4)."""
    del of
    begun: Event | None = None
    for event in trace.of("router.degraded", "router.recovered"):
        if event.kind == "router.degraded":
            begun = begun or event
        elif begun is not None:
            yield Sample(event.time - begun.time, begun, event, _reason(begun))
            begun = None
    if begun is not None:
        yield Sample(end_of(trace) - begun.time, begun, None, _reason(begun))


def _reason(degraded: Event) -> Mapping[str, str]:
    return {"reason": degraded.details["reason"]}


def times_in_system(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield the time from each task's submission to its end, with the side that completed it."""
    sides = _sides(trace)
    for life in lifecycles(trace, of).values():
        settled = life.settled
        fields = {
            "side": sides.get(life.op) if settled else None,
            "outcome": settled.outcome if settled else None,
        }
        length = (settled.time if settled else end_of(trace)) - life.submitted.time
        yield Sample(length, life.submitted, settled, fields, settled is not None)


def outside_shares(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield one figure: of the tasks that ended done, the share that was completed outside.

    None where no task ended done by anybody's work (RT-O8).
    """
    sides = _sides(trace)
    done = [life for life in lifecycles(trace, of).values() if _is_done(life) and life.op in sides]
    if not done:
        return
    outside = sum(sides[life.op] == "external" for life in done)
    last = max(life.settled for life in done if life.settled)
    yield Sample(outside / len(done), done[0].submitted, last)


def _is_done(life: Lifecycle) -> bool:
    return life.settled is not None and life.settled.outcome == Outcome.DONE


def _sides(trace: Trace) -> dict[str, str]:
    """Return of each task the side of the first work on it that ended done."""
    found: dict[str, str] = {}
    for event in trace.of("work.ended"):
        if event.outcome == Outcome.DONE:
            found.setdefault(event.op, event.details["side"])
    return found


def utilisations(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield of each instance, and of the external platform, the share of time at work.

    The time is that from the first submission to the last end of work, or to the end of the run
    where work still goes on. Work on several tasks at once counts once. An instance that never
    worked counts with 0 where its coming was recorded (`instance.changed`).
    """
    del of
    first = next(trace.of("action.submitted"), None)
    found = _by_place(trace)
    if first is None or not found:
        return
    every = list(chain.from_iterable(found.values()))
    until = max((_until(trace, work) for work in every), default=first.time)
    if until <= first.time:
        return
    for place, at_work in found.items():
        busy = _length_of_union((w.start.time, _until(trace, w)) for w in at_work)
        side = at_work[0].start.details["side"] if at_work else "internal"
        last = trace[len(trace) - 1]
        share = busy / (until - first.time)
        yield Sample(share, first, last, {"side": side, "instance": place})


def _by_place(trace: Trace) -> dict[str, list[Pair]]:
    found: defaultdict[str, list[Pair]] = defaultdict(list)
    for event in trace.of("instance.changed"):
        found[event.resource]  # one that never works is there, too
    for work in works(trace):
        found[work.start.resource].append(work)
    return found


def _until(trace: Trace, work: Pair) -> int:
    return work.end.time if work.end else end_of(trace)


def _length_of_union(periods: Iterable[tuple[int, int]]) -> int:
    length, reached = 0, 0
    for begin, end in sorted(periods):
        length += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return length
