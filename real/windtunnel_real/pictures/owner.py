"""An owner: the one thread that touches a thing, with a deadline for whoever asks it.

A call into a C library cannot be broken off. So it runs in a thread that may be stuck, while its
caller goes on at the deadline; the thread stays the owner, and comes back when the call does.
Imports errors.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from windtunnel_real.errors import DeadlineError

T = TypeVar("T")
logger = logging.getLogger("windtunnel.owner")


@dataclass(frozen=True, slots=True)
class _Job:
    run: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    until: float
    """When its caller stops waiting, by the monotonic clock."""

    def wanted(self) -> bool:
        return not self.future.done() and time.monotonic() < self.until

    def play(self) -> None:
        try:
            told: tuple[Any, BaseException | None] = (self.run(), None)
        except Exception as error:  # noqa: BLE001 - it is the caller's, whatever it is
            told = (None, error)
        with suppress(RuntimeError):  # the caller's loop has been closed
            self.loop.call_soon_threadsafe(self._settle, *told)

    def _settle(self, value: object, error: BaseException | None) -> None:
        """Tell the caller, unless it has gone: what comes late is dropped."""
        if self.future.done():
            return
        if error is None:
            self.future.set_result(value)
        else:
            self.future.set_exception(error)


class Owner:
    """A thread and the jobs before it, done one by one in order."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[_Job | Callable[[], None]] = SimpleQueue()
        # A daemon: the process must be able to end while a call is stuck.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def call(self, job: Callable[[], T], timeout: float, what: str) -> T:
        """Run `job()` in the thread and return its value, or raise what it raises.

        Raises `DeadlineError` after `timeout` seconds, whether the job or an earlier one is what
        takes so long. A job whose caller has gone before it begins is never run.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put(_Job(job, loop, future, time.monotonic() + timeout))
        try:
            async with asyncio.timeout(timeout):
                return await future
        except TimeoutError as error:
            if not future.cancelled():
                raise
            raise DeadlineError(f"{what} was not over in {timeout:g} s") from error

    def finish(self, last: Callable[[], None]) -> None:
        """Let the thread end after what is before it and `last`, which is run in any case."""
        self._jobs.put(last)

    async def ended(self, timeout: float) -> bool:
        """Return whether the thread has ended within `timeout` seconds."""
        until = time.monotonic() + timeout
        while self._thread.is_alive():
            if time.monotonic() >= until:
                return False
            await asyncio.sleep(0.001)
        return True

    def _run(self) -> None:
        while isinstance(job := self._jobs.get(), _Job):
            if job.wanted():
                job.play()
        try:
            job()
        except Exception:
            logger.exception("%s did not end as it should", self._thread.name)
