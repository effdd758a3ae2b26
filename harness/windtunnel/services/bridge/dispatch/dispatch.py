"""The dispatch: how an action reaches the display, by the endpoint table and the wiring.

Imports policies, actions and the endpoint table.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol, runtime_checkable

from windtunnel.policies.ui.priority import Priority
from windtunnel.policies.ui.spacing import contact_delay_ms
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS, Endpoint, Way, Wiring
from windtunnel.services.bridge.flows.action import UIAction

Direct = Callable[[UIAction], Awaitable[Any]]
"""Runs an action at once beside the queue, and returns what its caller waits for."""


class Queue(Protocol):
    """What every scheduler of a bridge has; the rest is looked for by name (UI-Q14)."""

    async def start(self) -> None:
        """Begin to run actions."""

    async def stop(self) -> None:
        """Stop; callers left are told."""

    def pending_count(self) -> int:
        """Return how many actions are queued."""

    def enqueue(
        self,
        factory: Callable[[], Any],
        delay_ms: float | None = None,
        wait_timeout_ms: float | None = None,
    ) -> Awaitable[Any]:
        """Submit an action at NORMAL."""


@runtime_checkable
class Prioritised(Protocol):
    """A scheduler that takes priorities, recognised by `execute` (UI-Q14)."""

    def execute(
        self,
        action: Callable[[], Any],
        priority: Priority = Priority.NORMAL,
        delay_ms: float | None = None,
        wait_timeout_ms: float | None = None,
        trace_id: str = "",
    ) -> Awaitable[Any]:
        """Submit an action with its priority."""


def run_at_once(action: UIAction) -> Awaitable[Any]:
    """Start an action now, in a task of its own."""
    return asyncio.ensure_future(action())


_NONE: Final[Mapping[str, float]] = {}


class Dispatch:
    """Submits actions (UI-E1, UI-Q4, UI-C6).

    `direct` runs what is not queued; `delay_after_ms` holds delays in place of the table's. A
    scheduler without `execute` has all actions enqueued.
    """

    def __init__(
        self,
        scheduler: Queue,
        wiring: Wiring,
        direct: Direct = run_at_once,
        delay_after_ms: Mapping[str, float] = _NONE,
    ) -> None:
        self._scheduler = scheduler
        self._execute = scheduler.execute if isinstance(scheduler, Prioritised) else None
        self._wiring: Wiring = wiring
        self._direct = direct
        self._delays = delay_after_ms
        self._last_contact: str | None = None

    def way(self, action: str) -> Way:
        """Return how an action of that class is submitted."""
        way = ENDPOINTS[action].way(self._wiring)
        return "enqueue" if way == "execute" and self._execute is None else way

    def submit(
        self,
        action: UIAction,
        *,
        priority: Priority | None = None,
        delay_ms: float | None = None,
        wait_ms: float | None = None,
        trace_id: str = "",
        at_once: bool = False,
    ) -> Awaitable[Any]:
        """Submit an action at this instant and return what its caller waits for.

        Priority and trace id are the table's unless given. The delay after it is `delay_ms`, else
        the settings', else 1000 ms for a text to the contact of the send before, else the
        scheduler's own default, which is the table's 3000 ms, or 0 for CRITICAL. `wait_ms` bounds
        the caller's wait; None for no bound. `at_once` runs it beside the queue in every wiring.
        """
        endpoint = ENDPOINTS[action.name]
        delay = self._delay(action, endpoint, delay_ms)
        if endpoint.sends:
            self._last_contact = action.to
        way = self.way(action.name)
        if at_once or way == "direct":
            return self._direct(action)
        if way == "enqueue" or self._execute is None:
            return self._scheduler.enqueue(action, delay_ms=delay, wait_timeout_ms=wait_ms)
        return self._execute(
            action,
            priority=endpoint.priority if priority is None else priority,
            delay_ms=delay,
            wait_timeout_ms=wait_ms,
            trace_id=trace_id or endpoint.trace_id,
        )

    def _delay(self, action: UIAction, endpoint: Endpoint, asked_ms: float | None) -> float | None:
        if asked_ms is not None:
            return asked_ms
        own = self._delays.get(action.name)
        if own is not None or not endpoint.spaced:
            return own
        return contact_delay_ms(self._last_contact, action.to or None)
