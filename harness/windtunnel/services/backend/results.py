"""The results: the first one of a task ends it, whichever platform it comes from (RT-C3, F-R17).

Imports the ledger, the accounts and the wire form of a task.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.adapters.internal import REQUEST_PREFIX
from windtunnel.services.backend.answer import Answer, Status
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.note import Note
from windtunnel.services.wire.addresses import BACKEND
from windtunnel.services.wire.task import EXPIRED, FAILED, SUCCESS

ENDS: Final[dict[object, Status]] = {SUCCESS: "done", FAILED: "failed", EXPIRED: "expired"}
"""What a platform says of a task that is over → what it is here."""


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

        Returns whether it was the first. Not stored yet: `keep` does that.
        """
        if request != REQUEST_PREFIX + id_ and self._accounts.slots.is_of(id_, request):
            self.gone_outside(id_)
        end = ENDS[status]
        if self.end(Answer(id_, end, result, None if end == "done" else error or status)):
            return True
        why = "late" if self._ledger.place(id_) is None else "repeated"
        self._note("result.ignored", id_, {"party": BACKEND, "why": why})
        return False

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
