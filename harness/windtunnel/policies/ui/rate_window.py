"""The rate window: at most so many starts in any sliding span of time (UI-Q6)."""

from __future__ import annotations

from collections import deque
from typing import Final

SECOND_NS: Final = 1_000_000_000


class RateWindow:
    """Admits at most `limit` starts in any half-open window of `span` nanoseconds."""

    __slots__ = ("_limit", "_span", "_starts")

    def __init__(self, limit: int, span: int = SECOND_NS) -> None:
        self._limit = limit
        self._span = span
        self._starts: deque[int] = deque()

    def admit(self, now: int) -> bool:
        """Tell whether a start at `now` is within the limit, and count it if it is.

        A start exactly one span after another no longer shares a window with it. `now` never goes
        back.
        """
        starts = self._starts
        while starts and starts[0] <= now - self._span:
            starts.popleft()
        if len(starts) >= self._limit:
            return False
        starts.append(now)
        return True

    def take_back(self) -> None:
        """Forget the start that was admitted last: it did not come about."""
        self._starts.pop()
