"""The connection to an X display: one owner thread, jobs done in it, a deadline on each.

python-xlib's objects are never shared among threads: a job is the only place to touch them.
Imports the owner, jobs, and the addresses and errors of the real world.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import DisplayDiedError
from windtunnel_real.x11.jobs import Job
from windtunnel_real.x11.owner import OnEvent, OnTrouble, Owner
from windtunnel_real.x11.xlib import XDisplay

T = TypeVar("T")

_PATIENCE_S: Final = 0.5
"""How long closing waits for what is being done, before and after the socket is shut down."""


class Connection:
    """One connection. Its methods belong to the event loop that it was opened in."""

    def __init__(
        self, address: DisplayAddress, on_event: OnEvent | None, on_trouble: OnTrouble | None
    ) -> None:
        """Use `open`."""
        self._address = address
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.Future[DisplayDiedError] = self._loop.create_future()
        self._owner = Owner(
            address, on_event=on_event, on_trouble=on_trouble, on_end=self._on_owner_end
        )

    @classmethod
    async def open(
        cls,
        address: DisplayAddress,
        timeout: float,
        *,
        on_event: OnEvent | None = None,
        on_trouble: OnTrouble | None = None,
    ) -> Connection:
        """Connect within `timeout` seconds.

        `on_event(xdisplay, event)` is called in the owner thread for each event, in order, also
        while no job is running; it may send requests and wait for their replies, but not for other
        events. What it raises, or the server refuses of it, goes to `on_trouble`, in that thread
        too; without one nobody hears of it. Raises `DisplayStartError` (cannot be reached, refuses)
        and `DeadlineError`.
        """
        connection = cls(address, on_event, on_trouble)
        opening = connection._job(lambda _: None, timeout, f"connect to display {address.name}")
        connection._owner.start(opening)
        try:
            await connection._settled(opening)
        except BaseException:
            connection._owner.cut()
            raise
        return connection

    @property
    def address(self) -> DisplayAddress:
        """Where it leads."""
        return self._address

    @property
    def gone(self) -> DisplayDiedError | None:
        """Why nothing can be asked any more; None while it can."""
        return self._owner.ended

    async def call(
        self, job: Callable[[XDisplay], T], timeout: float, what: str = "a request"
    ) -> T:
        """Run `job(xdisplay)` in the owner thread and return its value.

        At its end the server has done all that it asked, checked. `what` names it in errors.
        Raises what the job raises; `DeadlineError` after `timeout` seconds (what was not sent by
        then is not sent later, and a job that has not begun never begins; so too when the caller is
        cancelled); `WindowGoneError` or `XRequestError` for a request that the server refused;
        `DisplayDiedError` as soon as the server is gone, and ever after.
        """
        made = self._job(job, timeout, what)
        self._owner.submit(made)
        return cast("T", await self._settled(made))

    async def died(self) -> DisplayDiedError:
        """Wait until nothing can be asked any more, and return why."""
        return await asyncio.shield(self._end)

    async def close(self) -> None:
        """Close it, in a second at the most; nothing happens the second time."""
        for let_go in (self._owner.stop, self._owner.cut):
            let_go()
            done, _ = await asyncio.wait([self._end], timeout=_PATIENCE_S)
            if done:
                self._owner.join(_PATIENCE_S)
                return

    def _job(self, job: Callable[[XDisplay], Any], timeout: float, what: str) -> Job:
        deadline = time.monotonic() + timeout
        return Job(job, what, deadline, self._loop, self._loop.create_future())

    async def _settled(self, job: Job) -> object:
        timer = self._loop.call_later(job.deadline - time.monotonic(), job.expire)
        try:
            return await job.future
        finally:
            job.abandoned = True
            timer.cancel()

    def _on_owner_end(self, died: DisplayDiedError) -> None:
        try:
            self._loop.call_soon_threadsafe(self._set_end, died)
        except RuntimeError:
            return  # the loop is closed: nobody waits

    def _set_end(self, died: DisplayDiedError) -> None:
        if not self._end.done():
            self._end.set_result(died)
