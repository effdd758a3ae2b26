"""Blank frames: a picture of the whole display that shows nothing.

A server that has nothing to show yet, or whose memory cannot be read, gives one colour. Imports
pixels and errors.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from windtunnel.ports import Frame
from windtunnel_real.errors import BlankFrameError
from windtunnel_real.pictures.pixels import COLOUR, Colours, raw

PAUSE_S: Final = 0.05
"""Before a picture is taken again: a window that is being mapped is painted by then."""
SAMPLED: Final = 16
"""Every so many rows and columns are looked at first: most pictures show there that they differ."""


def is_blank(frame: Frame) -> bool:
    """Return whether a frame has one colour only."""
    pixels = raw(frame)
    return not (_mixed(pixels[::SAMPLED, ::SAMPLED]) or _mixed(pixels))


def _mixed(pixels: Colours) -> bool:
    return bool(((pixels ^ pixels[0, 0]) & COLOUR).any())


async def not_blank(take: Callable[[], Awaitable[Frame]], what: str) -> Frame:
    """Take a picture, again once if it is blank; raises `BlankFrameError` if both are."""
    frame = await take()
    if not is_blank(frame):
        return frame
    await asyncio.sleep(PAUSE_S)
    frame = await take()
    if is_blank(frame):
        raise BlankFrameError(
            f"{what} shows one colour only, twice: nothing is drawn on it, or its picture cannot"
            " be read"
        )
    return frame
