"""The four priorities of a UI action (UI-Q1)."""

from __future__ import annotations

from enum import IntEnum


class Priority(IntEnum):
    """How urgent an action is; smaller goes first."""

    CRITICAL = 0
    HIGH = 1
    NORMAL = 2
    LOW = 3
