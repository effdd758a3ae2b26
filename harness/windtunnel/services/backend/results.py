"""The results: the first one of a task ends it, whichever platform it comes from (RT-C3, F-R17).

A success counts whoever has it; a failure only of the platform that has the task now: the other
one was given up, and what it failed at may go well where the task is.

Imports the ledger, the entry, the accounts and the wire form of a task.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.adapters.internal import REQUEST_PREFIX
from windtunnel.services.backend.answer import Answer, Status
from windtunnel.services.backend.entry import Entry, Side, is_json
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.note import Note
from windtunnel.services.wire.addresses import BACKEND
from windtunnel.services.wire.task import EXPIRED, FAILED, SUCCESS

ENDS: Final[dict[object, Status]] = {SUCCESS: "done", FAILED: "failed", EXPIRED: "expired"}
"""What a platform says of a task that is over → what it is here."""
BAD_RESULT: Final = "BAD_RESULT"
"""What the owner of a task is told whose result is no JSON, and cannot be stored."""


class Results:
    """Takes what platforms, and the backend itself, say of the end of tasks.

    `changed()` is called when what has changed is stored: there may be room, or somebody to tell.
    Notes `result.ignored`.
    """

    def __init__(
        self,
        ledger: Ledger,
        accounts: Accounts,
        note: Note,
        changed: Callable[[], None],
    ) -> None:
        self._ledger = ledger
        self._accounts = accounts
        self._note = note
        self.changed = changed

    def take(self, id_: str, request: str, status: str, result: Any, error: str | None) -> bool:  # noqa: ANN401 - a JSON value
        """Take a platform's result of a task, which it knows as `request`.

        Returns whether it was the first that counts. Not stored yet: `keep` does that.
        """
        if side_of(id_, request) == "external" and self._accounts.slots.is_of(id_, request):
            self.gone_outside(id_)
        entry = self._ledger.entry(id_)
        if entry is None:
            self._ignore(id_, "late" if self._ledger.place(id_) is None else "repeated")
            return False
        if status != SUCCESS and _under_way_elsewhere(entry, request):
            self._ignore(id_, "late")
            return False
        return self.end(_answer(id_, ENDS[status], result, error or status))

    def end(self, answer: Answer) -> bool:
        """End a task with this answer; False where it is over already, or unknown."""
        return self._ledger.finish(answer) is not None

    def gone_outside(self, id_: str) -> None:
        """Take it that the external platform has a task no longer."""
        if self._accounts.slots.end(id_):
            self._accounts.outside.lift()

    async def keep(self) -> bool:
        """Have all that has changed stored, then tell that it has; see the journal's `keep`."""
        kept = await self._ledger.journal.keep()
        self.changed()
        return kept

    def _ignore(self, id_: str, why: str) -> None:
        self._note("result.ignored", id_, {"party": BACKEND, "why": why})


def _under_way_elsewhere(entry: Entry, request: str) -> bool:
    """Tell whether a task is at, or on its way to, another platform than knows it as `request`."""
    if entry.request:
        return request != entry.request
    return entry.side is not None and entry.side != side_of(entry.id, request)


def side_of(id_: str, request: str) -> Side:
    """Return whose name for a task this is; the external platform's are of any form."""
    return "internal" if request == REQUEST_PREFIX + id_ else "external"


def _answer(id_: str, end: Status, result: Any, error: str) -> Answer:  # noqa: ANN401 - a JSON value
    if end != "done":
        return Answer(id_, end, result if is_json(result) else None, error)
    if not is_json(result):
        return Answer(id_, "failed", error=BAD_RESULT)
    return Answer(id_, end, result)
