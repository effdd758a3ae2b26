"""The waiting queue: the tasks that wait, in three lanes, each in order (RT-S5, S6).

Imports the entry.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice, takewhile
from typing import Final, Literal

from windtunnel.services.backend.entry import Entry
from windtunnel.services.wire.task import RUNNINGHUB

Lane = Literal["routed", "outside", "direct"]
"""`routed`: inside or outside, as the split says. `outside`: only there: it fell back, or the
feature is off. `direct`: of another platform, which goes there as ever, whatever ours have."""

LANES: Final[tuple[Lane, ...]] = ("routed", "outside", "direct")


class WaitingQueue:
    """Entries in the order of their numbers, however they come; `routing` off: none is routed."""

    def __init__(self, *, routing: bool) -> None:
        self._routing = routing
        # OrderedDict: its first entries are found at once, however many went before them.
        self._lanes: dict[Lane, OrderedDict[str, Entry]] = {lane: OrderedDict() for lane in LANES}

    def __len__(self) -> int:
        return sum(map(len, self._lanes.values()))

    def count(self, lane: Lane) -> int:
        """Return how many wait in a lane."""
        return len(self._lanes[lane])

    def first(self, lane: Lane, count: int | None = None) -> list[Entry]:
        """Return the first entries of a lane, at most `count`; they stay."""
        entries = self._lanes[lane]
        return list(islice(entries.values(), count)) if entries else []

    def add(self, entry: Entry) -> None:
        """Put an entry where its number says; fast near both ends."""
        lane = self._lanes[self._lane(entry)]
        last = next(reversed(lane.values()), None)
        before: list[Entry] = []
        if last is not None and entry.number < last.number:
            before = list(takewhile(lambda one: one.number < entry.number, lane.values()))
            lane[entry.id] = entry
            lane.move_to_end(entry.id, last=False)
            for one in reversed(before):
                lane.move_to_end(one.id, last=False)
        else:
            lane[entry.id] = entry

    def remove(self, entry: Entry) -> None:
        """Take an entry out; it must not have been marked otherwise meanwhile."""
        del self._lanes[self._lane(entry)][entry.id]

    def _lane(self, entry: Entry) -> Lane:
        if entry.task.platform != RUNNINGHUB:
            return "direct"
        return "routed" if self._routing and not entry.external else "outside"
