"""Survival: a service that fails is run again, and nothing else ends with it (RT-X2).

Imports errors and cancellation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from windtunnel.errors import world_error_in
from windtunnel.services import cancellation

AGAIN_S: Final = 1.0
"""After which a service that failed is run again."""


async def survive(
    work: Callable[[], Awaitable[None]], met: Callable[[BaseException], None]
) -> None:
    """Run a service, again a second after each error, until this is cancelled.

    `met` is told of each error; the world's is raised, alone where it came in a group. Each run is
    a task of its own: on 3.11 and 3.12 a task counts as cancelled after a `TaskGroup` in it has
    failed, and so the error would pass for the end.
    """
    loop, name = asyncio.get_running_loop(), _name()
    while True:
        try:
            await loop.create_task(_run(work), name=name)
        except (Exception, asyncio.CancelledError) as error:
            if (broken := world_error_in(error)) is not None:
                raise broken from None  # the world cannot go on: nothing to survive
            if cancellation.is_own():
                raise
            met(error)
        if cancellation.is_own():
            raise asyncio.CancelledError  # the service ended without a word when it was cancelled
        await asyncio.sleep(AGAIN_S)


async def _run(work: Callable[[], Awaitable[None]]) -> None:
    await work()


def _name() -> str:
    task = asyncio.current_task()
    return "" if task is None else task.get_name()
