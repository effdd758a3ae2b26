"""The journal: brings what has changed in the ledger to the store, all of an instant in one commit.

While the store is down the changes are kept here, in memory, and merged when it is back: of each
task where it is then, so that nothing is lost or doubled (RT-X2). Imports the store port and its
bound, the entry and the known.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from windtunnel.ports.store import Change, Drop, Put, Store, StoreError, Trim
from windtunnel.services.backend.entry import OVER, Entry, Place, to_text
from windtunnel.services.backend.known import known_put
from windtunnel.services.bounded_store import StoreSilentError
from windtunnel.services.clock import now_ns

logger = logging.getLogger("windtunnel.backend")

UNTOLD: Final = "untold"
"""The table of what the owners are still to be told."""
KEPT: Final = 1000
"""So many tasks are kept in each place where they are over, the newest."""
AGAIN_S: Final = 1.0
"""So long after a failure the store is tried again."""


class Journal:
    """Which entries the store does not have as they are; `met` is told of each failure of it.

    One commit holds each task's whole move, from where the store has it to where it is. There is
    one writer, so no commit needs a condition.
    """

    def __init__(self, store: Store, met: Callable[[StoreError], None]) -> None:
        self._store = store
        self._met = met
        self._lock = asyncio.Lock()
        self._changed: dict[str, Entry] = {}
        self._told: list[str] = []
        # Where the store may have a task beside `Entry.stored`: of commits not seen to end.
        self._unsure: dict[str, set[Place]] = {}
        self._down = asyncio.Event()
        self._up = asyncio.Event()
        self._up.set()

    @property
    def down(self) -> bool:
        """Whether the store failed when it was last tried."""
        return self._down.is_set()

    def changed(self, entry: Entry) -> None:
        """Take it that an entry is no longer as it was; the next `keep` stores it."""
        self._changed[entry.id] = entry

    def told(self, id_: str) -> None:
        """Take it that a task's owner has been told."""
        self._told.append(id_)

    async def keep(self) -> bool:
        """Store what has changed so far; tell whether the store has it.

        False: it is down, and what has changed is kept here until it is back.
        """
        if self._changed or self._told or self._lock.locked():
            async with self._lock:
                if not self.down:
                    await self._flush()
        return not self.down

    async def stored(self) -> None:
        """Wait until the store has what has changed so far, however long it is down.

        Not what changes while it waits.
        """
        while not await self.keep():
            await self._up.wait()

    async def run(self) -> None:
        """Try a store that is down again and again, until cancelled."""
        while True:
            await self._down.wait()
            await asyncio.sleep(AGAIN_S)
            async with self._lock:
                await self._flush()

    async def _flush(self) -> None:
        """Commit all that has changed, if anything; what changes meanwhile is for the next time."""
        entries, self._changed = self._changed, {}
        told, self._told = self._told, []
        changes = self._changes(entries, told)
        places = {entry.id: entry.place for entry in entries.values()}
        kept, made = False, True
        try:
            if changes:
                await self._store.commit(changes)
            kept = True
        except StoreError as error:
            made = isinstance(error, StoreSilentError)
            self._fail()
            self._met(error)
        finally:
            if kept:
                self._succeed(entries, places)
            else:
                if made:  # perhaps: it was cancelled, or not answered
                    self._doubt(places)
                self._changed = entries | self._changed
                self._told = told + self._told

    def _fail(self) -> None:
        self._down.set()
        self._up.clear()

    def _succeed(self, entries: dict[str, Entry], places: dict[str, Place]) -> None:
        for id_, entry in entries.items():
            entry.stored = places[id_]
            if self._unsure:
                self._unsure.pop(id_, None)
        if self.down:
            self._down.clear()
            self._up.set()

    def _doubt(self, places: Mapping[str, Place]) -> None:
        """Take it that the store may have each of these tasks where it was to be, or not."""
        for id_, place in places.items():
            self._unsure.setdefault(id_, set()).add(place)

    def _changes(self, entries: dict[str, Entry], told: list[str]) -> list[Change]:
        """Return what stores these; an entry that has no text is taken out of them.

        So one that nobody can store holds up no other: the store has it where it was.
        """
        changes: list[Change] = []
        at = now_ns()
        for entry in tuple(entries.values()):
            try:
                changes.extend(_move(entry, self._unsure.get(entry.id, ()), at))
            except (TypeError, ValueError):
                logger.exception("%s cannot be stored", entry.id)
                del entries[entry.id]
        ended = {entry.place for entry in entries.values()}.intersection(OVER)
        changes.extend(Trim(place, KEPT) for place in OVER if place in ended)
        changes.extend(Drop(UNTOLD, id_) for id_ in told)
        return changes


def _move(entry: Entry, unsure: Collection[Place], at: int) -> Iterator[Change]:
    text = to_text(entry)  # first of all: what raises is left out whole
    for place in sorted(unsure):
        if place not in (entry.stored, entry.place):
            yield Drop(place, entry.id)
    if entry.stored is not None and entry.stored != entry.place:
        yield Drop(entry.stored, entry.id)
    returns = entry.place == "waiting" and entry.stored not in (None, "waiting")
    yield Put(entry.place, entry.id, text, head=returns)
    if entry.over:
        yield Put(UNTOLD, entry.id, text)
        yield known_put(entry, at)
