"""Quiet: waiting until nothing is queued or running, for at most so long (UI-Q9)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Quiet:
    """Who waits for a scheduler to be quiet; `outstanding()` is how much is queued or running."""

    __slots__ = ("_outstanding", "_waiting")

    def __init__(self, outstanding: Callable[[], int]) -> None:
        self._outstanding = outstanding
        self._waiting: list[asyncio.Future[bool]] = []

    async def wait(self, timeout: float) -> bool:
        """Return True once nothing is outstanding, False after `timeout` seconds.

        At the instant of the time-out what is outstanding then decides.
        """
        if not self._outstanding():
            return True
        loop = asyncio.get_running_loop()
        quiet: asyncio.Future[bool] = loop.create_future()
        timer = loop.call_later(max(0.0, timeout), self._give_up, quiet)
        self._waiting.append(quiet)
        try:
            return await quiet
        finally:
            timer.cancel()
            self._waiting.remove(quiet)

    def tell(self) -> None:
        """Let the waiting go on if nothing is outstanding; called when something has ended."""
        if self._waiting and not self._outstanding():
            for quiet in self._waiting:
                if not quiet.done():
                    quiet.set_result(True)

    def _give_up(self, quiet: asyncio.Future[bool]) -> None:
        if not quiet.done():
            quiet.set_result(not self._outstanding())
