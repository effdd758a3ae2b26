"""The queries: asks for the tasks whose end no webhook has told.

Imports the ledger, the platforms, the results, the fallback and the outside slots.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from windtunnel.services.backend.entry import Entry, Side
from windtunnel.services.backend.fallback import GRACES, Fallback
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.outside_slots import OutsideSlots
from windtunnel.services.backend.platforms import Platforms
from windtunnel.services.backend.pool import Met, Pool
from windtunnel.services.backend.results import ENDS, Results

AT_ONCE: Final = 16
"""So many questions are under way."""
SHARE: Final = 10
"""Looks for what is due are at least a tenth of the period apart."""


class Question(NamedTuple):
    """What is asked."""

    id: str
    side: Side
    request: str


class Queries:
    """Asks for each task inside or outside every `period_s` from when it came there.

    Also for what the external platform has though the task is over here: that ends its slot. After
    a restart each is asked for at once: its webhook may have been missed. None is asked for while
    a question about it is under way, and a platform that is silent holds up the other's alone. A
    task in doubt whose time is up is given up (see the fallback).
    """

    def __init__(
        self,
        ledger: Ledger,
        slots: OutsideSlots,
        platforms: Platforms,
        results: Results,
        fallback: Fallback,
        period_s: float,
    ) -> None:
        self._ledger = ledger
        self._slots = slots
        self._platforms = platforms
        self._results = results
        self._fallback = fallback
        self._period_s = period_s
        self._pools: dict[Side, Pool[Question]] = {
            "internal": Pool(self._asked, AT_ONCE),
            "external": Pool(self._asked, AT_ONCE),
        }
        self._asking: set[Question] = set()
        self._nameless: dict[str, float] = {}
        """Slots of tasks that are over, by no name the platform knows → when they were first seen,
        seconds."""

    @property
    def under_way(self) -> int:
        """How many questions are under way or still to be asked."""
        return sum(pool.under_way for pool in self._pools.values())

    async def run(self, group: asyncio.TaskGroup, met: Met | None = None) -> None:
        """Ask until cancelled; the questions are asked in tasks of the group.

        `met` is told of what gets out of one; without it that ends the group.
        """
        for pool in self._pools.values():
            pool.start(group, met)
        for entry in self._sent():
            self._fallback.go_on_waiting(entry)
        loop = asyncio.get_running_loop()
        while True:
            now = loop.time()
            await self._give_up(now)
            self._give_back(now)
            for question in self._due(now):
                self._asking.add(question)
                self._pools[question.side].put((question,))
            soonest = min((self._next(entry) for entry in self._sent()), default=math.inf)
            pause = max(soonest - now, self._period_s / SHARE)
            await asyncio.sleep(min(pause, self._period_s))

    async def _asked(self, question: Question) -> None:
        try:
            await self.ask(question)
        finally:
            self._asking.discard(question)

    async def ask(self, question: Question) -> None:
        """Ask for one task, and do what the answer means."""
        id_, side, request = question
        said = await self._platforms.ask(side, request, id_)
        if said is None:
            return
        if said.status in ("RUNNING", "OFFERED"):  # an offer is said by webhook until answered
            self._found(question)
            await self._results.keep()
            return
        if said.status in ENDS:
            self._results.take(id_, request, said.status, said.result, said.error)
        else:
            self._lost(question)
        await self._results.keep()

    def _found(self, question: Question) -> None:
        entry = self._ledger.entry(question.id)
        if entry is not None and entry.request == question.request:
            self._fallback.found(entry)

    def _lost(self, question: Question) -> None:
        entry = self._ledger.entry(question.id)
        if entry is not None and entry.request == question.request:
            self._fallback.lost(entry)
        elif question.side == "external" and self._slots.is_of(question.id, question.request):
            self._results.gone_outside(question.id)

    def _sent(self) -> Iterator[Entry]:
        yield from self._ledger.at("inside")
        yield from self._ledger.at("outside")

    async def _give_up(self, now: float) -> None:
        over = [entry for entry in self._sent() if now >= entry.until]
        for entry in over:
            self._fallback.given_up(entry)
        if over:
            await self._results.keep()

    def _give_back(self, now: float) -> None:
        """End the slots that nobody will: of tasks over here, of which the platform never told.

        Its submission was not answered, so there is no name to ask by; it may have it all the same,
        and is given the time that a task in doubt gets.
        """
        nameless = {
            id_: self._nameless.get(id_, now)
            for id_, request in self._slots.items()
            if not request and self._ledger.entry(id_) is None
        }
        due = [id_ for id_, seen in nameless.items() if now - seen >= GRACES * self._period_s]
        for id_ in due:
            del nameless[id_]
            self._results.gone_outside(id_)
        self._nameless = nameless
        if due:
            self._results.changed()

    def _next(self, entry: Entry) -> float:
        """Return when there is something to do about a task, seconds."""
        return min(entry.until, entry.asked + self._period_s if entry.request else math.inf)

    def _due(self, now: float) -> Iterator[Question]:
        """Give what is to be asked now; of a task in doubt outside no name is known to ask by."""
        for entry in self._sent():
            if entry.side is not None and entry.request and now - entry.asked >= self._period_s:
                question = Question(entry.id, entry.side, entry.request)
                if question not in self._asking:
                    entry.asked = now
                    yield question
        for id_, request in self._slots.items():
            question = Question(id_, "external", request)
            if request and self._ledger.entry(id_) is None and question not in self._asking:
                yield question
