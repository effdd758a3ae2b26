"""The periodic loop of a background service: a turn every so often, whatever the last one did.

Imports errors, who acts and cancellation.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from windtunnel.acting import on_behalf
from windtunnel.errors import world_error_in
from windtunnel.services import cancellation

logger = logging.getLogger("windtunnel.background")

TURN_S: Final = 120.0
"""The bound of one turn: no background service hangs."""
STOP_S: Final = 5.0
"""How long `stop` waits for a turn that ignores its cancellation."""

Turn = Callable[[], Awaitable[object]]


class Periodic:
    """Runs `turn` at once and then every `period_s` seconds, as the actor `name`.

    Turns are numbered from 0, and the number is in the operation's id: `login_guard.3`. One that
    takes longer than the period makes the next ones late, never two at once; one that raises is
    logged and the next comes all the same.
    """

    def __init__(self, name: str, turn: Turn, period_s: float) -> None:
        if not period_s > 0:
            raise ValueError(f"the period of {name} must be over 0 s, not {period_s!r}")
        self._name = name
        self._turn = turn
        self._period_s = period_s
        self._number = 0
        self._task: asyncio.Task[None] | None = None

    def running(self) -> bool:
        """Tell whether the loop runs."""
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        """Begin; nothing happens if it runs already."""
        if not self.running():
            self._task = asyncio.get_running_loop().create_task(self._run(), name=self._name)

    async def stop(self) -> None:
        """End the loop and the turn that runs; returns within `STOP_S` seconds."""
        task, self._task = self._task, None
        if task is None or task.done():
            return
        task.cancel()
        await asyncio.wait({task}, timeout=STOP_S)
        if not task.done():
            logger.error("%s ignores its cancellation; left alone", self._name)

    async def once(self) -> None:
        """Take one turn now, in the order of the others; raises what it raises."""
        number = self._number
        self._number += 1
        with on_behalf(f"{self._name}.{number}", "probe", self._name):
            async with asyncio.timeout(TURN_S):
                await self._turn()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        # A turn may have swallowed the cancellation: a loop that is no longer the one ends.
        while asyncio.current_task() is self._task:
            began = loop.time()
            try:
                await self.once()
            except (Exception, asyncio.CancelledError) as error:
                if (broken := world_error_in(error)) is not None:
                    raise broken from None  # the world cannot go on: nothing to survive
                if self._has_ended(error):
                    raise
                logger.exception("a turn of %s failed", self._name)
            await asyncio.sleep(max(0.0, self._period_s - (loop.time() - began)))

    def _has_ended(self, error: BaseException) -> bool:
        """Tell whether an error is the end of the loop, not of its turn alone.

        Not by `is_own` where it is no cancellation: on 3.11 and 3.12 a task counts as cancelled
        after a `TaskGroup` in it has failed.
        """
        stopped = asyncio.current_task() is not self._task
        return stopped or (isinstance(error, asyncio.CancelledError) and cancellation.is_own())
