"""Cancellation: the running task's own is told from that of what it waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from windtunnel.services import cancellation

Run = Callable[[Coroutine[Any, Any, None]], None]


def test_own_and_another_s(run_on_both: Run) -> None:
    seen: list[bool] = []

    async def wait(future: asyncio.Future[None]) -> None:
        try:
            await future
        except asyncio.CancelledError:
            seen.append(cancellation.is_own())

    async def main() -> None:
        loop = asyncio.get_running_loop()
        gone = loop.create_future()
        gone.cancel()
        await wait(gone)
        task = asyncio.ensure_future(wait(loop.create_future()))
        await asyncio.sleep(0)
        task.cancel()
        await task

    run_on_both(main())
    assert seen == [False, True]


def test_outside_a_task_nobody_is_asked_to_end(run: Run) -> None:
    seen: list[bool] = []

    async def main() -> None:
        asyncio.get_running_loop().call_soon(lambda: seen.append(cancellation.is_own()))
        await asyncio.sleep(1)

    run(main())
    assert seen == [False]
