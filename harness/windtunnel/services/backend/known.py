"""The known: the tasks that are over, each for a day, so that none is accepted twice (RT-R3).

Their results are kept for the newest alone; of the others it is known that they are over. Imports
the entry.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Final, NamedTuple

from windtunnel.ports.store import Put
from windtunnel.services.backend.entry import Entry, Place
from windtunnel.units import DAY, to_seconds

KNOWN: Final = "known"
"""Table: task id → how it ended; an entry goes when it is a day old."""
LIFE: Final = DAY
"""No shorter than the dispatcher knows a task that it was given."""
_LIFE_S: Final = to_seconds(LIFE)


class Ended(NamedTuple):
    """What is known of a task that is over."""

    place: Place
    offered: bool
    """Whether it was taken over from the dispatcher (RT-D5)."""
    at: int
    """When it ended, ns."""


class Known:
    """What became of each task that ended within a day; instants in nanoseconds."""

    def __init__(self) -> None:
        # In the order in which they ended, and so in that in which they are forgotten.
        self._ended: OrderedDict[str, Ended] = OrderedDict()

    def __len__(self) -> int:
        return len(self._ended)

    def add(self, id_: str, ended: Ended) -> None:
        """Take it that a task has ended now, and forget those that did so a day ago."""
        self._ended[id_] = ended
        self._forget(ended.at)

    def read(self, id_: str, text: str, now: int) -> None:
        """Take what the store holds of a task; raises ValueError or TypeError if that is wrong."""
        place, offered, at = json.loads(text)
        # A clock that began anew may be behind what it said before.
        self._ended[id_] = Ended(place, bool(offered), min(int(at), now))

    def get(self, id_: str) -> Ended | None:
        """Return how a task ended, or None."""
        return self._ended.get(id_)

    def _forget(self, now: int) -> None:
        while self._ended:
            id_ = next(iter(self._ended))
            if self._ended[id_].at > now - LIFE:
                return
            del self._ended[id_]


def known_put(entry: Entry, now: int) -> Put:
    """Return the change that has the store know of a task that is over."""
    offered = "true" if entry.offered else "false"
    return Put(KNOWN, entry.id, f'["{entry.place}",{offered},{now}]', expires_s=_LIFE_S)
