"""A job: what one call wants done in the thread that owns a display, and who waits for it.

Imports the errors of the real world.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from windtunnel_real.errors import DeadlineError
from windtunnel_real.x11.xlib import XDisplay


@dataclass(slots=True, eq=False)
class Job:
    """One call. Made in the loop's thread, done in the owner's."""

    run: Callable[[XDisplay], Any]
    what: str
    deadline: float
    """On `time.monotonic()`, in seconds."""
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    begun: bool = False
    abandoned: bool = False
    """Nobody waits for it any more."""

    def check(self) -> None:
        """Raise `DeadlineError` if it may do no more."""
        if self.abandoned or time.monotonic() >= self.deadline:
            raise self.late()

    def late(self) -> DeadlineError:
        """Return the error of having taken too long."""
        why = "no answer from the X server: is it stopped, or grabbed by another client?"
        if not self.begun:
            why = "it was still waiting behind an earlier request, and will not be done"
        return DeadlineError(f"{self.what}: not done in time ({why})")

    def expire(self) -> None:
        """Give it up, in the loop's thread: its time is over."""
        self.abandoned = True
        if not self.future.done():
            self.future.set_exception(self.late())

    def succeed(self, value: object) -> None:
        """Hand its value over, in the owner's thread."""
        self._settle(self._set_result, value)

    def fail(self, error: BaseException) -> None:
        """Hand its error over, in the owner's thread."""
        self._settle(self._set_exception, error)

    def _settle(self, how: Callable[[Any], None], what: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self.loop.call_soon_threadsafe(how, what)

    def _set_result(self, value: object) -> None:
        if not self.future.done():
            self.future.set_result(value)

    def _set_exception(self, error: BaseException) -> None:
        if not self.future.done():
            self.future.set_exception(error)
