"""The least that a scheduler can have: `enqueue(action)`, and a pause that cannot be chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class PlainQueue:
    """Runs one action at a time, first come first served, and pauses after each."""

    def __init__(self, send_delay_ms: float = 3000) -> None:
        self._pause = send_delay_ms / 1000
        self._turn = asyncio.Lock()

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def enqueue(self, action: Callable[[], Awaitable[object]]) -> object:
        async with self._turn:
            try:
                return await action()
            finally:
                await asyncio.sleep(self._pause)
