"""The watchdog's remedy: drain, open the dead window, end WeChat (UI-W2, UI-W3)."""

from __future__ import annotations

import logging
from typing import Protocol

from windtunnel.ports import Processes

logger = logging.getLogger("windtunnel.watchdog")


class Drainable(Protocol):
    """What the watchdog needs of a scheduler."""

    async def drain(self, timeout: float) -> bool:
        """Wait until nothing is queued or running; False after `timeout` seconds."""

    def mark_wechat_dead(self, duration_sec: float) -> None:
        """Fail everything but CRITICAL for so many seconds."""

    def pending_count(self) -> int:
        """Return how many actions are queued."""


class WeChatWatchdog:
    """Acts on a WeChat that is taken for dead.

    `drain_s` and `window_s` are seconds. Without a scheduler it ends WeChat at once (UI-W4).
    """

    def __init__(
        self,
        scheduler: Drainable | None,
        processes: Processes,
        *,
        drain_s: float = 5.0,
        window_s: float = 15.0,
        process: str = "wechat",
    ) -> None:
        self._scheduler = scheduler
        self._processes = processes
        self._drain_s = drain_s
        self._window_s = window_s
        self._process = process

    async def act(self) -> bool:
        """Drain, open the window, send SIGTERM; return whether the drain emptied the queue.

        Kills all the same when it did not, after a warning with the number pending (UI-W2).
        """
        drained = True
        if self._scheduler is not None:
            drained = await self._scheduler.drain(self._drain_s)
            if not drained:
                pending = self._scheduler.pending_count()
                logger.warning("killing %s with %d actions pending", self._process, pending)
            self._scheduler.mark_wechat_dead(self._window_s)
        for pid in await self._processes.find(self._process):
            await self._processes.terminate(pid)
        return drained
