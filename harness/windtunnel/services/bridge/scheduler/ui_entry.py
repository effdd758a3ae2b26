"""An entry of the UI queue: one submitted action, from its submission to its settlement."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from enum import Enum
from typing import Any

from windtunnel.policies.ui.priority import Priority

Factory = Callable[[], Any]
"""Makes the action: may return an awaitable or a plain value (UI-Q3)."""


class Phase(Enum):
    """Where an entry is. It only ever moves forward."""

    QUEUED = "queued"
    RUNNING = "running"
    OVER = "over"


class Answer(asyncio.Future[Any]):
    """What the caller holds: awaitable now, later and more than once, and can be cancelled (UI-Q2).

    Unlike a done-callback, `on_cancel` is called inside `cancel()`, so that a cancelled entry
    leaves the count at that very instant. `number` counts the answers of one scheduler and is the
    hash: sets of answers iterate in an order that no memory address decides.
    """

    def __init__(self, number: int, loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        super().__init__(loop=loop)
        self.on_cancel: Callable[[], None] | None = None

    def __hash__(self) -> int:
        return self.number

    def cancel(self, msg: Any | None = None) -> bool:  # noqa: ANN401 - asyncio's own signature
        """Cancel the wait; an action that is queued will not run, a running one goes on."""
        cancelled = super().cancel(msg)
        if cancelled and self.on_cancel is not None:
            on_cancel, self.on_cancel = self.on_cancel, None
            on_cancel()
        return cancelled


class Entry:
    """One action in the queue. Times are nanoseconds of the loop's clock."""

    __slots__ = (
        "answer",
        "context",
        "deadline",
        "delay_ms",
        "factory",
        "phase",
        "priority",
        "started",
        "submitted",
        "timer",
        "trace_id",
    )

    def __init__(
        self,
        factory: Factory,
        priority: Priority,
        delay_ms: float | None,
        trace_id: str,
        submitted: int,
        answer: Answer,
    ) -> None:
        self.factory = factory
        self.priority = priority
        self.delay_ms = delay_ms
        self.trace_id = trace_id
        self.submitted = submitted
        self.started = 0
        self.deadline: int | None = None
        self.phase = Phase.QUEUED
        self.answer = answer
        self.timer: asyncio.TimerHandle | None = None
        self.context: Context = copy_context()

    @property
    def wanted(self) -> bool:
        """Whether the entry still counts as queued."""
        return self.phase is Phase.QUEUED

    def give_result(self, value: Any) -> None:  # noqa: ANN401 - whatever the action returned
        """Tell the caller the result, unless it was told something before."""
        self._settle()
        if not self.answer.done():
            self.answer.set_result(value)

    def give_error(self, error: BaseException) -> None:
        """Tell the caller the error, unless it was told something before.

        The error counts as retrieved: a caller that never looks has been warned by the log.
        """
        self._settle()
        if self.answer.done():
            return
        if isinstance(error, asyncio.CancelledError):
            self.answer.cancel()
        else:
            self.answer.set_exception(_storable(error))
            self.answer.exception()

    def _settle(self) -> None:
        """Let go of what the wait needed: the entry and its answer hold one another by it."""
        self.answer.on_cancel = None
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


def _storable(error: BaseException) -> BaseException:
    """Return the error, or one that stands for it: no future takes a StopIteration."""
    if not isinstance(error, StopIteration):
        return error
    wrapped = RuntimeError("the action raised StopIteration")
    wrapped.__cause__ = error
    return wrapped
