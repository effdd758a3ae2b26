"""The ledger: each task that was taken in, in exactly one of seven places (RT-R3, F-R9).

It is the store's content in memory, read once at the start: this program is the store's one
writer. A change is made here at once, and is in the store when the journal has kept it. Imports
the journal, the entry and the waiting queue.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Final, get_args

from windtunnel.ports.store import Store, StoreError
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.entry import (
    OVER,
    Entry,
    Place,
    answer_from,
    from_text,
    new_entry,
)
from windtunnel.services.backend.journal import KEPT, UNTOLD, Journal
from windtunnel.services.backend.waiting_queue import WaitingQueue
from windtunnel.services.wire.task import Task

logger = logging.getLogger("windtunnel.backend")

PLACES: Final[tuple[Place, ...]] = get_args(Place)
OPEN: Final[tuple[Place, ...]] = tuple(place for place in PLACES if place not in OVER)
ALL: Final = 2**31


class Ledger:
    """The seven places. `met` is told of each failure of the store; `routing`: see WaitingQueue."""

    def __init__(self, store: Store, met: Callable[[StoreError], None], *, routing: bool) -> None:
        self._store = store
        self.journal = Journal(store, met)
        self.waiting = WaitingQueue(routing=routing)
        self.untold: dict[str, Answer] = {}
        """What owners are still to be told, by task id."""
        self._open: dict[str, Entry] = {}
        self._places: dict[Place, dict[str, Entry]] = {
            place: {} for place in OPEN if place != "waiting"
        }
        # id → whether it had been taken over from the dispatcher; the newest KEPT of each place
        self._over: dict[str, OrderedDict[str, bool]] = {place: OrderedDict() for place in OVER}
        self._next = 1

    async def load(self) -> None:
        """Read what a former life has left; raises `StoreError`, and may then be called again."""
        texts = {place: await self._store.first(place, ALL) for place in PLACES}
        untold = await self._store.first(UNTOLD, ALL)
        entries = [from_text(id_, place, text) for place in OPEN for id_, text in texts[place]]
        for entry in sorted(entries, key=lambda one: one.number):
            self._open[entry.id] = entry
            self._enter(entry)
            self._next = entry.number + 1
        for place in OVER:
            for id_, text in texts[place]:
                self._over[place][id_] = answer_from(id_, text)[1]
        self.untold = {id_: answer_from(id_, text)[0] for id_, text in untold}

    def entry(self, id_: str) -> Entry | None:
        """Return the entry of a task that is not over, or None."""
        return self._open.get(id_)

    def place(self, id_: str) -> Place | None:
        """Return where a task is; None: it is not known, or was over long ago."""
        entry = self._open.get(id_)
        if entry is not None:
            return entry.place
        return next((place for place in OVER if id_ in self._over[place]), None)

    def taken_over(self, id_: str) -> bool:
        """Tell whether a task was offered by the dispatcher and taken (RT-D5)."""
        entry = self._open.get(id_)
        if entry is not None:
            return entry.offered
        return any(over.get(id_, False) for over in self._over.values())

    def at(self, place: Place) -> Iterator[Entry]:
        """Give the entries in `sending`, `inside` or `outside`, as they are now."""
        return iter(tuple(self._places[place].values()))

    def counts(self) -> Mapping[str, int]:
        """Return how many tasks are in each place; of those that are over, the newest only."""
        return {
            "waiting": len(self.waiting),
            **{place: len(entries) for place, entries in self._places.items()},
            **{place: len(self._over[place]) for place in OVER},
        }

    def add(self, task: Task) -> Entry | None:
        """Take a task in, to wait; None for one that is known.

        Raises TypeError or ValueError where its body has no JSON text.
        """
        if self.place(task.id) is not None:
            return None
        entry = new_entry(self._next, task)
        self._next += 1
        self._open[task.id] = entry
        self._enter(entry)
        self.journal.changed(entry)
        return entry

    def move(self, entry: Entry, from_: Place, to: Place) -> bool:
        """Move an entry from one place to another where it is not over; False: it is not there."""
        if entry.place != from_:
            return False
        self._leave(entry)
        entry.place = to
        self._enter(entry)
        self.journal.changed(entry)
        return True

    def finish(self, answer: Answer) -> Entry | None:
        """End a task, wherever it is, and have its owner told; None where it is over already.

        So the first result of a task is the one that counts (F-R17).
        """
        entry = self._open.pop(answer.id, None)
        if entry is None:
            return None
        self._leave(entry)
        entry.answer = answer
        entry.place = answer.status
        over = self._over[answer.status]
        over[answer.id] = entry.offered
        if len(over) > KEPT:
            over.popitem(last=False)
        self.untold[answer.id] = answer
        self.journal.changed(entry)
        return entry

    def told(self, id_: str) -> None:
        """Take it that a task's owner has been told."""
        if self.untold.pop(id_, None) is not None:
            self.journal.told(id_)

    def _enter(self, entry: Entry) -> None:
        if entry.place == "waiting":
            self.waiting.add(entry)
        else:
            self._places[entry.place][entry.id] = entry

    def _leave(self, entry: Entry) -> None:
        if entry.place == "waiting":
            self.waiting.remove(entry)
        else:
            del self._places[entry.place][entry.id]
