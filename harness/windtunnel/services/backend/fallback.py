"""The fallback: what becomes of a task whose submission failed (RT-H6, RT-K1).

    inside ──fails──▶ outside ──fails──▶ waiting: another round, or failed after the last one

Without an outside the next level is waiting. Where a platform is only full the task waits, and no
round is used up.

A submission that was not answered proves nothing: the platform may have the task. So one that was
not answered outside in time waits there for its webhook, `GRACES` periods of the queries, before it
has another round; and no task fails for good before each platform that may have it was asked, or
was given that time. Imports the ledger, the accounts, the results and the refusals.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any, Final

from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.adapters.adapter import BAD_ANSWER
from windtunnel.services.backend.adapters.internal import REQUEST_PREFIX
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.entry import Entry, Place, Side
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.platforms import Refusal
from windtunnel.services.backend.results import Results
from windtunnel.services.backend.settings import BackendSettings
from windtunnel.services.clock import now_ns
from windtunnel.services.note import Note
from windtunnel.services.wire.task import RUNNINGHUB

WRONG_FORM: Final = "WRONG_FORM"
"""What the owner of a task of the wrong form is told."""
GRACES: Final = 3
"""So many periods of the queries a task that a platform may have is waited for."""


class Fallback:
    """Puts tasks to their next level; whoever calls has the results `keep` that.

    Notes `task.refused` and `task.fell_back`.
    """

    def __init__(
        self,
        ledger: Ledger,
        accounts: Accounts,
        results: Results,
        settings: BackendSettings,
        note: Note,
    ) -> None:
        self._ledger = ledger
        self._accounts = accounts
        self._results = results
        self._settings = settings
        self._note = note

    def refused_inside(self, entry: Entry, refusal: Refusal) -> None:
        """Take it that a task being sent inside was not taken there."""
        self.give_back(entry)
        self._refused(entry.id, "internal", refusal)
        if entry.over or self._wrong_form(entry, refusal):
            return  # over: it had been taken after all, and its result was faster
        entry.doubt_inside |= _proves_nothing(refusal) or entry.resumed
        if self._settings.external_capacity:
            self._mark(entry, "sending", refusal.why)
        else:
            self._accounts.inside.refused(now_ns())
            self._next_round(entry, "sending", refusal)

    def refused_outside(self, entry: Entry, refusal: Refusal) -> None:
        """Take it that a task being sent outside was not taken there."""
        waits = _unanswered(refusal) and not entry.over
        if not waits:
            self._accounts.slots.end(entry.id)
        self._refused(entry.id, "external", refusal)
        if entry.over or self._wrong_form(entry, refusal):
            return
        entry.doubt_outside |= _proves_nothing(refusal) or entry.resumed
        routed = entry.task.platform == RUNNINGHUB
        (self._accounts.outside if routed else self._accounts.direct).refused(now_ns())
        if waits:
            self._await_outside(entry, "sending")
        else:
            self._next_round(entry, "sending", refusal)

    def not_sent(self, entry: Entry) -> None:
        """Take it that a task for the inside was not sent at all: it waits again."""
        self.give_back(entry)
        if not entry.over:
            self._wait(entry, "sending")

    def offered(self, entry: Entry) -> bool:
        """Take a task over that the dispatcher has and offers; False: it is to keep it (RT-D5)."""
        if entry.place != "inside" or not self._settings.external_capacity:
            return False
        entry.offered = True
        self._mark(entry, "inside", "offered")
        return True

    def lost(self, entry: Entry) -> None:
        """Take it that the platform that had a task knows it no longer."""
        if entry.place == "inside":
            entry.doubt_inside = False
            self._next_round(entry, "inside", Refusal("refused", None, "lost inside"))
        elif entry.place == "outside":
            self._accounts.slots.end(entry.id)
            self._next_round(entry, "outside", Refusal("refused", None, "lost outside"))

    def go_on_waiting(self, entry: Entry) -> None:
        """Take it that a former life has left a task inside or outside: it may be in doubt there.

        How long that life had waited is not known: it is waited for anew.
        """
        if entry.until != math.inf:
            return
        nameless = entry.place == "outside" and not entry.request
        last = entry.place == "inside" and entry.rounds >= self._settings.rounds
        if nameless or last:
            entry.until = self._until()

    def found(self, entry: Entry) -> None:
        """Take it that the platform of a task has it: it is in doubt there no longer."""
        if entry.until != math.inf:
            entry.until = math.inf
            entry.rounds = self._settings.rounds - 1  # the last one has not failed
            self._ledger.journal.changed(entry)

    def given_up(self, entry: Entry) -> None:
        """Take it that a task that was in doubt was waited for long enough: it is not there."""
        if entry.place == "outside":
            self._accounts.slots.end(entry.id)
        self._next_round(entry, entry.place, Refusal("timeout"))

    def give_back(self, entry: Entry) -> None:
        """Give back what a task had reserved inside."""
        if entry.reservation is not None:
            self._accounts.book.release_inside(entry.reservation)
            entry.reservation = None

    def _wrong_form(self, entry: Entry, refusal: Refusal) -> bool:
        """End a task that a platform finds ill-formed: none would take it."""
        if refusal.why != "wrong_form":
            return False
        self._results.end(Answer(entry.id, "failed", error=WRONG_FORM))
        return True

    def _refused(self, id_: str, side: Side, refusal: Refusal) -> None:
        details: dict[str, Any] = {"side": side, "why": refusal.why}
        if refusal.code is not None:
            details["code"] = refusal.code
        self._note("task.refused", id_, details)

    def _mark(self, entry: Entry, from_: Place, why: str) -> None:
        """Have a task completed outside, or wait for that."""
        entry.external = True
        self._note("task.fell_back", entry.id, {"why": why})
        self._wait(entry, from_)

    def _next_round(self, entry: Entry, from_: Place, refusal: Refusal) -> None:
        """Have a task wait for another attempt; one that had its last round has failed."""
        if not refusal.passing:
            entry.rounds += 1
            if entry.rounds >= self._settings.rounds:
                self._last(entry, from_, refusal)
                return
            # The levels begin anew, but what the dispatcher gave up it would not take again.
            entry.external = entry.offered
        self._wait(entry, from_)

    def _last(self, entry: Entry, from_: Place, refusal: Refusal) -> None:
        """End a task that had its last round, once no platform may have it."""
        if entry.doubt_inside:  # the dispatcher can be asked: it knows the task by our name
            entry.doubt_inside = False
            entry.side, entry.request = "internal", REQUEST_PREFIX + entry.id
            entry.asked = -math.inf
            entry.until = self._until()
            self._ledger.move(entry, from_, "inside")
        elif entry.doubt_outside:
            self._await_outside(entry, from_)
        else:
            self._results.end(Answer(entry.id, "failed", error=str(refusal)))

    def _await_outside(self, entry: Entry, from_: Place) -> None:
        """Have a task wait outside, by no name that we know, for its webhook alone."""
        entry.doubt_outside = False
        entry.side, entry.request = "external", ""
        entry.until = self._until()
        if entry.task.platform == RUNNINGHUB:
            self._accounts.slots.begin(entry.id)
        self._ledger.move(entry, from_, "outside")

    def _until(self) -> float:
        return asyncio.get_running_loop().time() + GRACES * self._settings.query_s

    def _wait(self, entry: Entry, from_: Place) -> None:
        entry.request = ""
        entry.side = None
        entry.until = math.inf
        self._ledger.move(entry, from_, "waiting")


def _unanswered(refusal: Refusal) -> bool:
    """Tell whether a platform was reached, as far as is known, and has not said what it did."""
    return refusal.why == "timeout" or refusal.code == BAD_ANSWER


def _proves_nothing(refusal: Refusal) -> bool:
    """Tell whether a platform may have taken the task all the same."""
    return _unanswered(refusal) or refusal.why == "unreachable"
