"""The intake: takes tasks from their owners into the ledger (RT-S5, RT-K1).

Imports the ledger, the results and the wire form of a task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.fallback import WRONG_FORM
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.results import Results
from windtunnel.services.note import Note
from windtunnel.services.wire.task import RUNNINGHUB, Task, wrong_form

AGAIN_S: Final = 1.0
"""So often it is looked whether tasks may be taken again."""


class Intake:
    """Takes tasks once `open` and while not `emergency()`: no new tasks then (RT-X2).

    Notes `task.refused` for a task of the wrong form, which fails at once.
    """

    def __init__(
        self,
        ledger: Ledger,
        results: Results,
        note: Note,
        emergency: Callable[[], bool],
        *,
        routing: bool,
    ) -> None:
        self._ledger = ledger
        self._results = results
        self._note = note
        self._emergency = emergency
        self._routing = routing
        self.open = asyncio.Event()
        """Set once the ledger has been read."""

    async def submit(self, task: Task) -> None:
        """Take a task in; it is stored when this returns. One that is known changes nothing.

        Waits while the store is down or there is an emergency: the caller sets the deadline.
        """
        await self.open.wait()
        while self._emergency():  # noqa: ASYNC110 - nobody tells when one is over
            await asyncio.sleep(AGAIN_S)
        self._take(task)
        await self._ledger.journal.stored()
        self._results.changed()

    def _take(self, task: Task) -> None:
        wrong = self._wrong(task)
        try:
            entry = self._ledger.add(task)
        except (TypeError, ValueError) as error:
            wrong = f"no JSON: {error}"
            entry = self._ledger.add(Task(task.id, {}, task.platform))
        if entry is not None and wrong is not None:
            self._note("task.refused", task.id, {"side": "internal", "why": "wrong_form"})
            self._results.end(Answer(task.id, "failed", error=WRONG_FORM))

    def _wrong(self, task: Task) -> str | None:
        """Tell what is wrong with a task that is to be routed; others go as before (RT-S6)."""
        routed = self._routing and task.platform == RUNNINGHUB
        return wrong_form(task.body) if routed else None
