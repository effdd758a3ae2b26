"""The moment of a named event: where it stands in a trace, and how it is told.

Imports `windtunnel.event_names`, `windtunnel.trace` and `windtunnel.units`.
"""

from __future__ import annotations

from windtunnel.event_names import EventName
from windtunnel.trace import Event, Trace
from windtunnel.units import format_duration


def find(trace: Trace, name: EventName) -> Event | None:
    """Return the event that a name means, or None where it never happened."""
    return name.find(trace.of(*name.kinds))


def at(event: Event) -> str:
    """Return the instant of an event as people read it, such as `at 1.5s`."""
    return f"at {format_duration(event.time)}"


def end_of(trace: Trace) -> int:
    """Return the instant of the last event, ns; 0 for an empty trace."""
    return trace[-1].time if len(trace) else 0
