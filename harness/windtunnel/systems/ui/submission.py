"""A submission: how one operation of the timeline goes to the scheduler.

Priority, delay and window come from the entry, else from `given.actions`, else from the endpoint
table (UI-E1); the wiring decides whether the action is queued at all (UI-C1, UI-C6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel import units
from windtunnel.policies.priority import Priority
from windtunnel.policies.spacing import contact_delay_ms
from windtunnel.services.endpoints import ENDPOINTS, Endpoint
from windtunnel.systems.base import Operation
from windtunnel.systems.ui.given import ActionGiven, Given

UNCHANGED = ActionGiven()


@dataclass(frozen=True, slots=True)
class Submission:
    """What is handed to the scheduler beside the action itself."""

    direct: bool
    """Whether the action runs at once beside the scheduler (wirings `before` and `phase1`)."""
    via: str
    """`execute` or `enqueue`."""
    priority: Priority
    delay_ms: float | None
    """None: the scheduler's own default."""
    wait_ms: float | None
    window: int
    """Nanoseconds of the dead window that the action opens as it starts."""
    trace_id: str

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments by their names in the bridge's interface; None where not given."""
        return {
            "priority": self.priority,
            "delay_ms": self.delay_ms,
            "wait_timeout_ms": self.wait_ms,
            "trace_id": self.trace_id,
        }

    def delay_wanted(self, default: int) -> int:
        """Return the pause after the action in nanoseconds, given the scheduler's default."""
        if self.delay_ms is not None:
            return units.from_ms(self.delay_ms)
        return 0 if self.priority is Priority.CRITICAL else default


def plan(operation: Operation, given: Given, previous_contact: str | None) -> Submission:
    """Return how an operation is submitted; `previous_contact` is whom the last send went to."""
    endpoint = ENDPOINTS[operation.name]
    options = operation.options
    action = given.actions.get(operation.name, UNCHANGED)
    direct = given.wiring != "after" and endpoint.today == "direct"
    named = endpoint.priority if options.priority is None else Priority[options.priority]
    return Submission(
        direct=direct,
        via="execute" if given.wiring == "after" else "enqueue",
        priority=named if given.wiring == "after" else Priority.NORMAL,
        delay_ms=_delay(operation, endpoint, action, previous_contact),
        wait_ms=None if options.wait is None else units.to_ms(options.wait),
        window=_window(endpoint, action) if given.wiring == "after" else 0,
        trace_id=operation.id,
    )


def _delay(
    operation: Operation, endpoint: Endpoint, action: ActionGiven, previous: str | None
) -> float | None:
    for own in (operation.options.delay_after, action.delay_after):
        if own is not None:
            return units.to_ms(own)
    return contact_delay_ms(previous, contact(operation)) if endpoint.spaced else None


def _window(endpoint: Endpoint, action: ActionGiven) -> int:
    return units.from_ms(endpoint.window_ms) if action.window is None else action.window


def contact(operation: Operation) -> str | None:
    """Return whom an operation is for, or None."""
    to = getattr(operation.args, "to", None)
    return to if isinstance(to, str) else None
