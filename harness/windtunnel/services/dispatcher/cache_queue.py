"""The cache queue: where each accepted task is, in the store and, the same, in memory (RT-R2).

Every move is one commit (RT-R3), made under one lock (RT-R6); memory follows the store and is read
anew from it when it may have been left behind. Imports the store, entry, letter and unreadable.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from windtunnel.ports.store import (
    Change,
    Condition,
    Drop,
    Has,
    Lacks,
    Put,
    Store,
    StoreError,
    Trim,
)
from windtunnel.services.bounded_store import StoreSilentError
from windtunnel.services.dispatcher.entry import (
    Assignment,
    Entry,
    encode,
    read_assignment,
    read_end,
    read_entry,
)
from windtunnel.services.dispatcher.letter import Letter, request_id
from windtunnel.services.dispatcher.unreadable import set_aside
from windtunnel.services.unreadable import Unreadable, sorted_out
from windtunnel.services.wire.task import SUCCESS

PENDING: Final = "md:cache:pending"
PROCESSING: Final = "md:cache:processing"
OFFERED: Final = "md:cache:offered"
"""Offered to the backend, and not pending meanwhile (RT-D5)."""
COMPLETED: Final = "md:cache:completed"
KNOWN: Final = "md:known"
"""Ids that were accepted: each once (RT-R3)."""
ALL: Final = 2**31
"""More entries than any table has."""

Accepted = Literal["accepted", "repeated", "full"]
Place = Literal["pending", "processing", "offered"]
Offer = tuple[Entry, Letter]
"""A task, and what is said to its owner."""


class End(NamedTuple):
    """How a task ended: `SUCCESS`, `FAILED` or `EXPIRED`, with its result or its error."""

    status: str
    result: Any = None
    error: str | None = None

    def what(self) -> dict[str, Any]:
        """Return its result or its error by name."""
        return {"result": self.result} if self.status == SUCCESS else {"error": self.error}


@dataclass(slots=True)
class Tables:
    """What is in the store, in memory."""

    pending: OrderedDict[str, Entry] = field(default_factory=OrderedDict)
    processing: dict[str, Assignment] = field(default_factory=dict)
    offered: dict[str, Entry] = field(default_factory=dict)
    completed: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """Id → text, the newest last."""
    broken: list[Unreadable] = field(default_factory=list)
    """What could not be read, and is set aside."""


class CacheQueue:
    """The tasks of a dispatcher. Every coroutine raises `StoreError`; then nothing has moved.

    At each instant an accepted task that has not ended is in one of `pending`, `processing` and
    `offered` (F-R9). `claim` False: a claim asks no more whether the task is still there (F-R5).
    `read_anew` is called each time that memory was read from the store.
    """

    def __init__(
        self,
        store: Store,
        *,
        queue_max: int,
        known_s: float,
        kept: int,
        claim: bool = True,
        read_anew: Callable[[], None] = lambda: None,
    ) -> None:
        self.tables = Tables()
        self._store = store
        self._queue_max = queue_max
        self._known_s = known_s
        self._kept = kept
        self._claim = claim
        self._read_anew = read_anew
        self._lock = asyncio.Lock()
        self._behind = True

    async def load(self) -> None:
        """Read the tables from the store, unless memory is as they are (RT-B4)."""
        if self._behind:
            async with self._lock:
                await self._current()

    def at_rest(self) -> asyncio.Lock:
        """Return what nothing moves under: `async with queue.at_rest()`."""
        return self._lock

    async def accept(self, entry: Entry) -> Accepted:
        """Take a task in, at the end of what is pending, unless its id is known or it is full."""
        async with self._lock:
            tables = await self._current()
            if self.place_of(entry.id) is not None:
                return "repeated"
            if len(tables.pending) >= self._queue_max:
                known = await self._store.get(KNOWN, entry.id)
                return "full" if known is None else "repeated"
            changes = (
                Put(PENDING, entry.id, entry.value()),
                Put(KNOWN, entry.id, request_id(entry.id), expires_s=self._known_s),
            )
            if not await self._commit(changes, (Lacks(KNOWN, entry.id),)):
                return "repeated"
            tables.pending[entry.id] = entry
            return "accepted"

    async def claim(self, entry: Entry, instance: str, bridge: str, now: int) -> Assignment | None:
        """Give a pending task to an instance; None where it is pending no longer."""
        async with self._lock:
            tables = await self._current()
            if self._claim and not _same(tables.pending.get(entry.id), entry):
                return None
            run = entry._replace(attempt=entry.attempt + 1)
            return await self._start(tables, Assignment(run, instance, bridge, now))

    async def adopt(self, entry: Entry, instance: str, bridge: str, now: int) -> Assignment | None:
        """Count a pending task as running where its last run still goes on; None as `claim`."""
        async with self._lock:
            tables = await self._current()
            if not _same(tables.pending.get(entry.id), entry):
                return None
            return await self._start(tables, Assignment(entry, instance, bridge, now))

    async def _start(self, tables: Tables, assignment: Assignment) -> Assignment | None:
        id_ = assignment.entry.id
        changes = (Drop(PENDING, id_), Put(PROCESSING, id_, assignment.value()))
        if not await self._move(changes, (Has(PENDING, id_),) if self._claim else ()):
            return None
        tables.pending.pop(id_, None)
        tables.processing[id_] = assignment
        return assignment

    async def requeue(self, assignment: Assignment, retries: int) -> Entry | None:
        """Put a task that was processing back to the head of what is pending (RT-D4).

        None where this run of it is processing no longer.
        """
        async with self._lock:
            tables = await self._current()
            id_ = assignment.entry.id
            held = tables.processing.get(id_)
            if held is None or held.instance != assignment.instance or held.run != assignment.run:
                return None
            entry = assignment.entry._replace(retries=retries)
            changes = (Drop(PROCESSING, id_), Put(PENDING, id_, entry.value(), head=True))
            if not await self._move(changes, (Has(PROCESSING, id_),)):
                return None
            del tables.processing[id_]
            tables.pending[id_] = entry
            tables.pending.move_to_end(id_, last=False)
            return entry

    async def complete(
        self, id_: str, end: End, letter: Letter | None, only: Place | None = None
    ) -> Assignment | Entry | None:
        """End a task wherever it is, or in that place only; return what it was, None if not there.

        Its letter goes into the outbox with the same commit, so that it is surely told (F-R6).
        """
        async with self._lock:
            tables = await self._current()
            place = self.place_of(id_)
            if place is None or (only is not None and place != only):
                return None
            text = encode({"taskId": id_, "status": end.status, **end.what()})
            key = _KEYS[place]
            changes: list[Change] = [Drop(key, id_), Put(COMPLETED, id_, text)]
            if len(tables.completed) >= self._kept:
                changes.append(Trim(COMPLETED, self._kept))
            if letter is not None:
                changes.append(letter.change())
            if not await self._move(changes, (Has(key, id_),)):
                return None
            was: Assignment | Entry = self._table(place).pop(id_)
            tables.completed[id_] = text
            while len(tables.completed) > self._kept:
                tables.completed.popitem(last=False)
            return was

    async def offer(self, offers: Sequence[Offer]) -> Sequence[Offer]:
        """Take pending tasks out, to be offered; return those that were still pending (RT-D5).

        All go in one commit, each with its letter.
        """
        async with self._lock:
            tables = await self._current()
            still = [(e, letter) for e, letter in offers if _same(tables.pending.get(e.id), e)]
            if not still:
                return []
            changes: list[Change] = []
            for entry, letter in still:
                changes += (Drop(PENDING, entry.id), Put(OFFERED, entry.id, entry.value()))
                changes.append(letter.change())
            if not await self._move(changes, [Has(PENDING, entry.id) for entry, _ in still]):
                return []
            for entry, _ in still:
                tables.offered[entry.id] = tables.pending.pop(entry.id)
            return still

    async def take_back(self, id_: str, also: Iterable[Change] = ()) -> Entry | None:
        """Put an offered task to the end of what is pending: nobody has taken it.

        None where it is offered no longer.
        """
        async with self._lock:
            tables = await self._current()
            entry = tables.offered.get(id_)
            if entry is None:
                return None
            changes = (Drop(OFFERED, id_), Put(PENDING, id_, entry.value()), *also)
            if not await self._move(changes, (Has(OFFERED, id_),)):
                return None
            tables.pending[id_] = tables.offered.pop(id_)
            return entry

    async def give_away(self, id_: str, also: Iterable[Change] = ()) -> bool:
        """Forget an offered task: the backend has taken it, and may submit it anew."""
        async with self._lock:
            tables = await self._current()
            if id_ not in tables.offered:
                return False
            changes = (Drop(OFFERED, id_), Drop(KNOWN, id_), *also)
            if not await self._move(changes, (Has(OFFERED, id_),)):
                return False
            del tables.offered[id_]
            return True

    def place_of(self, id_: str) -> Place | None:
        """Return where a task is that has not ended, or None."""
        tables = self.tables
        if id_ in tables.processing:
            return "processing"
        if id_ in tables.pending:
            return "pending"
        return "offered" if id_ in tables.offered else None

    def entry_of(self, id_: str) -> Entry | None:
        """Return a task that has not ended, or None."""
        tables = self.tables
        assignment = tables.processing.get(id_)
        if assignment is not None:
            return assignment.entry
        return tables.pending.get(id_) or tables.offered.get(id_)

    def _table(self, place: Place) -> dict[str, Any]:
        table: dict[str, Any] = getattr(self.tables, place)
        return table

    async def _current(self) -> Tables:
        """Return the tables as they are in the store; only under the lock."""
        if self._behind:
            tables = await _read(self._store)
            if tables.broken:
                await self._commit(_set_aside(tables.broken), ())
            self.tables = tables
            self._behind = False
            self._read_anew()
        return self.tables

    async def _move(self, changes: Sequence[Change], given: Sequence[Condition]) -> bool:
        """Commit what memory says is possible; where the store says no memory is behind."""
        made = await self._commit(changes, given)
        self._behind = self._behind or not made
        return made

    async def _commit(self, changes: Sequence[Change], given: Sequence[Condition]) -> bool:
        try:
            return await self._store.commit(changes, given)
        except StoreError as error:
            # Of another failure nothing has happened.
            self._behind = self._behind or isinstance(error, StoreSilentError)
            raise
        except BaseException:
            self._behind = True  # cut short: whether it has happened is not known
            raise


_KEYS: Final[dict[Place, str]] = {
    "pending": PENDING,
    "processing": PROCESSING,
    "offered": OFFERED,
}


def _same(there: Entry | None, entry: Entry) -> bool:
    """Tell whether what is there is that entry: itself, or what a reading has made of it anew."""
    return there is entry or (
        there is not None and (there.attempt, there.retries) == (entry.attempt, entry.retries)
    )


def _set_aside(broken: Iterable[Unreadable]) -> list[Change]:
    """Return what sets these aside; a task that is lost by it may be submitted anew."""
    changes: list[Change] = []
    for one in broken:
        changes += set_aside(one)
        if one.key != COMPLETED:
            changes.append(Drop(KNOWN, one.id))
    return changes


async def _read(store: Store) -> Tables:
    broken: list[Unreadable] = []
    pending = await store.first(PENDING, ALL)
    processing = await store.first(PROCESSING, ALL)
    offered = await store.first(OFFERED, ALL)
    completed = await store.first(COMPLETED, ALL)
    return Tables(
        OrderedDict(sorted_out(PENDING, pending, read_entry, broken)),
        dict(sorted_out(PROCESSING, processing, read_assignment, broken)),
        dict(sorted_out(OFFERED, offered, read_entry, broken)),
        OrderedDict(sorted_out(COMPLETED, completed, read_end, broken)),
        broken,
    )
