"""Autostart: what brings a killed WeChat back (UI-F2), by the event loop's own timers.

Imports the times that both worlds have in common.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from random import Random

from windtunnel.machine.autostart_times import AutostartTimes, Hold
from windtunnel.spans import Span
from windtunnel.units import from_seconds, to_seconds

Start = Callable[[], Awaitable[object] | None]


class Autostart:
    """Starts the application so that its window is back `after` its end, drawn each time.

    `start_up` (ns) is what the application needs to show its window: it is started that much
    earlier, but never before its end. `after` None: nothing brings it back. `start` starts it, at
    the call or once what it returns is over. All is called in the running loop.
    """

    def __init__(self, after: Span | None, start_up: int, stream: Random, start: Start) -> None:
        self._times = AutostartTimes(after, start_up, stream)
        self._start = start
        self._timer: asyncio.TimerHandle | None = None
        self._starting: asyncio.Task[None] | None = None

    def ended(self) -> None:
        """The application has ended: bring it back in time."""
        self._times.ended(self._now())
        self._wait()

    def started(self) -> None:
        """Somebody has started the application: nothing is left to do until it ends again."""
        self._times.started()
        self._stop_waiting()

    def hold(self, hold: Hold | None) -> None:
        """Let something else than the draw say when, from now on; None: the draw again."""
        if self._times.hold(hold):
            self._wait()

    @property
    def held(self) -> Hold | None:
        """What says when in the place of the draw."""
        return self._times.held

    def close(self) -> None:
        """Bring nothing back any more; a start that is under way is broken off."""
        self.started()
        if self._starting is not None:
            self._starting.cancel()

    def _now(self) -> int:
        return from_seconds(asyncio.get_running_loop().time())

    def _wait(self) -> None:
        self._stop_waiting()
        left = self._times.left(self._now())
        if left is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(to_seconds(left), self._due)

    def _stop_waiting(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def _due(self) -> None:
        self._timer = None
        self._times.started()  # it is on its way: what changes from now on comes too late
        starting = self._start()
        if inspect.isawaitable(starting):
            self._starting = asyncio.ensure_future(_finish(starting))
            self._starting.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._starting = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            told = {"message": "the autostart failed", "exception": error, "task": task}
            task.get_loop().call_exception_handler(told)


async def _finish(starting: Awaitable[object]) -> None:
    await starting
