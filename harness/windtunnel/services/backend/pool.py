"""The pool: work on items in order, so many at once (F-R7). Imports errors, cancellation."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Generic, TypeVar

from windtunnel.errors import world_error_in
from windtunnel.services import cancellation

T = TypeVar("T")


Met = Callable[[BaseException], None]
"""Told of an error."""


class Pool(Generic[T]):
    """Runs `work(item)` for each item, `at_once` of them at most, in tasks of a group.

    Whatever `work` raises, the other items are worked on; where nobody meets it, it ends the group.
    """

    def __init__(self, work: Callable[[T], Awaitable[object]], at_once: int) -> None:
        self._work = work
        self._at_once = at_once
        self._items: deque[T] = deque()
        self._workers = 0
        self._group: asyncio.TaskGroup | None = None
        self._met: Met | None = None

    @property
    def under_way(self) -> int:
        """How many items are worked on or are still to be."""
        return len(self._items) + self._workers

    def start(self, group: asyncio.TaskGroup, met: Met | None = None) -> None:
        """Work in the tasks of this group, from now on; `met` is told of what `work` raises."""
        self._group = group
        self._met = met
        self._hire()

    def put(self, items: Iterable[T]) -> None:
        """Add items; what comes before the start waits for it."""
        self._items.extend(items)
        self._hire()

    def _hire(self) -> None:
        """Make workers for what waits; each goes on to the end of the items: no task for each."""
        if self._group is None:
            return
        for _ in range(min(len(self._items), self._at_once - self._workers)):
            self._workers += 1
            self._group.create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._items:
                try:
                    await self._work(self._items.popleft())
                except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - it is met
                    self._meet(error)
        finally:
            self._workers -= 1

    def _meet(self, error: BaseException) -> None:
        """Have an error met; raises it where it is the end, or the world's."""
        if self._met is None or world_error_in(error) is not None or cancellation.is_own():
            raise error
        self._met(error)
