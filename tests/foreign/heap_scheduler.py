"""A scheduler in somebody else's style: a heap of tickets, an event, one worker."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from itertools import count

Action = Callable[[], Awaitable[object]]


class HeapScheduler:
    """Runs one action at a time, the most urgent first, and pauses after each."""

    def __init__(self, send_delay_ms: float = 3000) -> None:
        self._pause = send_delay_ms / 1000
        self._heap: list[tuple[int, int, Action, asyncio.Future[object]]] = []
        self._tickets = count()
        self._filled = asyncio.Event()

    async def start(self) -> None:
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        self._worker.cancel()
        for *_, done in self._heap:
            done.cancel()

    def enqueue(self, action: Action, priority: int = 2) -> asyncio.Future[object]:
        done = asyncio.get_running_loop().create_future()
        heapq.heappush(self._heap, (priority, next(self._tickets), action, done))
        self._filled.set()
        return done

    async def _work(self) -> None:
        while await self._filled.wait():
            *_, action, done = heapq.heappop(self._heap)
            if not self._heap:
                self._filled.clear()
            if not done.cancelled():
                await self._run(action, done)
                await asyncio.sleep(self._pause)

    async def _run(self, action: Action, done: asyncio.Future[object]) -> None:
        try:
            result = await action()
            if not done.cancelled():
                done.set_result(result)
        except Exception as error:  # noqa: BLE001 - the caller gets it
            if not done.cancelled():
                done.set_exception(error)
        finally:
            done.cancel()  # does nothing to a caller that was answered
