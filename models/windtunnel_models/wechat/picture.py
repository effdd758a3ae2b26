"""Pictures: what a capture of the simulated display gives.

A picture is flat, of a colour that tells what lies on the display: two captures differ where the
screen does, and no more is needed of them here. Imports the ports' shapes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from zlib import crc32

from windtunnel.ports import Frame, Region
from windtunnel.wechat.screen import Screen

WIDTH: Final = 16
HEIGHT: Final = 10
"""A display this small keeps captures cheap: a real one's picture has 4 MB."""


def picture(screen: Screen, region: Region | None = None) -> Frame:
    """Return the picture of a region of the display, or of all of it."""
    place = screen.top() or screen.view
    shown = (screen.login, place, screen.session or "") if screen.window else ()
    width, height = (WIDTH, HEIGHT) if region is None else (region.width, region.height)
    return _flat(width, height, "/".join(shown))


@lru_cache(maxsize=256)
def _flat(width: int, height: int, shown: str) -> Frame:
    return Frame(width, height, crc32(shown.encode()).to_bytes(4, "little") * (width * height))
