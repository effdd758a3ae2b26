"""The owner of the tasks: hands them over, is told what became of them, judges their results.

They keep a task until the backend has stored it, and are told once; what they are told again they
know already. Imports the wire form of a task, the trace and the table of classes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, Protocol

from windtunnel.ports.store import StoreError
from windtunnel.services.wire.task import OWN_ID, Task, result_of
from windtunnel.systems.router.submits import TASK
from windtunnel.trace import NO_DETAILS, Event, Outcome, Trace

logger = logging.getLogger(__name__)

OWNER: Final = "owner"
WRONG_RESULT: Final = "WRONG_RESULT"
"""The code of a task whose result is not what was to be made of it (RT-P4)."""
STORED_S: Final = 60.0
"""Within which the backend stores what there is, or the rest is handed over again."""
AGAIN_S: Final = 1.0
"""Before a task that the backend could not store is handed over again."""


class Answer(Protocol):
    """What the backend tells of a task that is over."""

    @property
    def id(self) -> str:
        """The task's."""

    @property
    def status(self) -> str:
        """`done`, `failed` or `expired`."""

    @property
    def result(self) -> Any:  # noqa: ANN401 - a JSON value
        """What was made of it; None where nothing was."""

    @property
    def error(self) -> str | None:
        """Why it has failed or expired."""


class TakesTasks(Protocol):
    """One life of a backend, as the owner knows it."""

    async def submit(self, task: Task) -> None:
        """Take a task in; it is stored when this returns. Raises `StoreError`."""


class _Owned:
    """One task of the owner's."""

    __slots__ = ("closed", "outcome", "task", "told")

    def __init__(self, task: Task, closed: asyncio.Future[None]) -> None:
        self.task = task
        self.closed = closed
        self.outcome: str | None = None
        self.told = False


class Owner:
    """Records the boundary of every task: submitted, started, settled, and what they are told."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._tasks: dict[str, _Owned] = {}
        self._unstored: deque[Task] = deque()
        self._news = asyncio.Event()
        trace.listen("work.started", self._on_work)

    def submit(self, task: Task) -> asyncio.Future[None]:
        """Hand a task over at this instant; the result is done when it is over and they are told.

        It is kept until a backend has stored it (`hand_over`).
        """
        closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks[task.id] = _Owned(task, closed)
        self._trace.record("action.submitted", task.id, OWNER, TASK)
        self._unstored.append(task)
        self._news.set()
        return closed

    def task(self, id_: str) -> Task | None:
        """Return the task of that id that was handed over, or None."""
        owned = self._tasks.get(id_)
        return None if owned is None else owned.task

    async def hand_over(self, backend: TakesTasks) -> None:
        """Hand what is not stored yet to a backend, in order, for as long as that lives."""
        while True:
            self._news.clear()
            while self._unstored:
                try:
                    async with asyncio.timeout(STORED_S):
                        await self._hand_over_all(backend)
                except (StoreError, TimeoutError) as error:
                    logger.info("%s could not be stored: %s", self._unstored[0].id, error)
                    await asyncio.sleep(AGAIN_S)
            await self._news.wait()

    async def _hand_over_all(self, backend: TakesTasks) -> None:
        while self._unstored:
            await backend.submit(self._unstored[0])
            self._unstored.popleft()

    def settle(self, id_: str, outcome: str) -> None:
        """Take it that the ledger has a task as over."""
        self._trace.record("action.settled", id_, class_=TASK, outcome=outcome)
        owned = self._tasks.get(id_)
        if owned is not None and owned.outcome is None:
            owned.outcome = outcome
            _close(owned)

    def tell(self, answer: Answer) -> None:
        """Take what the backend tells of a task; a second time it changes nothing."""
        owned = self._tasks.get(answer.id)
        if owned is None:
            logger.error("told of %s, which was never handed over", answer.id)
            return
        if owned.told:
            self._trace.record("owner.told_again", answer.id)
            return
        owned.told = True
        outcome, details = _judged(owned.task, answer)
        self._trace.record(
            "caller.settled", answer.id, OWNER, TASK, outcome=outcome, details=details
        )
        _close(owned)

    def _on_work(self, event: Event) -> None:
        if event.op in self._tasks:
            side = event.details["side"]
            self._trace.record("action.started", event.op, side, TASK, event.resource)


def _close(owned: _Owned) -> None:
    if owned.told and owned.outcome is not None and not owned.closed.done():
        owned.closed.set_result(None)


def _judged(task: Task, answer: Answer) -> tuple[str, Mapping[str, Any]]:
    """Return outcome and details of what the owner was told: a wrong result is a failure."""
    if answer.status != Outcome.DONE:
        return answer.status, {"code": answer.error} if answer.error else NO_DETAILS
    if answer.result == result_of({**task.body, OWN_ID: task.id}):
        return Outcome.DONE, NO_DETAILS
    return Outcome.FAILED, {"code": WRONG_RESULT}
