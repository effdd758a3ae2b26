"""The degradation: when the router takes the inside as not there (RT-H3, H4, RT-X2).

Imports the health policy, the store port, the link state and how it is saved.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal, cast

from windtunnel.policies.router.health import RECOVERY_CHECKS, Change, HealthMachine, Reason
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.store import Store
from windtunnel.services.backend import saved_state
from windtunnel.services.backend.link_state import LinkState
from windtunnel.services.clock import now_ns
from windtunnel.services.note import Note
from windtunnel.units import to_seconds

logger = logging.getLogger("windtunnel.backend")

ErrorReason = Literal["store", "memory", "unknown"]
"""Why an error degrades (RT-X2); the other reasons are those of a health check."""
Listener = Callable[[bool], None]


class Degradation:
    """Whether the router is degraded: by health checks, or by an error until three good ones.

    It is so until the first check (`known` is False until then). A change is noted
    (`router.degraded`, `router.recovered`), logged and told to the listeners at once, and stored
    by the next `save`: a store that is down must not delay the switch. Instants in nanoseconds.
    """

    def __init__(self, state: LinkState, store: Store, note: Note, options: RouterOptions) -> None:
        self._state = state
        self._store = store
        self._note = note
        self._machine = HealthMachine(options)
        self._listeners: list[Listener] = []
        self._since: int | None = None
        self._total = 0
        self.reason: str | None = None
        """What began this degradation; None when there is none."""
        self.known = False
        """Whether anything has been looked at since the start."""
        self._emergency = 0

    @property
    def degraded(self) -> bool:
        """Whether the router takes the inside as not there."""
        return not self._machine.healthy

    @property
    def emergency(self) -> bool:
        """Whether no new tasks are to be taken, until the third check after memory ran out.

        However the inside fares by then: tasks may have to go outside.
        """
        return self._emergency > 0

    @property
    def since(self) -> int | None:
        """When this degradation was detected; None when there is none."""
        return self._since

    def degraded_ns(self, at: int) -> int:
        """Return how long the router was degraded, up to `at`, from its first check on."""
        return self._total + (0 if self._since is None else at - self._since)

    def listen(self, listener: Listener) -> None:
        """Have `listener(degraded)` called with each change, at its instant."""
        self._listeners.append(listener)

    def check(self) -> None:
        """Take a health check of the link's state as it is now."""
        at = now_ns()
        self._emergency = max(0, self._emergency - 1)
        self._take(self._machine.check(self._state.seen(at), at), at)

    def immediate(self, reason: Reason) -> None:
        """Take a trigger that was seen between two checks."""
        self._take(self._machine.immediate(reason), now_ns())

    def error(self, reason: ErrorReason) -> None:
        """Take an error that degrades (RT-X2): three good checks after the last of them end it."""
        if reason == "memory":
            self._emergency = RECOVERY_CHECKS
        # To the machine a reason is a name: it counts checks anew, whatever it is called.
        self._take(self._machine.immediate(cast("Reason", reason)), now_ns())

    def _take(self, change: Change | None, at: int) -> None:
        self.known = True
        if change is None:
            return
        if change.kind == "degraded":
            self._begin(str(change.reason), at)
        else:
            self._end(at)
        for listener in tuple(self._listeners):
            listener(self.degraded)

    def _begin(self, reason: str, at: int) -> None:
        self._state.health = "degraded"
        self._since = at
        self.reason = reason
        logger.warning("degraded: %s; link and capacity: %s", reason, self._state.seen(at))
        self._note("router.degraded", "", {"reason": reason, "after": now_ns() - at})

    def _end(self, at: int) -> None:
        self._state.health = "healthy"
        if self._since is not None:
            after = at - self._since
            self._total += after
            logger.info("recovered after %g s", to_seconds(after))
            self._note("router.recovered", "", {"after": after})
        self._since = None
        self.reason = None

    async def restore(self) -> None:
        """Go on with a degradation that a former life had stored; raises `StoreError`.

        Without a note: it began then, and three good checks from now on end it. Nothing happens
        once something has been looked at.
        """
        stored = await saved_state.health_of(self._store)
        if stored is None or self.known or stored["health"] != "degraded":
            return
        self._since, self.reason = min(int(stored["since"]), now_ns()), str(stored["reason"])
        self.known = True
        self._machine.immediate(cast("Reason", self.reason))

    async def save(self) -> None:
        """Store link, capacity and health as they are (RT-H3); raises `StoreError`."""
        health = {"health": self._state.health, "reason": self.reason, "since": self._since}
        known = health if self.known else None
        await saved_state.save(self._store, self._state, known, now_ns())
