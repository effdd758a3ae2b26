"""The wall limit: an end, in real seconds, to code that never comes back.

Imports the standard library only. Virtual time cannot end `while True: pass`; an alarm of the
operating system can. It is for the process that runs a cell, on its main thread.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from windtunnel_models.errors import LoopError, WallLimit

# Seconds until the next alarm, when code under test swallowed the last.
AGAIN = 0.1


class _Alarm(KeyboardInterrupt):
    """Ends the run past `except Exception`; asyncio lets a KeyboardInterrupt through at once."""


@contextmanager
def wall_limit(seconds: float, on_limit: Callable[[], None] | None = None) -> Iterator[None]:
    """Raise WallLimit, naming where the code was, when the block runs longer than `seconds`.

    `on_limit` is called once, before the code is broken off, so that what the alarm makes of it is
    not taken for its own doing. The alarm repeats until the block is left, so code that swallows it
    is ended too. The previous handler and timer of SIGALRM are put back. Raises ValueError when
    `seconds` is not positive, LoopError off the main thread, where the operating system delivers no
    signal.
    """
    if threading.current_thread() is not threading.main_thread():
        raise LoopError("wall_limit() works on the main thread only: signals are delivered there")
    if not seconds > 0:
        raise ValueError(f"wall_limit() takes a positive number of seconds, got {seconds!r}")
    places: list[str] = []

    def on_alarm(_signal: int, frame: FrameType | None) -> None:
        if on_limit is not None and not places:
            on_limit()
        places.append(_place(frame))
        raise _Alarm

    previous = signal.signal(signal.SIGALRM, on_alarm)
    previous_timer = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    except _Alarm:
        pass  # told below, also when the code swallowed it
    finally:
        signal.setitimer(signal.ITIMER_REAL, *previous_timer)
        signal.signal(signal.SIGALRM, previous)
    if places:
        raise WallLimit(f"still running after {seconds} s of real time, at {places[0]}") from None


def _place(frame: FrameType | None) -> str:
    if frame is None:
        return "an unknown place"
    return f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_qualname}"
