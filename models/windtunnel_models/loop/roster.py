"""The roster: everything alive of a kind (tasks, processes), in the order of creation.

Imports the standard library only. It holds its members strongly, so that no garbage collector
decides when an abandoned task ends or is reported, and drops the finished ones as it grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

# Sweeping below this many members is not worth its while.
FLOOR = 256


class Roster(Generic[T]):
    """Members in the order in which they were added, swept when twice as many as last kept.

    `keep` says of a member whether it is still of interest. Adding is O(1) amortised.
    """

    __slots__ = ("_keep", "_limit", "_members")

    def __init__(self, keep: Callable[[T], bool]) -> None:
        self._keep = keep
        self._members: list[T] = []
        self._limit = FLOOR

    def add(self, member: T) -> None:
        """Add a member."""
        members = self._members
        members.append(member)
        if len(members) > self._limit:
            members[:] = filter(self._keep, members)
            self._limit = max(FLOOR, 2 * len(members))

    def clear(self) -> None:
        """Let all members go."""
        self._members.clear()

    def __iter__(self) -> Iterator[T]:
        """Iterate, in the order of creation, over the members still of interest."""
        return iter([member for member in self._members if self._keep(member)])

    def __len__(self) -> int:
        """Return the number of entries held, finished ones among them."""
        return len(self._members)
