"""Pixels: a frame as an array of colours, and the one form in which frames are compared.

A frame's fourth byte means nothing, and whoever drew the pixel left it: the same picture may hold
0 in one place and 255 in another. In the normal form it is 0, so that equal pictures are equal
bytes. Imports ports and errors.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from windtunnel.ports import Frame
from windtunnel_real.errors import InputError

Colours = NDArray[np.uint32]
"""Colours as 0x00RRGGBB, by row and column."""

PIXEL: Final = np.dtype("<u4")
"""B, G, R, unused, read as one number."""
BYTES: Final = PIXEL.itemsize
COLOUR: Final = np.uint32(0x00FFFFFF)
"""The bits of a pixel that mean something."""


def raw(frame: Frame) -> Colours:
    """Return a frame's pixels, height × width, the unused bytes as they are; nothing is copied.

    Raises `InputError` for a frame without a pixel, or whose bytes are not as many as it says.
    """
    wanted = frame.width * frame.height * BYTES
    if frame.width < 1 or frame.height < 1 or len(frame.pixels) != wanted:
        raise InputError(
            f"a frame of {frame.width}×{frame.height} pixels that has {len(frame.pixels)} bytes:"
            f" it needs {wanted}, and one pixel at least"
        )
    return np.frombuffer(frame.pixels, PIXEL).reshape(frame.height, frame.width)


def colours(frame: Frame) -> Colours:
    """Return a frame's colours, height × width; raises as `raw` does.

    Nothing is copied of a frame in the normal form.
    """
    pixels = raw(frame)
    return pixels & COLOUR if pixels.max() > COLOUR else pixels


def frame_of(found: Colours) -> Frame:
    """Return colours, height × width, as a frame in the normal form."""
    height, width = found.shape
    return Frame(width, height, (found & COLOUR).astype(PIXEL, copy=False).tobytes())
