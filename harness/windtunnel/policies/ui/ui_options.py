"""The options of the UI scheduler: what its named policy sets choose between.

`specified` is what the documents mean. `listed` and `hardened` will be further sets of options of
this same implementation, not copies of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Order = Literal["priority", "fifo"]


@dataclass(frozen=True, slots=True)
class UIOptions:
    """Choices of the UI scheduler; the defaults are `specified`."""

    order: Order = "priority"
    """`priority`: UI-Q1. `fifo`: one rank for all, as SendQueue has it (UI-Q16)."""


SPECIFIED: Final = UIOptions()
