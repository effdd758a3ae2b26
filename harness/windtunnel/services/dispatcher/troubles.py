"""The troubles: what has gone wrong with the dispatcher itself, and what that stops (RT-X2).

Imports the classes of errors, survival, the clock, the note and the ports' errors.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from windtunnel.policies.router.error_classes import ERROR_CLASSES, ErrorKind
from windtunnel.ports.network import NetworkError
from windtunnel.ports.store import StoreError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.alarms import Alarm, Alarms
from windtunnel.services.note import Note
from windtunnel.services.survival import survive
from windtunnel.units import MINUTE, SECOND

logger = logging.getLogger("windtunnel.dispatcher")

EMERGENCY: Final = MINUTE
"""How long after the last failure to get memory no new tasks are taken."""
LOOK_AGAIN: Final = SECOND
"""How often a store that is down is looked at (ns)."""

_KINDS: Final[tuple[tuple[type[BaseException], ErrorKind], ...]] = (
    (StoreError, ErrorKind.STORE_DOWN),
    (MemoryError, ErrorKind.OUT_OF_MEMORY),
    (TimeoutError, ErrorKind.NETWORK_TIMEOUT),
    (NetworkError, ErrorKind.NETWORK_TIMEOUT),
)


class Troubles:
    """What goes wrong, by class. The store counts as down until it was read for the first time."""

    def __init__(self, alarms: Alarms, note: Note) -> None:
        self.store_down = True
        self._alarms = alarms
        self._note = note
        self._store_noted = False
        self._emergency_until = 0

    def met(self, error: BaseException) -> None:
        """Take in an error, and do what its class asks for (RT-X2)."""
        kind = next((kind for type_, kind in _KINDS if isinstance(error, type_)), ErrorKind.UNKNOWN)
        if kind is ErrorKind.UNKNOWN:
            logger.error("an unknown error is passed over", exc_info=error)
        if kind is ErrorKind.OUT_OF_MEMORY:
            self._emergency_until = now_ns() + EMERGENCY
        if kind is not ErrorKind.STORE_DOWN:
            self.note(kind)
        elif not self._store_noted:
            self.store_down = self._store_noted = True
            self.note(kind)
            self._alarms.set(Alarm.STORE, now_ns() + LOOK_AGAIN)

    def store_back(self) -> None:
        """Take in that the store answers."""
        self.store_down = self._store_noted = False

    def note(self, kind: ErrorKind) -> None:
        """Note an error of a class that is met elsewhere."""
        row = ERROR_CLASSES[kind]
        details = {
            "error": kind.value,
            "severity": row.severity,
            "reaction": row.reaction,
            "party": "dispatcher",
        }
        self._note("error.met", "", details)

    def refuse(self) -> str | None:
        """Return why no new task can be taken now, or None."""
        if self.store_down:
            return "the store is down"
        if self._emergency_until and now_ns() < self._emergency_until:
            return "out of memory"
        return None

    async def supervise(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do a service's work, again whenever it fails, until cancelled."""
        await survive(work, self.met)
