"""The watchdog: looks whether WeChat is there, and ends one that is not (UI-W1 to UI-W4).

Imports ports, policies, periodic loops and notes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

from windtunnel.policies.ui.failed_looks import FailedLooks
from windtunnel.ports import Desktop, Processes
from windtunnel.services import cancellation
from windtunnel.services.bridge.settings import DRAIN_S, WATCHDOG_WINDOW_S
from windtunnel.services.note import Note, ignore
from windtunnel.services.periodic import Periodic

logger = logging.getLogger("windtunnel.watchdog")

DRAIN_GRACE_S: Final = 1.0
"""How much longer than its own time-out a drain may take before it is given up."""


@runtime_checkable
class Drainable(Protocol):
    """What the watchdog needs of a scheduler."""

    async def drain(self, timeout: float) -> bool:
        """Wait until nothing is queued or running; False after `timeout` seconds."""

    def mark_wechat_dead(self, duration_sec: float) -> None:
        """Fail everything but CRITICAL for so many seconds."""

    def pending_count(self) -> int:
        """Return how many actions are queued."""


def _nobody() -> None:
    """Tell nobody of a kill."""


class WeChatWatchdog:
    """Looks every `period_s` seconds, and acts on a WeChat that is taken for dead.

    `drain_s` and `window_s` are seconds. Without a scheduler it ends WeChat at once (UI-W4);
    without a desktop it looks at the process alone. `killed()` is called after a kill.
    """

    def __init__(  # noqa: PLR0913 - figures, each given by its name
        self,
        scheduler: Drainable | None,
        processes: Processes,
        desktop: Desktop | None = None,
        *,
        drain_s: float = DRAIN_S,
        window_s: float = WATCHDOG_WINDOW_S,
        period_s: float = 10.0,
        process: str = "wechat",
        killed: Callable[[], None] = _nobody,
        note: Note = ignore,
    ) -> None:
        self._scheduler = scheduler
        self._processes = processes
        self._desktop = desktop
        self._drain_s = drain_s
        self._window_s = window_s
        self._process = process
        self._killed = killed
        self._note = note
        self._looks = FailedLooks()
        self.loop = Periodic("watchdog", self.turn, period_s)

    async def turn(self) -> None:
        """Look, and act after two failed looks in a row (UI-W1)."""
        if await self.look():
            await self.act()

    async def look(self) -> bool:
        """Look once, without any lock; return whether it is time to act. A look that raises failed.

        Read-only (UI-C2).
        """
        alive = await self._alive()
        self._note("watchdog.looked", "", {"alive": alive})
        return self._looks.look(alive=alive)

    async def _alive(self) -> bool:
        try:
            if not await self._processes.find(self._process):
                return False
            window = None if self._desktop is None else await self._desktop.window()
        except Exception:
            logger.exception("cannot look for %s", self._process)
            return False
        return self._desktop is None or (window is not None and window.mapped)

    async def act(self) -> bool:
        """Drain, open the window, send SIGTERM; return whether the drain emptied the queue.

        Kills all the same when it did not, after a warning with the number pending (UI-W2), and
        tells of the kill (UI-W6).
        """
        self._note("watchdog.acted", "", {"failed": self._looks.failed})
        self._looks.reset()
        drained = await self._drained()
        if self._scheduler is not None:
            self._scheduler.mark_wechat_dead(self._window_s)
        pids = await self._processes.find(self._process)
        try:
            for pid in pids:
                await self._processes.terminate(pid)
        finally:
            if pids:  # a command that fails may have sent its signal all the same
                self._killed()
        return drained

    async def _drained(self) -> bool:
        if self._scheduler is None:
            return True
        drained = False
        try:
            async with asyncio.timeout(self._drain_s + DRAIN_GRACE_S):
                drained = await self._scheduler.drain(self._drain_s)
        except (Exception, asyncio.CancelledError):
            if cancellation.is_own():
                raise
            logger.exception("the drain failed")
        if not drained:
            pending = self._scheduler.pending_count()
            logger.warning("killing %s with %d actions pending", self._process, pending)
        return drained
