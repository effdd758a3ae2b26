"""The UI lock L1: one command at a time on the display (UI-L1).

Imports who acts, units and notes.
"""

from __future__ import annotations

import asyncio

from windtunnel.acting import acting
from windtunnel.services.note import Note, ignore
from windtunnel.units import from_seconds


class UILock:
    """First come, first served; held for one command, which the port bounds by 5 s.

    Notes `lock.waited` when a command had to wait.
    """

    __slots__ = ("_lock", "_note", "_waiting")

    def __init__(self, note: Note = ignore) -> None:
        self._lock = asyncio.Lock()
        self._note = note
        self._waiting = 0

    def locked(self) -> bool:
        """Tell whether somebody holds it."""
        return self._lock.locked()

    async def acquire(self) -> int:
        """Wait for the lock and take it; return the nanoseconds that this took."""
        # A lock that is free may be promised: to one that waited and has not run yet.
        if not self._waiting and not self._lock.locked():
            await self._lock.acquire()
            return 0
        return await self._wait()

    async def _wait(self) -> int:
        loop = asyncio.get_running_loop()
        asked = loop.time()
        self._waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self._waiting -= 1
        waited = from_seconds(loop.time()) - from_seconds(asked)
        if waited:
            who = acting.get()
            self._note("lock.waited", "" if who is None else who.op, {"waited": waited})
        return waited

    def release(self) -> None:
        """Give the lock back; raises `RuntimeError` when nobody holds it."""
        self._lock.release()

    async def __aenter__(self) -> int:
        """Take the lock; the value is the nanoseconds waited for it."""
        return await self.acquire()

    async def __aexit__(self, *error: object) -> None:
        self._lock.release()
