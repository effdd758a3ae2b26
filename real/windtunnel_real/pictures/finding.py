"""Finding: where a small picture lies in a big one, pixel by pixel the same.

A pixel of the picture whose colour is rare in the big one leaves few places; these are narrowed
down by its further pixels, the telling ones first. Imports pixels and ports.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from windtunnel.ports import Frame, Region
from windtunnel_real.pictures.pixels import Colours, colours

COUNTED: Final = 4
"""So many colours of the picture, its own rarest, are counted in the big one."""
BATCH: Final = 4096
"""So many places are narrowed down together, the first ones first."""
WHOLE: Final = 8
"""So few places are looked at one by one, all pixels at once."""

Indexes = NDArray[np.intp]


def find(frame: Frame, picture: Frame, within: Region | None = None) -> tuple[int, int] | None:
    """Return the place (x, y) in `frame` at which `picture` lies, the topmost, then the leftmost.

    The whole of it lies inside `within`, where that is given; None: it lies nowhere. The unused
    bytes do not count. Raises `InputError` for what is no frame.
    """
    looked_for = colours(picture)
    searched, left, top = _part(colours(frame), within)
    height, width = looked_for.shape
    if height > searched.shape[0] or width > searched.shape[1]:
        return None
    places = _rarest(searched, looked_for)
    for start in range(0, len(places), BATCH):
        found = _first(searched, looked_for, places[start : start + BATCH])
        if found is not None:
            y, x = divmod(found, searched.shape[1] - width + 1)
            return left + x, top + y
    return None


def _part(shown: Colours, within: Region | None) -> tuple[Colours, int, int]:
    """Return what of a picture lies in a region, and where that begins in it."""
    if within is None:
        return shown, 0, 0
    left, top = max(within.x, 0), max(within.y, 0)
    right, bottom = within.x + within.width, within.y + within.height
    return shown[top : max(bottom, top), left : max(right, left)], left, top


def _rarest(searched: Colours, looked_for: Colours) -> Indexes:
    """Return the places that one pixel leaves, counted row by row over all that are possible."""
    kinds, firsts, counts = np.unique(looked_for, return_index=True, return_counts=True)
    best: NDArray[np.bool_] | None = None
    fewest = searched.size + 1
    for kind in np.argsort(counts, kind="stable")[:COUNTED]:
        y, x = divmod(int(firsts[kind]), looked_for.shape[1])
        same = _shifted(searched, looked_for, y, x) == kinds[kind]
        count = int(np.count_nonzero(same))
        if count < fewest:
            best, fewest = same, count
    assert best is not None
    return np.flatnonzero(best)


def _shifted(searched: Colours, looked_for: Colours, y: int, x: int) -> Colours:
    """Return, for every place of the picture, what then lies under its pixel at x, y."""
    height = searched.shape[0] - looked_for.shape[0] + 1
    width = searched.shape[1] - looked_for.shape[1] + 1
    return searched[y : y + height, x : x + width]


def _first(searched: Colours, looked_for: Colours, places: Indexes) -> int | None:
    """Return the first of some places at which the picture lies, or None."""
    height, width = looked_for.shape
    ys, xs = np.divmod(places, searched.shape[1] - width + 1)
    for y, x in _telling(looked_for):
        if len(ys) <= WHOLE:
            break
        same = searched[ys + y, xs + x] == looked_for[y, x]
        ys, xs = ys[same], xs[same]
    for y, x in zip(ys.tolist(), xs.tolist(), strict=True):
        if np.array_equal(searched[y : y + height, x : x + width], looked_for):
            return int(y * (searched.shape[1] - width + 1) + x)
    return None


def _telling(looked_for: Colours) -> Iterator[tuple[int, int]]:
    """Give a picture's pixels, in an order in which neighbours, which say the same, lie apart."""
    width = looked_for.shape[1]
    for index in np.random.default_rng(0).permutation(looked_for.size):
        yield divmod(int(index), width)
