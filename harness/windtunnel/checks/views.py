"""Views: from when to when a task is on a side of a router, as one of the parties sees it.

Imports the pairing and `windtunnel.trace`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal

from windtunnel.checks.pairing import Pair, pairs
from windtunnel.trace import Event, Trace

Side = Literal["internal", "external"]
"""Our own instances, or the external platform."""
View = Literal["world", "dispatcher", "backend"]
"""Who looks: what is really worked on, what is assigned to an instance, what is sent and open."""

PLACES: Final[Mapping[Side, str]] = MappingProxyType({"internal": "inside", "external": "outside"})
"""Side → the table of the backend's store that holds what was sent there."""


def works(trace: Trace) -> Iterator[Pair]:
    """Yield each work on a task at a place, from `work.started` to `work.ended`."""
    kinds = ("work.started", "work.ended")
    return pairs(trace.of(*kinds), kinds[0], lambda event: (event.op, event.resource))


def periods(trace: Trace, view: View, side: Side) -> list[Pair]:
    """Return from when to when each task was on a side, in the view of one of the parties.

    `world`: from its work's start to its end. `dispatcher`: from its assignment to its release, at
    the latest as it leaves the table `processing`. `backend`: from being sent until it has settled
    or left the table of that side. The tables count beside the reports because a party may crash
    between the one and the other.
    """
    return sorted(_VIEWS[view](trace, side))


def _in_world(trace: Trace, side: Side) -> Iterator[Pair]:
    return (pair for pair in works(trace) if pair.start.details["side"] == side)


def _in_dispatcher(trace: Trace, side: Side) -> Iterator[Pair]:
    if side == "external":
        return
    open_: dict[str, dict[str, Event]] = {}
    for event in trace.of("task.assigned", "task.released", "task.moved"):
        of_task = open_.setdefault(event.op, {})
        if event.kind == "task.assigned":
            of_task.setdefault(event.details["instance"], event)
        elif event.kind == "task.released":
            begun = of_task.pop(event.details["instance"], None)
            yield from () if begun is None else (Pair(begun, event),)
        elif _has_left(event, "dispatcher", "processing"):
            yield from (Pair(begun, event) for begun in of_task.values())
            of_task.clear()
    for of_task in open_.values():
        yield from (Pair(begun, None) for begun in of_task.values())


def _in_backend(trace: Trace, side: Side) -> Iterator[Pair]:
    open_: dict[str, Event] = {}
    over: set[str] = set()
    for event in trace.of("task.sent", "action.settled", "task.moved"):
        if event.kind == "task.sent":
            if event.details["side"] == side and event.op not in over:
                open_.setdefault(event.op, event)
        elif event.kind == "action.settled" or _has_left(event, "backend", PLACES[side]):
            if event.kind == "action.settled":
                over.add(event.op)  # the answer to a submission may come after the result
            if (begun := open_.pop(event.op, None)) is not None:
                yield Pair(begun, event)
    yield from (Pair(begun, None) for begun in open_.values())


def _has_left(event: Event, host: str, place: str) -> bool:
    details = event.details
    return event.actor == host and details.get("from") == place and details.get("to") != place


_VIEWS: Final[Mapping[View, Callable[[Trace, Side], Iterator[Pair]]]] = MappingProxyType(
    {"world": _in_world, "dispatcher": _in_dispatcher, "backend": _in_backend}
)
