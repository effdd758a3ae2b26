"""The submitter: sends tasks to their platforms, a bounded number at once (RT-H6, F-R7).

Imports the platforms, the ledger, the accounts, the fallback and the results.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Final

from windtunnel.errors import WorldError
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.entry import Entry, Place, Side
from windtunnel.services.backend.fallback import Fallback
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.platforms import Platforms, Refusal, Taken
from windtunnel.services.backend.pool import Met, Pool
from windtunnel.services.backend.results import Results
from windtunnel.services.note import Note
from windtunnel.services.wire.task import RUNNINGHUB

logger = logging.getLogger("windtunnel.backend")

TAKEN_TO: Final[dict[Side, Place]] = {"internal": "inside", "external": "outside"}


class Submitter:
    """Sends what the ledger has in `sending`, each to the side that its entry names.

    So many submissions as the options say are under way to the inside, to the outside and to other
    platforms each: one that hangs does not hold up the others. `unwell()` is called when a
    submission inside has failed, be it by its time: health is to be looked at. Notes `task.sent`.
    """

    def __init__(  # noqa: PLR0913 - what it works with, and whom it tells
        self,
        platforms: Platforms,
        ledger: Ledger,
        accounts: Accounts,
        fallback: Fallback,
        results: Results,
        options: RouterOptions,
        note: Note,
        *,
        unwell: Callable[[], None] = lambda: None,
    ) -> None:
        self._platforms = platforms
        self._ledger = ledger
        self._accounts = accounts
        self._fallback = fallback
        self._results = results
        self._note = note
        self._unwell = unwell
        self.sent: dict[Side, int] = {"internal": 0, "external": 0}
        """How many tasks each side has taken in this life."""
        self._inside = Pool(self._send, options.submissions)
        self._outside = Pool(self._send, options.submissions)
        self._direct = Pool(self._send, options.submissions)
        self._stops = options.batch == "stops"

    @property
    def under_way(self) -> int:
        """How many submissions are under way or still to be made, to any side."""
        return self._inside.under_way + self._outside.under_way + self._direct.under_way

    @property
    def inside_under_way(self) -> int:
        """How many of them are for the inside."""
        return self._inside.under_way

    def start(self, group: asyncio.TaskGroup, met: Met | None = None) -> None:
        """Work in the tasks of this group, from now on; `met` is told of what gets out of one."""
        for pool in (self._inside, self._outside, self._direct):
            pool.start(group, met)

    async def send(self, entries: Iterable[Entry]) -> None:
        """Send a batch; returns once it is under way.

        With `batch="stops"`: when all are sent, or one was refused. As listed, the rest of its
        batch is then forgotten in `sending`, until a restart (F-R7).
        """
        if self._stops:
            for entry in entries:
                if not await self._send(entry):
                    return
            return
        inside: list[Entry] = []
        outside: list[Entry] = []
        direct: list[Entry] = []
        for entry in entries:
            if entry.side == "internal":
                inside.append(entry)
            else:
                (outside if entry.task.platform == RUNNINGHUB else direct).append(entry)
        self._inside.put(inside)
        self._outside.put(outside)
        self._direct.put(direct)

    async def _send(self, entry: Entry) -> bool:
        """Send one task; tell whether it was taken.

        An error that nobody has met is a refusal: the task is not to stay in `sending`.
        """
        try:
            return await self._deliver(entry)
        except WorldError:
            raise
        except Exception as error:
            logger.exception("sending %s failed", entry.id)
            self._platforms.met(error, entry.id)
            if entry.place != "sending":
                return True
            return await self._refused(entry, Refusal("refused", None, type(error).__name__))

    async def _refused(self, entry: Entry, refusal: Refusal) -> bool:
        if entry.side == "internal":
            self._fallback.refused_inside(entry, refusal)
        else:
            self._fallback.refused_outside(entry, refusal)
        await self._results.keep()
        return False

    async def _deliver(self, entry: Entry) -> bool:
        if entry.side == "internal":
            return await self._send_inside(entry)
        outcome = await self._platforms.submit("external", entry.task)
        if isinstance(outcome, Taken):
            self._accounts.outside.accepted()
            self._accounts.slots.known(entry.id, outcome.request)
            await self._taken(entry, "external", outcome)
            return True
        return await self._refused(entry, outcome)

    async def _send_inside(self, entry: Entry) -> bool:
        if self._accounts.degradation.degraded and not entry.resumed:
            self._fallback.not_sent(entry)
            await self._results.keep()
            return False
        ticket = self._accounts.breaker.allow()
        outcome: Taken | Refusal = Refusal("breaker")
        if ticket is not None:
            outcome = await self._platforms.submit("internal", entry.task)
            self._judge(ticket, outcome)
        if isinstance(outcome, Taken):
            self._accounts.inside.accepted()
            if entry.reservation is not None:
                self._accounts.book.accepted(entry.reservation, outcome.report)
            await self._taken(entry, "internal", outcome)
            return True
        if _concerns_health(outcome):
            self._unwell()
        return await self._refused(entry, outcome)

    def _judge(self, ticket: int, outcome: Taken | Refusal) -> None:
        """Have the breaker know: a platform that answers works, whatever it answers (F-R14)."""
        breaker = self._accounts.breaker
        if isinstance(outcome, Taken):
            breaker.success(ticket)
        elif outcome.why == "token" and outcome.code is None:
            breaker.forget(ticket)
        elif outcome.of_platform:
            breaker.failure(ticket)
        else:
            breaker.success(ticket)

    async def _taken(self, entry: Entry, side: Side, taken: Taken) -> None:
        self.sent[side] += 1
        self._note("task.sent", entry.id, {"side": side, "request": taken.request})
        entry.reservation = None
        entry.request = taken.request
        entry.asked = asyncio.get_running_loop().time()
        # Where its result was faster than this answer it has been moved already.
        self._ledger.move(entry, "sending", TAKEN_TO[side])
        await self._results.keep()


def _concerns_health(refusal: Refusal) -> bool:
    """Tell whether a refusal says anything of the dispatcher's health (RT-H6)."""
    return not refusal.of_capacity and refusal.why not in ("wrong_form", "breaker")
