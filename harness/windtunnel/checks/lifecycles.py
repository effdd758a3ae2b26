"""The lifecycle of an operation: its boundary events, brought together by its id.

Imports `windtunnel.trace` and the selection of operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from windtunnel.checks.selection import entry_id, selects
from windtunnel.trace import Event, Trace

BOUNDARY: Final = ("action.submitted", "action.started", "action.settled", "caller.settled")

OutcomeName = Literal["done", "failed", "rejected", "expired", "unknown", "aborted"]
"""`windtunnel.trace.Outcome.ALL`, as scenario files write them."""


@dataclass(slots=True)
class Lifecycle:
    """One submitted operation; of an event that came twice the first counts."""

    submitted: Event
    started: Event | None = None
    settled: Event | None = None
    """The end of the operation."""
    answered: Event | None = None
    """What its caller was told."""

    @property
    def op(self) -> str:
        """Return the operation's id."""
        return self.submitted.op

    @property
    def queued(self) -> bool:
        """Tell whether it went through the scheduler, not past it."""
        return self.submitted.details.get("via") != "direct"

    @property
    def background(self) -> bool:
        """Tell whether a background service did it in a turn of its own: no run waits for that."""
        return is_background(self.submitted)

    @property
    def urgency(self) -> int:
        """Return the priority, smaller first; NORMAL where a scheduler knows none."""
        priority = self.submitted.details.get("priority")
        return priority if isinstance(priority, int) else 2

    def note(self, event: Event) -> None:
        """Take in an event of this operation."""
        match event.kind:
            case "action.started":
                self.started = self.started or event
            case "action.settled":
                self.settled = self.settled or event
            case "caller.settled":
                self.answered = self.answered or event


def is_background(submitted: Event) -> bool:
    """Tell whether an operation is a turn of its actor: `friend_watcher.3` of `friend_watcher`."""
    return entry_id(submitted.op) == submitted.actor


def lifecycles(trace: Trace, of: tuple[str, ...] = ()) -> dict[str, Lifecycle]:
    """Return the submitted operations of a selection by id, in the order of submission."""
    found: dict[str, Lifecycle] = {}
    for event, life in walk(trace, of):
        found.setdefault(event.op, life)
    return found


def requests(trace: Trace, of: tuple[str, ...]) -> dict[str, Lifecycle]:
    """Return the requests that a selection means for themselves, in the order of arrival.

    By the route's class every request; by id one of which no action came. They are submitted as
    they are received, and their answer is their end.
    """
    acted = {event.op for event in trace.of("action.submitted")}
    found: dict[str, Lifecycle] = {}
    for event in trace.of("request.received", "request.answered"):
        if event.kind == "request.answered":
            if event.op in found:
                found[event.op].settled = found[event.op].answered = event
        elif event.class_ in of or (event.op not in acted and selects(of, event.op, "")):
            found.setdefault(event.op, Lifecycle(event))
    return found


def walk(trace: Trace, of: tuple[str, ...] = ()) -> Iterator[tuple[Event, Lifecycle]]:
    """Iterate over the boundary events of a selection, each with its operation as it is by then."""
    alive: dict[str, Lifecycle] = {}
    for event in trace.of(*BOUNDARY):
        life = alive.get(event.op)
        if life is None:
            if event.kind != "action.submitted" or not selects(of, event.op, event.class_):
                continue
            life = alive[event.op] = Lifecycle(event)
        life.note(event)
        yield event, life
