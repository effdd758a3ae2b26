"""The occurrence of a named event in the trace of a run that goes on.

Imports `windtunnel.event_names` and `windtunnel.trace`.
"""

from __future__ import annotations

from collections.abc import Callable

from windtunnel.event_names import EventName
from windtunnel.trace import Event, Trace


def once(trace: Trace, name: EventName, then: Callable[[], None]) -> None:
    """Call `then` when the event that is named happens (the n-th where the name says `#n`), once.

    It is called inside the step that records the event.
    """
    left = name.nth

    def on_event(event: Event) -> None:
        nonlocal left
        if not left or not name.matches(event):
            return
        left -= 1
        if left:
            return
        for stop in stops:
            stop()
        then()

    stops = [trace.listen(kind, on_event) for kind in name.kinds]
