"""The backoff between attempts to connect (RT-W3). Imports the units."""

from __future__ import annotations

from typing import Final

from windtunnel.units import SECOND

LONGEST: Final = 5
"""From this attempt on the delay no longer doubles: 32 s."""


def reconnect_delay(attempt: int) -> int:
    """Return the nanoseconds to wait before an attempt: 1, 2, 4, 8, 16, 32, 32 … s from 0 on.

    Raises ValueError for an attempt below 0.
    """
    if attempt < 0:
        raise ValueError(f"attempts are counted from 0, not {attempt}")
    return SECOND << min(attempt, LONGEST)


class Backoff:
    """The delays of one link; a success resets them."""

    __slots__ = ("_attempt",)

    def __init__(self) -> None:
        self._attempt = 0

    @property
    def attempts(self) -> int:
        """How many delays were taken since the last success (RT-R1: reconnectAttempts)."""
        return self._attempt

    def next(self) -> int:
        """Return the nanoseconds to wait before the next attempt."""
        delay = reconnect_delay(self._attempt)
        self._attempt += 1
        return delay

    def reset(self) -> None:
        """Begin anew: an attempt succeeded."""
        self._attempt = 0
