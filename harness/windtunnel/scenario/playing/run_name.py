"""The name of a run: what of it is kept lies under it. Imports the cells."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from windtunnel.scenario.cells import Cell

LONGEST: Final = 80
"""Characters of a cell's own name that its runs are named by."""
_DIGITS: Final = 10
_OTHER: Final = re.compile(r"[^A-Za-z0-9_.]+")
"""What a file system or a shell may take amiss."""


def run_name(cell: Cell, number: int = 0) -> str:
    """Return the name of one run: any file system's, the same each time, and no other run's.

    `number` counts the repeats of the cell, from 0. The digits tell cells of the same text apart:
    those of two files, of two seeds, or with axes that differ in what a name cannot hold.
    """
    ties = cell.ties
    told = (cell.file, cell.name, cell.policy, cell.scheduler, cell.seed, ties, number)
    parts = [_OTHER.sub("-", cell.name).strip("-.")[:LONGEST] or "cell"]
    if cell.repeats.repeat > 1:
        parts.append(f"run{number + 1}")
    if ties.asked:
        parts.append(f"{ties.order}{ties.seed}")
    parts.append(
        hashlib.sha256(repr(told).encode("utf-8", "backslashreplace")).hexdigest()[:_DIGITS]
    )
    return "-".join(parts)
