"""The garbage of a run: how Python's collector looks for it while a run goes on.

A trace only grows, and by itself the collector would look through all of it again and again.
Imports nothing of the project.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

THRESHOLDS: Final = (5_000, 40, 1_000_000)
"""Objects made between two looks at the young ones; such looks between two at the middle
generation; those between two at everything, which no run reaches.

So each object is looked at twice and then left alone to the end of the run.
"""


@contextmanager
def looked_at_twice() -> Iterator[None]:
    """Have each object made inside the block looked at twice at most.

    What is old by then and no longer needed goes at the end of the block, where there may be any.
    The process's own thresholds come back; a collector that is off stays off.
    """
    before = gc.get_threshold()
    gc.set_threshold(*THRESHOLDS)
    grown = gc.get_count()[2]
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if gc.get_count()[2] > grown and gc.isenabled():
            gc.collect()
