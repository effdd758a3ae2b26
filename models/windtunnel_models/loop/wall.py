"""The wall limit: an end, in real seconds, to code that never comes back.

Imports the standard library only. Virtual time cannot end `while True: pass`; an alarm of the
operating system can. It is for the process that runs a cell, on its main thread.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Final

from windtunnel_models.errors import LoopError, WallLimit

# Seconds until the next alarm, when code under test swallowed the last.
AGAIN = 0.1


class _Alarm(KeyboardInterrupt):
    """Ends the run past `except Exception`; asyncio lets a KeyboardInterrupt through at once."""


class wall_limit:  # noqa: N801 - read as what it does: `with wall_limit(60):`
    """Raise WallLimit, naming where the code was, when the block runs longer than `seconds`.

    `on_limit` is called once, before the code is broken off, so that what the alarm makes of it is
    not taken for its own doing. The alarm repeats until the block is left, so code that swallows it
    is ended too; and whatever the block raises after it, WallLimit is raised instead: the alarm may
    strike anywhere, so a lost task or a deadlock found then is its doing. The previous handler and
    timer of SIGALRM are put back. Raises ValueError when `seconds` is not positive, LoopError off
    the main thread, where the operating system delivers no signal.
    """

    def __init__(self, seconds: float, on_limit: Callable[[], None] | None = None) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise LoopError(
                "wall_limit() works on the main thread only: signals are delivered there"
            )
        if not seconds > 0:
            raise ValueError(f"wall_limit() takes a positive number of seconds, got {seconds!r}")
        self._seconds = seconds
        self._on_limit = on_limit
        self._place = ""
        """Where the code was at the first alarm."""

    def __enter__(self) -> None:
        """Set the alarm."""
        self._previous = signal.signal(signal.SIGALRM, self._on_alarm)
        self._previous_timer = signal.setitimer(signal.ITIMER_REAL, self._seconds, AGAIN)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Put back what was there, and raise WallLimit if the alarm has struck."""
        signal.setitimer(signal.ITIMER_REAL, *self._previous_timer)
        signal.signal(signal.SIGALRM, self._previous)
        if self._place:
            told = f"still running after {self._seconds} s of real time, at {self._place}"
            raise WallLimit(told) from None

    def _on_alarm(self, _signal: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code in _OWN:
            return  # not in the block: an alarm raised here would pass by who catches it
        if not self._place:
            self._place = _place(frame)
            if self._on_limit is not None:
                self._on_limit()
        raise _Alarm


_OWN: Final = (wall_limit.__enter__.__code__, wall_limit.__exit__.__code__)
"""Code that sets the alarm and takes it away. It repeats, so the block gets the next one."""


def _place(frame: FrameType | None) -> str:
    if frame is None:
        return "an unknown place"
    return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_qualname}"
