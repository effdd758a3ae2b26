"""The poller: empties the waiting queue, a batch at a time (RT-S5).

Imports the router, the ledger, the accounts and the submitter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.entry import Entry, Side
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.router import Decision, Router
from windtunnel.services.backend.submitter import Submitter
from windtunnel.services.note import Note
from windtunnel.services.wire.task import RUNNINGHUB


class Poller:
    """Decides when something may have changed, and every `poll_s` while tasks wait.

    Notes `route.decided` for each decision of the split that moved something.
    """

    def __init__(
        self,
        router: Router,
        ledger: Ledger,
        accounts: Accounts,
        submitter: Submitter,
        note: Note,
        poll_s: float,
    ) -> None:
        self._router = router
        self._ledger = ledger
        self._accounts = accounts
        self._submitter = submitter
        self._note = note
        self._poll_s = poll_s
        self._changed = asyncio.Event()
        self._begun = False

    def wake(self) -> None:
        """Take it that a task, room or knowledge of room has come."""
        self._changed.set()

    async def run(self) -> None:
        """Poll until cancelled; what a former life was sending is sent again first (RT-B4).

        May be run again after an error.
        """
        if not self._begun:
            self._begun = True
            await self._submitter.send(self._resumed())
        while True:
            self._changed.clear()
            while await self.turn():
                pass
            await self._wait()

    async def turn(self) -> bool:
        """Decide once; tell whether anything was sent."""
        decision = self._router.decide(self._ledger.waiting, self._submitter.inside_under_way)
        if not decision.moves:
            return False
        self._say(decision)
        outside = [*decision.fallen_back, *decision.outside, *decision.direct]
        self._take(decision.inside, "internal")
        self._take(outside, "external")
        try:
            await self._ledger.journal.keep()
        except Exception:  # taken out of the queue they would be sent by nobody else
            await self._submitter.send([*decision.inside, *outside])
            raise
        await self._submitter.send([*decision.inside, *outside])
        return True

    def _resumed(self) -> list[Entry]:
        """Return what is in `sending`, counted on its side."""
        entries = list(self._ledger.at("sending"))
        for entry in entries:
            entry.resumed = True
            self._count(entry)
        return entries

    def _say(self, decision: Decision) -> None:
        if not (decision.inside or decision.outside):
            return
        details = {
            "waiting": decision.routed,
            "internal": decision.capacity.inside,
            "external": decision.capacity.outside,
            "to_internal": len(decision.inside),
            "to_external": len(decision.outside),
        }
        self._note("route.decided", "", details)

    def _take(self, entries: Sequence[Entry], side: Side) -> None:
        """Take tasks out of the queue; each counts on its side from now on (RT-S4)."""
        for entry in entries:
            entry.side = side
            self._count(entry)
            self._ledger.move(entry, "waiting", "sending")

    def _count(self, entry: Entry) -> None:
        """Count a task that is being sent on its side; other platforms' are not ours to count."""
        if entry.side == "internal":
            entry.reservation = self._accounts.book.reserve_inside()
        elif entry.task.platform == RUNNINGHUB:
            self._accounts.slots.begin(entry.id)

    async def _wait(self) -> None:
        """Wait for a change; while tasks wait no longer than a poll."""
        if not len(self._ledger.waiting):
            await self._changed.wait()
            return
        # Not `asyncio.timeout`: this is waited for more often than tasks come, and it costs more.
        poll = asyncio.get_running_loop().call_later(self._poll_s, self._changed.set)
        try:
            await self._changed.wait()
        finally:
            poll.cancel()
