"""The pause: how long a platform that said no is left alone. Imports the units."""

from __future__ import annotations

from typing import Final

from windtunnel.units import SECOND

FIRST: Final = SECOND
LONGEST: Final = 30 * SECOND


class Pause:
    """1, 2, 4 … 30 s after each refusal in a row; instants in nanoseconds.

    Refusals while it is paused belong to the batch that brought the first: they lengthen nothing.
    """

    __slots__ = ("_next", "_until")

    def __init__(self) -> None:
        self._next = FIRST
        self._until = 0

    def on(self, now: int) -> bool:
        """Tell whether it is still to be left alone."""
        return now < self._until

    def refused(self, now: int) -> None:
        """Take a refusal."""
        if not self.on(now):
            self._until = now + self._next
            self._next = min(2 * self._next, LONGEST)

    def accepted(self) -> None:
        """Take it that something was accepted: the next pause is the first again."""
        self._next = FIRST

    def lift(self) -> None:
        """End the pause: something has ended there, and there may be room."""
        self._until = 0
