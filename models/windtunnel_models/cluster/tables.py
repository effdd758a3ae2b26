"""The table: entries in order, each an id and a text, some of which expire; a store has many.

Imports nothing of the project.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator
from heapq import heappop, heappush


class Table:
    """One table of a store; instants are nanoseconds."""

    __slots__ = ("_due", "_entries", "resource", "soonest")

    def __init__(self, resource: str) -> None:
        self.resource = resource
        """What its accesses are reported as."""
        # id → (value, the instant at which it is gone)
        self._entries: OrderedDict[str, tuple[str, float]] = OrderedDict()
        # (instant, id) of what expires, with some that are no more or expire at another instant.
        self._due: list[tuple[float, str]] = []
        self.soonest = math.inf
        """Nothing is gone before this instant: `expire` need not be asked until then."""

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Iterate over (id, value) in order."""
        return ((id_, value) for id_, (value, _) in self._entries.items())

    def __reversed__(self) -> Iterator[tuple[str, str]]:
        return ((id_, self._entries[id_][0]) for id_ in reversed(self._entries))

    def __contains__(self, id_: object) -> bool:
        return id_ in self._entries

    def get(self, id_: str) -> str | None:
        """Return a value, or None."""
        entry = self._entries.get(id_)
        return None if entry is None else entry[0]

    def put(self, id_: str, value: str, until: float, *, head: bool) -> bool:
        """Put an entry, which is gone at `until`; tell whether it is new.

        A new one comes last, or first with `head`; one that is there keeps its place, or is moved
        to the head.
        """
        entries = self._entries
        is_new = id_ not in entries
        entries[id_] = (value, until)
        if head:
            entries.move_to_end(id_, last=False)
        if until != math.inf:
            heappush(self._due, (until, id_))
            self.soonest = min(self.soonest, until)
        return is_new

    def drop(self, id_: str) -> bool:
        """Take an entry away; tell whether there was one."""
        return self._entries.pop(id_, None) is not None

    def trim(self, newest: int) -> list[str]:
        """Keep the last `newest` entries; return the ids of the others, in order."""
        over = max(0, len(self._entries) - newest)
        return [self._entries.popitem(last=False)[0] for _ in range(over)]

    # ------------------------------------------------------------------ expiry

    def next_due(self) -> float:
        """Return the next instant at which an entry is gone; infinite: none."""
        due, entries = self._due, self._entries
        while due:
            until, id_ = due[0]
            if id_ in entries and entries[id_][1] == until:
                return until
            heappop(due)
        return math.inf

    def expire(self, now: int) -> list[str]:
        """Take away what is gone by now; return the ids, in the order of their instants."""
        gone: list[str] = []
        while (soonest := self.next_due()) <= now:
            _, id_ = heappop(self._due)
            del self._entries[id_]
            gone.append(id_)
        self.soonest = soonest
        return gone
