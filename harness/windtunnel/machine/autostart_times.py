"""The times of an autostart: when an application that has ended is to be started again (UI-F2).

No clock and no event loop: `now` is an argument, in nanoseconds. Imports spans.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from windtunnel.spans import Span


@dataclass(slots=True, eq=False)
class Hold:
    """Says when the application comes back, in the place of the draw."""

    delay: int | None
    """Nanoseconds after its end, None for never."""
    felt: Callable[[], None]
    """Called when an autostart is held by it."""


class AutostartTimes:
    """Has the window back `after` the end, drawn each time; None: nothing brings it back.

    `start_up` (ns) is what the application needs to show its window: it is started that much
    earlier, but never before its end.
    """

    def __init__(self, after: Span | None, start_up: int, stream: Random) -> None:
        self._after = after
        self._start_up = start_up
        self._stream = stream
        self._ended_at = 0
        self._drawn: int | None = None
        self._is_waiting = False
        self.held: Hold | None = None
        """What says when in the place of the draw."""

    def ended(self, now: int) -> None:
        """The application has ended: it is waited for from now on. A constant costs no draw."""
        self._ended_at = now
        self._is_waiting = True
        if self._after is not None:
            low, high = self._after.min, self._after.max
            self._drawn = low if low == high else self._after.draw(self._stream)
        if self.held is not None:
            self.held.felt()

    def started(self) -> None:
        """It was started: nothing is waited for until it ends again."""
        self._is_waiting = False

    def hold(self, hold: Hold | None) -> bool:
        """Let `hold` say when, from now on, or the draw again; tell whether a wait has changed."""
        self.held = hold
        if self._is_waiting and hold is not None:
            hold.felt()
        return self._is_waiting

    def left(self, now: int) -> int | None:
        """Return the nanoseconds until it is to be started, or None for never."""
        after = self._drawn if self.held is None else self.held.delay
        if after is None or not self._is_waiting:
            return None
        return max(0, self._ended_at + max(0, after - self._start_up) - now)
