"""The queries: asks for the tasks whose end no webhook has told.

Imports the ledger, the platforms, the results, the fallback and the outside slots.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final, NamedTuple

from windtunnel.services.backend.entry import Entry, Side
from windtunnel.services.backend.fallback import Fallback
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.outside_slots import OutsideSlots
from windtunnel.services.backend.platforms import Platforms
from windtunnel.services.backend.pool import Pool
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
    a restart each is asked for at once: its webhook may have been missed.
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
        self._pool = Pool(self.ask, AT_ONCE)

    @property
    def under_way(self) -> int:
        """How many questions are under way or still to be asked."""
        return self._pool.under_way

    async def run(self, group: asyncio.TaskGroup) -> None:
        """Ask until cancelled; the questions are asked in tasks of the group."""
        self._pool.start(group)
        loop = asyncio.get_running_loop()
        while True:
            now = loop.time()
            self._pool.put(self._due(now))
            soonest = min((entry.asked for entry in self._sent()), default=now)
            pause = max(soonest + self._period_s - now, self._period_s / SHARE)
            await asyncio.sleep(min(pause, self._period_s))

    async def ask(self, question: Question) -> None:
        """Ask for one task, and do what the answer means."""
        id_, side, request = question
        said = await self._platforms.ask(side, request, id_)
        if said is None or said.status in ("RUNNING", "OFFERED"):
            return  # an offer is said by webhook until it is answered
        if said.status in ENDS:
            self._results.take(id_, request, said.status, said.result, said.error)
        else:
            self._lost(question)
        await self._results.keep()

    def _lost(self, question: Question) -> None:
        entry = self._ledger.entry(question.id)
        if entry is not None and entry.request == question.request:
            self._fallback.lost(entry)
        elif question.side == "external" and self._slots.is_of(question.id, question.request):
            self._results.gone_outside(question.id)

    def _sent(self) -> Iterator[Entry]:
        yield from self._ledger.at("inside")
        yield from self._ledger.at("outside")

    def _due(self, now: float) -> Iterator[Question]:
        for entry in self._sent():
            if entry.side is not None and now - entry.asked >= self._period_s:
                entry.asked = now
                yield Question(entry.id, entry.side, entry.request)
        for id_, request in self._slots.items():
            if request and self._ledger.entry(id_) is None:
                yield Question(id_, "external", request)
