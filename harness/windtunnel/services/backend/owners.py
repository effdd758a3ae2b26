"""The owners: are told what became of their tasks, once it is stored.

What they have not been told when the backend crashes they are told by its next life (`untold`).
Imports the answer and the ledger.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from windtunnel.errors import WorldError
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.ledger import Ledger

logger = logging.getLogger("windtunnel.backend")

TELL_S: Final = 30.0
"""An owner who does not listen for so long is told later."""
AGAIN_S: Final = 1.0

Tell = Callable[[Answer], Awaitable[None]]
"""Tells the owner of a task; awaited before the next one is told."""


class Owners:
    """Tells each answer of the ledger's outbox, in the order in which tasks ended."""

    def __init__(self, ledger: Ledger, tell: Tell) -> None:
        self._ledger = ledger
        self._tell = tell
        self._news = asyncio.Event()

    def wake(self) -> None:
        """Take it that there may be something to tell."""
        self._news.set()

    async def run(self) -> None:
        """Tell until cancelled."""
        while True:
            if not self._ledger.untold:
                self._news.clear()
                await self._news.wait()
            answers = tuple(self._ledger.untold.values())
            await self._ledger.journal.stored()  # these: not what comes meanwhile
            all_told = True
            for answer in answers:
                all_told = await self._told(answer) and all_told
            await self._ledger.journal.keep()
            if not all_told:
                await asyncio.sleep(AGAIN_S)

    async def _told(self, answer: Answer) -> bool:
        """Tell one answer; False: it is to be told again."""
        try:
            async with asyncio.timeout(TELL_S):
                await self._tell(answer)
        except WorldError:
            raise
        except Exception:
            logger.exception("the owner of %s could not be told", answer.id)
            return False
        self._ledger.told(answer.id)
        return True
