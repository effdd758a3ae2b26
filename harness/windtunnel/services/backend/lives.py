"""The lives: how often the backend was started after it had crashed (RT-X3).

Imports the store port and the units.
"""

from __future__ import annotations

import json
from typing import Any, Final

from windtunnel.ports.store import Put, Store
from windtunnel.services.clock import now_ns
from windtunnel.units import HOUR

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
        text = await self._store.get(LIVES, LIVES)
        before: dict[str, Any] = {} if text is None else json.loads(text)
        self._crashes = list(before.get("crashes", ()))
        if before.get("running"):
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
