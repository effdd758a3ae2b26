"""Autostart: what brings a killed WeChat back (UI-F2).

Imports simpy and the times that both worlds have in common. A process of the simulation waits,
after each end of the application, until the next one is due; what a fault changes while it waits
counts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from random import Random
from typing import Any

import simpy

from windtunnel.machine.autostart_times import AutostartTimes, Hold
from windtunnel.spans import Span
from windtunnel_models.loop.environment import SimEnvironment

__all__ = ["Autostart", "Hold"]


class Autostart:
    """Starts the application so that its window is back `after` its end, drawn each time.

    `start_up` (ns) is what the application needs to show its window: it is started that much
    earlier, but never before its end. `start` starts it.
    """

    def __init__(
        self,
        env: SimEnvironment,
        after: Span,
        start_up: int,
        stream: Random,
        start: Callable[[], None],
    ) -> None:
        self._env = env
        self._times = AutostartTimes(after, start_up, stream)
        self._start = start
        self._waiting: simpy.Process | None = None

    def ended(self) -> None:
        """The application has ended: bring it back in time."""
        self._waiting = self._env.process(self._wait())
        self._env.loop.mark_daemon(self._waiting)
        self._times.ended(self._env.now)

    def started(self) -> None:
        """Somebody has started the application: nothing is left to do until it ends again."""
        self._times.started()
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting.is_alive and self._env.active_process is not waiting:
            waiting.interrupt()

    def hold(self, hold: Hold | None) -> None:
        """Let something else than the draw say when, from now on; None: the draw again."""
        if self._waiting is not None and self._waiting.is_alive:
            self._waiting.interrupt()
        self._times.hold(hold)

    @property
    def held(self) -> Hold | None:
        """What says when in the place of the draw."""
        return self._times.held

    def _wait(self) -> Generator[Any, Any, None]:
        while self._waiting is self._env.active_process:
            left = self._times.left(self._env.now)
            try:
                yield self._env.event() if left is None else self._env.timeout(left)
            except simpy.Interrupt:
                continue  # something has changed
            self._start()
