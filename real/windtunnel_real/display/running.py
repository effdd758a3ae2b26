"""A running display: the one face of a display of our own and of one that was there.

Imports what it is made of.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.link import Screen
from windtunnel_real.errors import DisplayDiedError


@runtime_checkable
class RunningDisplay(Protocol):
    """A display that answered when it was started or attached to."""

    @property
    def address(self) -> DisplayAddress:
        """How a program reaches it."""

    @property
    def screen(self) -> Screen:
        """Its size, in pixels and millimetres."""

    def alive(self) -> bool:
        """Say whether its server is there; one that is stopped or hangs is."""

    async def died(self) -> DisplayDiedError:
        """Wait until the server is gone, or the display is stopped, and return what to raise."""

    def errors(self) -> str:
        """Return the last lines that the server wrote to its error output, as far as we have it."""

    def stop(self) -> None:
        """Let go of it, and end what we started; blocks for seconds at most. Twice is once."""
