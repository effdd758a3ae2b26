"""The lives: how often the backend was started after it had crashed (RT-X3).

Imports the store port and its bound, the unreadable and the units.
"""

from __future__ import annotations

import json
import logging
from typing import Final

from windtunnel.ports.store import Put, Store
from windtunnel.services.clock import now_ns
from windtunnel.services.unreadable import ERRORS
from windtunnel.units import HOUR

logger = logging.getLogger("windtunnel.backend")

LIVES: Final = "lives"
"""Table of the backend's store, with one entry of the same name."""
KEPT: Final = 100
"""No more crashes than this are remembered."""


class Lives:
    """Reads from the store whether the life before ended in order; instants in nanoseconds."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._crashes: list[int] = []

    async def began(self) -> None:
        """Note that a life begins, and a crash if the one before never ended.

        Raises `StoreError`.
        """
        running, self._crashes = _read(await self._store.get(LIVES, LIVES))
        if running:
            self._crashes = [*self._crashes, now_ns()][-KEPT:]
        await self._write(running=True)

    async def ended(self) -> None:
        """Note that this life ends in order; raises `StoreError`."""
        await self._write(running=False)

    def crashes(self, at: int) -> int:
        """Return how many crashes of the last hour are known, up to `at`."""
        return sum(at - HOUR < crash for crash in self._crashes)

    async def _write(self, *, running: bool) -> None:
        text = json.dumps({"running": running, "crashes": self._crashes})
        await self._store.commit([Put(LIVES, LIVES, text)])


def _read(text: str | None) -> tuple[bool, list[int]]:
    """Return whether a life runs and the crashes; what cannot be read says nothing of either."""
    try:
        before = json.loads(text or "{}")
        return bool(before.get("running")), [int(at) for at in before.get("crashes", ())]
    except ERRORS as error:
        logger.error("the lives before cannot be read: %r", error)  # noqa: TRY400 - no traceback: the reason says it
        return False, []
