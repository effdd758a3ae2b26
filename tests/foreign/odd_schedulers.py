"""Schedulers that are wrong, each in one way; `Plain` beside them is right."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

Action = Callable[[], Awaitable[object]]


class Plain:
    """One worker, first in first out; knows neither priorities nor a dead window."""

    def __init__(self, send_delay_ms: float = 3000) -> None:
        self._pause = send_delay_ms / 1000
        self._queue: asyncio.Queue[tuple[Action, asyncio.Future[object]]] = asyncio.Queue()
        self._taken = 0

    async def start(self) -> None:
        self._worker = asyncio.create_task(self._work())

    async def stop(self) -> None:
        self._worker.cancel()

    def pending_count(self) -> int:
        return self._queue.qsize()

    async def drain(self, timeout: float) -> bool:
        await asyncio.sleep(0)
        return not self._queue.qsize()

    def mark_wechat_dead(self, duration_sec: float) -> None: ...

    def execute(
        self,
        action: Action,
        priority: int = 2,
        delay_ms: float | None = None,
        wait_timeout_ms: float | None = None,
    ) -> Any:
        done = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((action, done))
        return done

    async def _work(self) -> None:
        while True:
            action, done = await self._queue.get()
            self._taken += 1
            await self._perform(action, done)
            await asyncio.sleep(self._pause)

    async def _perform(self, action: Action, done: asyncio.Future[object]) -> None:
        try:
            result = await self._run(action)
        except Exception as error:  # noqa: BLE001 - the caller gets it
            if not done.done():
                done.set_exception(error)
        else:
            if not done.done():
                done.set_result(result)

    async def _run(self, action: Action) -> object:
        return await action()


class Coroutine(Plain):
    """Right too: what it returns submits only once it is awaited."""

    async def execute(
        self,
        action: Action,
        priority: int = 2,
        delay_ms: float | None = None,
        wait_timeout_ms: float | None = None,
    ) -> Any:
        return await Plain.execute(self, action)


class RunsTwice(Plain):
    """Runs every action a second time."""

    async def _run(self, action: Action) -> object:
        await action()
        return await action()


class Loses(Plain):
    """Forgets its second action."""

    async def _perform(self, action: Action, done: asyncio.Future[object]) -> None:
        if self._taken != 2:
            await super()._perform(action, done)


class NeverTells(Plain):
    """Runs all and answers nobody."""

    async def _perform(self, action: Action, done: asyncio.Future[object]) -> None:
        await action()


class TellsEarly(Plain):
    """Says that an action is done before it has begun."""

    async def _perform(self, action: Action, done: asyncio.Future[object]) -> None:
        done.set_result(None)
        await action()


class Swallows(Plain):
    """Says that an action is done which has failed."""

    async def _run(self, action: Action) -> object:
        try:
            return await action()
        except Exception:  # noqa: BLE001 - that is what is wrong with it
            return None


class NeverAwaits(Plain):
    """Makes the action and does not wait for it."""

    async def _run(self, action: Action) -> object:
        action().close()  # type: ignore[attr-defined] # no warning of it
        return None


class Dies(Plain):
    """Its worker is gone after the first action."""

    async def _run(self, action: Action) -> object:
        if self._taken > 1:
            raise asyncio.CancelledError
        return await action()


class TwoWorkers(Plain):
    """Has two workers on one display."""

    async def start(self) -> None:
        await super().start()
        self._other = asyncio.create_task(self._work())

    async def stop(self) -> None:
        await super().stop()
        self._other.cancel()
