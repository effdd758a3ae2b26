"""The sight: what is seen of the application on a real display, by its window and its pictures.

Imports the windows, the capture and what is found in pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from windtunnel.ports import Frame, LoginState, Region
from windtunnel_real.machine.told import NAME
from windtunnel_real.pictures.capture import Capture
from windtunnel_real.pictures.finding import find
from windtunnel_real.standin import drawing
from windtunnel_real.x11 import windows
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.windows import FoundWindow

STATES: Final[tuple[LoginState, ...]] = ("logged_in", "logged_out", "qr")


@dataclass(frozen=True, slots=True)
class Sight:
    """What can be looked at; the pictures that are looked for are the stand-in's own."""

    connection: Connection
    capture: Capture

    async def window(self, timeout: float) -> FoundWindow | None:
        """Return the application's window, the mapped one first, or None."""
        found = await windows.find(self.connection, NAME, timeout)
        return next((each for each in found if each.info.mapped), found[0] if found else None)

    async def mapped(self, timeout: float) -> FoundWindow | None:
        """Return the application's window if it is there to be seen."""
        window = await self.window(timeout)
        return window if window is not None and window.info.mapped else None

    async def appears(self, within: float, timeout: float) -> FoundWindow | None:
        """Return the window once it is there to be seen, or None after `within` seconds.

        Raises `DeadlineError` when a look takes longer than `timeout`.
        """
        window = await self.mapped(timeout)
        if window is not None or within <= 0:
            return window
        return await windows.wait_for(self.connection, NAME, min(within, timeout))

    async def frame(self, region: Region | None, timeout: float) -> Frame:
        """Return a picture of a region, or of the whole display."""
        return await self.capture.take(region, timeout=timeout)

    async def place_of(
        self, window: FoundWindow, target: str, timeout: float
    ) -> tuple[int, int] | None:
        """Return where on the display a button lies that looks like `target`: its middle."""
        picture = _frame(drawing.button(target))
        frame = await self.frame(_area(window), timeout)
        found = find(frame, picture)
        if found is None:
            return None
        return (
            window.x + found[0] + picture.width // 2,
            window.y + found[1] + picture.height // 2,
        )

    async def login_state(self, window: FoundWindow, timeout: float) -> LoginState:
        """Return the log-in state that the window shows."""
        frame = await self.frame(_area(window), timeout)
        seen = (each for each in STATES if find(frame, _frame(drawing.badge(each))))
        return next(seen, "unknown")


def _frame(tile: drawing.Tile) -> Frame:
    return Frame(tile.width, tile.height, tile.pixels)


def _area(window: FoundWindow) -> Region:
    return Region(window.x, window.y, window.width, window.height)
