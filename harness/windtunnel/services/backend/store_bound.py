"""The bound of a call of the store: one that hangs is one that is down (RT-X2).

Imports the store port.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, Final, TypeVar

from windtunnel.ports.store import StoreError

T = TypeVar("T")

STORE_S: Final = 5.0
"""A store that has not answered within so long counts as down."""
ROUNDED_S: Final = 1e-6
"""A timer may be early by its rounding."""


class StoreSilentError(StoreError):
    """The store did not answer in time: a commit may have been made, or may not."""


class StoreBound:
    """Bounds calls of a store that are made one after the other, by one timer for many of them.

    `asyncio.timeout` sets one for each, which costs more than a commit.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self._due = 0.0
        self._armed = False
        self._late = False

    async def wait(self, call: Awaitable[T]) -> T:
        """Wait for a call; raises `StoreSilentError` where it is not answered in time."""
        task = asyncio.current_task()
        assert task is not None, "a coroutine of the backend runs in a task"
        loop, asked = asyncio.get_running_loop(), task.cancelling()
        self._task, self._due, self._late = task, loop.time() + STORE_S, False
        if not self._armed:
            self._arm(loop)
        try:
            return await call
        except asyncio.CancelledError:
            if self._late and task.cancelling() <= asked + 1:
                raise _silent() from None
            raise
        finally:
            self._task = None
            if self._late:
                task.uncancel()

    def _arm(self, loop: asyncio.AbstractEventLoop) -> None:
        self._armed = True
        loop.call_at(self._due, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cut short the call that waits, if its time is up: the timer may be an earlier one's."""
        self._armed = False
        if self._task is None:
            return
        if self._due - loop.time() > ROUNDED_S:
            self._arm(loop)
        else:
            self._late = True
            self._task.cancel()


async def bounded(call: Awaitable[T]) -> T:
    """Wait for a call of the store; raises `StoreSilentError` where it does not answer in time."""
    return await StoreBound().wait(call)


def _silent() -> StoreSilentError:
    return StoreSilentError(f"the store does not answer within {STORE_S:g} s")
