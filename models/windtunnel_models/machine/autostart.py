"""Autostart: what brings a killed WeChat back (UI-F2).

Imports simpy. A process of the simulation waits, after each end of the application, until the next
one is due; what a fault changes while it waits counts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from random import Random
from typing import Any

import simpy

from windtunnel.spans import Span
from windtunnel_models.loop.environment import SimEnvironment


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
        self._after = after
        self._start_up = start_up
        self._stream = stream
        self._start = start
        self._ended_at = 0
        self._drawn = 0
        self._waiting: simpy.Process | None = None
        self._held: Hold | None = None

    def ended(self) -> None:
        """The application has ended: bring it back in time."""
        self._ended_at = self._env.now
        low, high = self._after.min, self._after.max
        self._drawn = low if low == high else self._after.draw(self._stream)
        self._waiting = self._env.process(self._wait())
        self._env.loop.mark_daemon(self._waiting)
        if self._held is not None:
            self._held.felt()

    def started(self) -> None:
        """Somebody has started the application: nothing is left to do until it ends again."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting.is_alive and self._env.active_process is not waiting:
            waiting.interrupt()

    def hold(self, hold: Hold | None) -> None:
        """Let something else than the draw say when, from now on; None: the draw again."""
        self._held = hold
        if self._waiting is not None and self._waiting.is_alive:
            self._waiting.interrupt()
            if hold is not None:
                hold.felt()

    @property
    def held(self) -> Hold | None:
        """What says when in the place of the draw."""
        return self._held

    def _left(self) -> int | None:
        """Nanoseconds until the process is to be started, or None for never."""
        after = self._drawn if self._held is None else self._held.delay
        if after is None:
            return None
        return max(0, self._ended_at + max(0, after - self._start_up) - self._env.now)

    def _wait(self) -> Generator[Any, Any, None]:
        while self._waiting is self._env.active_process:
            left = self._left()
            try:
                yield self._env.event() if left is None else self._env.timeout(left)
            except simpy.Interrupt:
                continue  # something has changed
            self._start()


class Hold:
    """Says when the application comes back: `delay` ns after its end, None for never."""

    def __init__(self, delay: int | None, felt: Callable[[], None]) -> None:
        self.delay = delay
        self.felt = felt
        """Called when an autostart is held by it."""
