"""The capture: pictures of one display, each within a deadline.

Imports owner, grabber, blank, the display's address, ports and errors.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final, Protocol, runtime_checkable

from windtunnel.ports import COMMAND_BOUND_S, Frame, Region
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import InputError
from windtunnel_real.pictures.blank import not_blank
from windtunnel_real.pictures.grabber import Grabber
from windtunnel_real.pictures.owner import Owner

KNOCK: Final = 0.9
"""What part of its time an opening waits for the server's answer: the rest is for telling so."""
CLOSE_S: Final = 0.5
"""How long a closing waits, once for a grab that is on its way and once for one broken off."""

logger = logging.getLogger("windtunnel.capture")


@runtime_checkable
class Camera(Protocol):
    """Takes pictures of a display."""

    async def take(
        self, region: Region | None = None, *, timeout: float = COMMAND_BOUND_S
    ) -> Frame:
        """Return a picture of a region, or of the whole display."""


class Capture:
    """A `Camera` that reads the display's memory, in a thread of its own."""

    def __init__(self, address: DisplayAddress) -> None:
        self._address = address
        self._owner = Owner(f"capture {address.name}")
        self._grabber: Grabber | None = None
        self._closed = False

    @classmethod
    async def open(cls, address: DisplayAddress, timeout: float = 10.0) -> Capture:
        """Connect to a display.

        Raises `DisplayStartError` when it cannot be reached or captured, or its server does not
        answer, and `DeadlineError` after `timeout` seconds of anything else.
        """
        capture = cls(address)
        try:
            await capture._owner.call(
                lambda: capture._open(timeout * KNOCK), timeout, f"opening {address.name}"
            )
        except BaseException:
            await capture.close()
            raise
        return capture

    @property
    def address(self) -> DisplayAddress:
        """The display."""
        return self._address

    @property
    def shared(self) -> bool:
        """Whether pictures come through shared memory; else over the connection, 20 × slower."""
        return self._grabber is not None and self._grabber.shared

    async def take(
        self, region: Region | None = None, *, timeout: float = COMMAND_BOUND_S
    ) -> Frame:
        """Return a picture of a region, or of the whole display, in the normal form of pixels.

        Raises `DeadlineError` after `timeout` seconds, also while an earlier picture is stuck;
        `InputError` for a region that does not lie on the display; `DisplayDiedError`; and
        `BlankFrameError` for a whole display that shows one colour only, twice.
        """
        if self._closed or self._grabber is None:
            raise InputError(f"the capture of {self._address.name} is closed")
        if region is not None:
            return await self._grab(region, timeout)
        loop = asyncio.get_running_loop()
        until = loop.time() + timeout
        return await not_blank(
            lambda: self._grab(None, until - loop.time()), f"the display {self._address.name}"
        )

    async def close(self) -> None:
        """Let go of the display, within a second; nothing happens the second time."""
        if self._closed:
            return
        self._closed = True
        self._owner.finish(self._shut)
        if await self._owner.ended(CLOSE_S):
            return
        if self._grabber is not None:
            self._grabber.interrupt()
        if not await self._owner.ended(CLOSE_S):
            logger.warning("the capture of %s is stuck and was left behind", self._address.name)

    async def _grab(self, region: Region | None, timeout: float) -> Frame:
        grabber = self._grabber
        assert grabber is not None
        what = f"a picture of {self._address.name}"
        return await self._owner.call(lambda: grabber.grab(region), timeout, what)

    def _open(self, timeout: float) -> None:
        self._grabber = Grabber(self._address, timeout)

    def _shut(self) -> None:
        if self._grabber is not None:
            self._grabber.close()
