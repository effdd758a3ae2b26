"""Failed looks: how many in a row it takes before somebody acts (UI-W1)."""

from __future__ import annotations

from typing import Final

NEEDED: Final = 2


class FailedLooks:
    """Counts failed looks in a row; one success resets, and so does acting."""

    __slots__ = ("_needed", "failed")

    def __init__(self, needed: int = NEEDED) -> None:
        if needed < 1:
            raise ValueError(f"needed must be at least 1, not {needed}")
        self._needed = needed
        self.failed = 0
        """Looks that failed in a row since the last success or act."""

    def look(self, *, alive: bool) -> bool:
        """Count a look; tell whether it is time to act."""
        self.failed = 0 if alive else self.failed + 1
        return self.failed >= self._needed

    def reset(self) -> None:
        """Begin anew: somebody has acted."""
        self.failed = 0
