"""The order of what is pending: which entry goes next, and how many still count.

Entries are compared by (rank, sequence) and never further (UI-Q1, UI-K1). An entry that is no
longer wanted leaves the count at once but stays in the heap until its turn, when it is passed over
(UI-Q15), or until more than half of the heap is such entries, when all of them are swept out.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final, Generic, TypeVar

T = TypeVar("T")

SWEEP_FLOOR: Final = 32
"""Below this many dead entries a sweep costs more than it saves."""


class PendingQueue(Generic[T]):
    """Pending entries in order of rank, first in first out within one rank.

    `rank(entry)` is asked once, when the entry comes in; `wanted(entry)` tells whether the entry
    still counts.
    """

    __slots__ = ("_dead", "_heap", "_numbers", "_rank", "_wanted")

    def __init__(self, rank: Callable[[T], int], wanted: Callable[[T], bool]) -> None:
        self._rank = rank
        self._wanted = wanted
        self._heap: list[tuple[int, int, T]] = []
        self._numbers = count()
        self._dead = 0

    def __len__(self) -> int:
        """Return how many entries count."""
        return len(self._heap) - self._dead

    def push(self, entry: T) -> None:
        """Take an entry in; its sequence number never comes again."""
        heappush(self._heap, (self._rank(entry), next(self._numbers), entry))

    def pop(self) -> T | None:
        """Return the next entry, wanted or not, or None when nothing is held."""
        if not self._heap:
            return None
        entry = heappop(self._heap)[2]
        if not self._wanted(entry):
            self._dead -= 1
        return entry

    def give_up(self) -> list[T]:
        """Note that one held entry has stopped to count; return the entries swept out, if any.

        To be called once for each entry, after `wanted` has become false for it.
        """
        self._dead += 1
        if self._dead < SWEEP_FLOOR or self._dead * 2 <= len(self._heap):
            return []
        swept = [item[2] for item in self._heap if not self._wanted(item[2])]
        self._heap = [item for item in self._heap if self._wanted(item[2])]
        heapify(self._heap)
        self._dead = 0
        return swept
