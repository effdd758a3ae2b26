"""The moment of a named event: where it stands in a trace, and how it is told.

Imports the selection, `windtunnel.event_names`, `windtunnel.trace` and `windtunnel.units`.
"""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.checks.selection import entry_id
from windtunnel.event_names import EventName
from windtunnel.trace import Event, Trace
from windtunnel.units import format_duration


def find(trace: Trace, name: EventName) -> Event | None:
    """Return the event that a name means, or None where it never happened."""
    return name.find(trace.of(*name.kinds))


def occurrences(trace: Trace, name: EventName) -> Iterator[Event]:
    """Iterate over every event that a name means, over a repeat those of each operation.

    Of a command `#n` the n-th and those after it.
    """
    left = name.nth
    for event in trace.of(*name.kinds):
        each = bool(name.phase) and name.index is None and entry_id(event.op) == name.id
        if each or name.matches(event):
            left -= 1
            if left <= 0:
                yield event


def at(event: Event) -> str:
    """Return the instant of an event as people read it, such as `at 1.5s`."""
    return f"at {format_duration(event.time)}"


def end_of(trace: Trace) -> int:
    """Return the instant of the last event, ns; 0 for an empty trace."""
    return trace[-1].time if len(trace) else 0
