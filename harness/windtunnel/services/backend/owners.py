"""The owners: are told what became of their tasks, once it is stored.

What they have not been told when the backend crashes they are told by its next life (`untold`).
Imports the answer and the ledger.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from windtunnel.errors import WorldError
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.ledger import Ledger

logger = logging.getLogger("windtunnel.backend")

TELL_S: Final = 30.0
"""An owner who does not listen for so long is told later."""
AGAIN_S: Final = 1.0
AGAIN_MOST_S: Final = 60.0
"""Later: after 1 s, and twice as long each time, up to a minute."""
PATIENCE_S: Final = 0.1
"""Where what is to be told has not been by then, others are told beside who does not listen."""
AT_ONCE: Final = 64
"""So many are told at once then."""
AGAIN_AT_ONCE: Final = AT_ONCE // 2
"""No more of them than this are told again: the others are for what is new."""

Tell = Callable[[Answer], Awaitable[None]]
"""Tells the owner of a task."""


class Owners:
    """Tells each answer of the ledger's outbox.

    In the order in which tasks ended as long as all listen. One who does not is waited for beside
    the others, and told again later and later; what is new goes first.
    """

    def __init__(self, ledger: Ledger, tell: Tell) -> None:
        self._ledger = ledger
        self._tell = tell
        self._changed = asyncio.Event()
        self._new: deque[Answer] = deque()
        self._again: deque[Answer] = deque()
        self._tellers = 0
        self._telling_again = 0
        self._failures: dict[str, int] = {}

    def wake(self) -> None:
        """Take it that there may be something to tell."""
        self._changed.set()

    async def run(self) -> None:
        """Tell until cancelled."""
        self._new.clear()
        self._again.clear()
        self._ledger.news = deque(self._ledger.untold.values())
        async with asyncio.TaskGroup() as group:
            while True:
                self._changed.clear()
                if self._ledger.news:
                    await self._take_news()
                self._hire(group, 1)
                if not await self._wait():
                    self._hire(group, AT_ONCE)

    async def _take_news(self) -> None:
        """Take what is new, once it is stored: not what comes meanwhile."""
        news, self._ledger.news = self._ledger.news, deque()
        await self._ledger.journal.stored()
        self._new.extend(news)

    def _hire(self, group: asyncio.TaskGroup, most: int) -> None:
        """Have up to so many tellers for what is to be told; each goes on to the end of it."""
        for _ in range(min(self._to_tell, most - self._tellers)):
            self._tellers += 1
            group.create_task(self._tell_all())

    async def _wait(self) -> bool:
        """Wait for a change; False: none came, while there is something to tell."""
        if not self._to_tell or self._tellers >= AT_ONCE:
            await self._changed.wait()
            return True
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def _tell_all(self) -> None:
        try:
            while self._to_tell:
                if self._new:
                    await self._told(self._new.popleft())
                else:
                    await self._told_again(self._again.popleft())
            await self._ledger.journal.keep()
        finally:
            self._tellers -= 1

    @property
    def _to_tell(self) -> int:
        """How many may be told now, by one more teller or by many."""
        again = min(len(self._again), AGAIN_AT_ONCE - self._telling_again)
        return len(self._new) + again

    async def _told_again(self, answer: Answer) -> None:
        self._telling_again += 1
        try:
            await self._told(answer)
        finally:
            self._telling_again -= 1

    async def _told(self, answer: Answer) -> None:
        """Tell one answer, or have it told again later."""
        if answer.id not in self._ledger.untold:
            return
        try:
            async with asyncio.timeout(TELL_S):
                await self._tell(answer)
        except WorldError:
            raise
        except Exception:
            logger.exception("the owner of %s could not be told", answer.id)
            self._tell_later(answer)
        else:
            self._failures.pop(answer.id, None)
            self._ledger.told(answer.id)

    def _tell_later(self, answer: Answer) -> None:
        failures = self._failures[answer.id] = self._failures.get(answer.id, 0) + 1
        pause = min(AGAIN_S * 2 ** (failures - 1), AGAIN_MOST_S)
        asyncio.get_running_loop().call_later(pause, self._is_due, answer)

    def _is_due(self, answer: Answer) -> None:
        self._again.append(answer)
        self._changed.set()
