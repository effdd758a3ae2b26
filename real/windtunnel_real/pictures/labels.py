"""Labels: what a step is called, made fit for the name of a file. Imports nothing."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 80
"""Characters of a label that go into a name."""
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_=-]+")


def file_name(number: int, label: str) -> str:
    """Return the name of a step's picture: `0007-after-click_search.png`.

    What does not belong in a name, on any system, is one underscore.
    """
    fit = _UNFIT.sub("_", label).strip("_")[:LONGEST]
    return f"{number:04d}-{fit or 'frame'}.png"
