"""What the tests of the UI worker share: a clock, actions, answers, both schedulers started.

In a folder on the path, since test modules cannot import one another.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from windtunnel.errors import BridgeError
from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler

Run = Callable[[Coroutine[Any, Any, None]], None]


def now() -> float:
    return asyncio.get_running_loop().time()


def sleeping(seconds: float, result: object = None) -> Callable[[], Awaitable[object]]:
    return lambda: asyncio.sleep(seconds, result)


def raise_(error: BaseException) -> Callable[[], object]:
    def factory() -> object:
        raise error

    return factory


def raise_later(error: BaseException) -> Callable[[], Awaitable[object]]:
    async def act() -> object:
        await asyncio.sleep(0)
        raise error

    return act


def code_of(answer: asyncio.Future[Any]) -> tuple[str, Any]:
    """Give the code and the phase that the caller was told."""
    error = answer.exception()
    assert isinstance(error, BridgeError)
    return error.code, error.details.get("phase")


async def started(
    delay_ms: float = 0, rate: int = 100, size: int = 100, kind: type[Any] = UIActionScheduler
) -> Any:
    scheduler = kind(delay_ms, rate, size)
    await scheduler.start()
    return scheduler


both_kinds = pytest.mark.parametrize("kind", [UIActionScheduler, SendQueue])
