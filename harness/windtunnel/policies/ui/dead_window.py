"""The dead window: while WeChat is known to be gone, actions fail at once (UI-Q8)."""

from __future__ import annotations


class DeadWindow:
    """Open from a mark until its end, the end itself excluded; a second mark never shortens it."""

    __slots__ = ("_until",)

    def __init__(self) -> None:
        self._until = 0

    def open(self, now: int, duration: int) -> None:
        """Open the window for `duration` nanoseconds from `now`, or lengthen it."""
        self._until = max(self._until, now + duration)

    def close(self) -> None:
        """Close the window."""
        self._until = 0

    def left(self, now: int) -> int:
        """Return the nanoseconds until it closes; 0 when it is closed."""
        return max(0, self._until - now)
