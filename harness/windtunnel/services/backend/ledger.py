"""The ledger: each task that was taken in, in exactly one of seven places (RT-R3, F-R9).

It is the store's content in memory, read once at the start: this program is the store's one
writer. A change is made here at once, and is in the store when the journal has kept it. Imports
the journal, the known, the entry, the unreadable and the waiting queue.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from windtunnel.ports.store import Store, StoreError
from windtunnel.services.backend.answer import Answer, Status
from windtunnel.services.backend.entry import (
    OVER,
    Entry,
    Place,
    answer_from,
    new_entry,
)
from windtunnel.services.backend.journal import KEPT, UNTOLD, Journal
from windtunnel.services.backend.known import KNOWN, Ended, Known
from windtunnel.services.backend.unreadable import (
    OPEN,
    UNREADABLE,
    kept,
    left_of,
    read_entry,
)
from windtunnel.services.backend.waiting_queue import WaitingQueue
from windtunnel.services.clock import now_ns
from windtunnel.services.unreadable import Unreadable, sorted_out
from windtunnel.services.wire.task import Task

logger = logging.getLogger("windtunnel.backend")

ALL: Final = 2**31


class Ledger:
    """The seven places. `met` is told of each failure of the store; `routing`: see WaitingQueue."""

    def __init__(self, store: Store, met: Callable[[StoreError], None], *, routing: bool) -> None:
        self._store = store
        self.journal = Journal(store, met)
        self.waiting = WaitingQueue(routing=routing)
        self.untold: dict[str, Answer] = {}
        """What owners are still to be told, by task id."""
        self.news: deque[Answer] = deque()
        """What has been added to it, until somebody takes it from here."""
        self._open: dict[str, Entry] = {}
        self._places: dict[Place, dict[str, Entry]] = {
            place: {} for place in OPEN if place != "waiting"
        }
        self._known = Known()
        self._over: dict[Status, int] = dict.fromkeys(OVER, 0)
        self._next = 1

    async def load(self) -> None:
        """Read what a former life has left; raises `StoreError`, and may then be called again.

        What cannot be read is set aside in a table of its own; its task has failed (`UNREADABLE`).
        """
        texts = {place: await self._table(place) for place in OPEN}
        over = {place: await self._store.count(place) for place in OVER}
        known, untold = await self._table(KNOWN), await self._table(UNTOLD)
        broken: list[Unreadable] = []
        entries: list[Entry] = []
        for place in OPEN:
            read = partial(read_entry, place)
            entries += (entry for _, entry in sorted_out(place, texts[place], read, broken))
        sorted_out(KNOWN, known, partial(self._known.read, now=now_ns()), broken)
        answers = sorted_out(UNTOLD, untold, answer_from, broken)
        if broken:
            await self._store.commit([kept(one) for one in broken])
        for entry in sorted(entries, key=lambda one: one.number):
            self._open[entry.id] = entry
            self._enter(entry)
            self._next = entry.number + 1
        self._over.update(over)
        self.untold = {answer.id: answer for _, (answer, _) in answers}
        for one in broken:
            self._give_up(one)

    def entry(self, id_: str) -> Entry | None:
        """Return the entry of a task that is not over, or None."""
        return self._open.get(id_)

    def place(self, id_: str) -> Place | None:
        """Return where a task is; None: it is not known, or was over a day ago."""
        entry = self._open.get(id_) or self._known.get(id_)
        return None if entry is None else entry.place

    def taken_over(self, id_: str) -> bool:
        """Tell whether a task was offered by the dispatcher and taken (RT-D5)."""
        entry = self._open.get(id_)
        if entry is not None:
            return entry.offered
        ended = self._known.get(id_)
        return ended is not None and ended.offered

    def at(self, place: Place) -> Iterator[Entry]:
        """Give the entries in `sending`, `inside` or `outside`, as they are now."""
        return iter(tuple(self._places[place].values()))

    def counts(self) -> Mapping[str, int]:
        """Return how many tasks are in each place; of those that are over, the newest only."""
        return {
            "waiting": len(self.waiting),
            **{place: len(entries) for place, entries in self._places.items()},
            **{place: self._over[place] for place in OVER},
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
        self._over[answer.status] = min(self._over[answer.status] + 1, KEPT)
        self._known.add(answer.id, Ended(answer.status, entry.offered, now_ns()))
        self.untold[answer.id] = answer
        self.news.append(answer)
        self.journal.changed(entry)
        return entry

    def told(self, id_: str) -> None:
        """Take it that a task's owner has been told."""
        if self.untold.pop(id_, None) is not None:
            self.journal.told(id_)

    async def _table(self, key: str) -> Sequence[tuple[str, str]]:
        return await self._store.first(key, ALL)

    def _give_up(self, broken: Unreadable) -> None:
        """Have whoever waits for what cannot be read learn of it."""
        entry = left_of(broken)
        if entry is not None and entry.id not in self._open:
            self._open[entry.id] = entry
            self._enter(entry)
            self.finish(Answer(entry.id, "failed", error=UNREADABLE))
        elif broken.key == KNOWN:
            self._known.add(broken.id, Ended("failed", offered=False, at=now_ns()))
        elif broken.key == UNTOLD:
            place = self.place(broken.id)
            status: Status = next((each for each in OVER if each == place), "failed")
            self.untold[broken.id] = Answer(broken.id, status, error=UNREADABLE)

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
