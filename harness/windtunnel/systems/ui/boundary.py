"""The boundary: records what goes into a scheduler and what comes out, for anybody's alike.

It wraps the submission, the action's factory and the awaitable that the caller gets. The end of
an operation (`action.settled`) and what its caller was told (`caller.settled`) are two events.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, MutableMapping
from contextlib import suppress
from enum import Enum
from typing import Any, Final, NamedTuple

from windtunnel.acting import Acting, acting
from windtunnel.errors import Code, PluginError, WorldError
from windtunnel.trace import Outcome, Trace

Action = Callable[[], Awaitable[Any]]
Submit = Callable[[Callable[[], Any]], Any]
Answer = asyncio.Future[Any]

logger = logging.getLogger(__name__)

REFUSALS: Final = frozenset(
    {
        *(Code.RATE_LIMITED, Code.QUEUE_FULL, Code.WECHAT_NOT_READY),
        *(Code.NOT_LOGGED_IN, Code.STOPPED),
    }
)
_KEPT_DETAILS: Final = ("retry_after", "phase")


class Told(NamedTuple):
    """What a caller was told."""

    outcome: str
    """One of `Outcome.ALL`."""
    details: Mapping[str, Any]
    """The details of `caller.settled`."""


class BoundaryOperation:
    """One operation as the boundary sees it, from submission to the caller's answer."""

    def __init__(
        self,
        trace: Trace,
        who: Acting,
        action: Action,
        open_: MutableMapping[str, BoundaryOperation] | None = None,
    ) -> None:
        """Make it for an action that runs as `who` says: its operation, class, actor and gate.

        It stands in `open_` until it is over and its caller has been told.
        """
        self._trace = trace
        self._op = who.op
        self._class = who.class_
        self._who = who
        self._action = action
        self._started = False
        self._running: Coroutine[Any, Any, Any] | None = None
        """The action under way, as the scheduler got it last."""
        self._over = False
        self._own_error: BaseException | None = None
        self._open = {} if open_ is None else open_
        self._open[self._op] = self
        self.answer: Answer | None = None
        """What the caller waits for; None before the submission."""
        self.told: Told | None = None
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the operation is over and its caller has been told.

        Raises the `WorldError` behind what the caller was told: no verdict rests on that answer.
        """

    def submit(self, submit: Submit, actor: str, details: Mapping[str, Any]) -> Answer:
        """Hand the action over through `submit` and return what its caller waits for.

        Raises `PluginError`, here and from `closed`, when what comes back cannot be awaited.
        """
        self._trace.record("action.submitted", self._op, actor, self._class, details=details)
        try:
            answer = submit(self._begin)
        except Exception as error:  # noqa: BLE001 - a scheduler may refuse by raising at the call
            self.answer = _refused(error)
            self._tell(error)
            return self.answer
        if not inspect.isawaitable(answer):
            raise self._misfit(answer)
        self.answer = asyncio.ensure_future(answer)
        self.answer.add_done_callback(self._on_answer)
        return self.answer

    def _misfit(self, answer: object) -> PluginError:
        error = PluginError(
            f"the scheduler returned {type(answer).__name__} for a submission; "
            "a caller needs something to await"
        )
        self._open.pop(self._op, None)
        self.closed.set_exception(error)
        self.closed.exception()  # whoever submitted has it raised at the call
        return error

    def _begin(self) -> Awaitable[Any]:
        self._started = True
        self._trace.record("action.started", self._op, class_=self._class)
        self._running = self._perform()
        return self._running

    async def _perform(self) -> Any:  # noqa: ANN401 - whatever the action returns
        who = self._who
        before = acting.set(
            Acting(who.op, who.class_, actor=who.actor, gate=who.gate, submitted=who.submitted)
        )
        try:
            result = await self._action()
        except BaseException as error:
            self._own_error = error
            self._settle(*_of_action(error))
            raise
        else:
            self._settle(Outcome.DONE, {})
            return result
        finally:
            _put_back(before)

    def _settle(self, outcome: str, details: Mapping[str, Any]) -> None:
        self._over = True
        self._trace.record(
            "action.settled", self._op, class_=self._class, outcome=outcome, details=details
        )
        self._close_if_told()

    def _on_answer(self, answer: Answer) -> None:
        error = asyncio.CancelledError() if answer.cancelled() else answer.exception()
        if error is None:
            self._record_told(Outcome.DONE, {})
        else:
            self._tell(error)

    def _tell(self, error: BaseException) -> None:
        outcome, details = self._of_caller(error)
        self._log_own(error, outcome)
        if (refusal := _of_the_world(error)) and not self.closed.done():
            self.closed.set_exception(refusal)
        if not self._started:
            self._settle(
                outcome, {key: details[key] for key in details if key in ("code", "error")}
            )
        elif not self._over and _is_closed(self._running):
            # Its task was cancelled before its first step: nothing of the action has run.
            self._settle(*_of_action(asyncio.CancelledError()))
        self._record_told(outcome, details)

    def _log_own(self, error: BaseException, outcome: str) -> None:
        """Say what the scheduler itself raised: the trace keeps no text, and it may be a slip."""
        slip = isinstance(error, Exception) and error is not self._own_error
        if outcome == Outcome.FAILED and slip:
            logger.error("the scheduler raised to the caller of %s", self._op, exc_info=error)

    def _record_told(self, outcome: str, details: Mapping[str, Any]) -> None:
        self._trace.record(
            "caller.settled", self._op, class_=self._class, outcome=outcome, details=details
        )
        self.told = Told(outcome, details)
        self._close_if_told()

    def _close_if_told(self) -> None:
        if self.told is None or not self._over:
            return
        self._open.pop(self._op, None)
        if not self.closed.done():
            self.closed.set_result(None)

    def _of_caller(self, error: BaseException) -> tuple[str, dict[str, Any]]:
        """Map an error to the outcome that the caller saw, by its `.code` (DESIGN §3)."""
        details = _describe(error)
        if isinstance(error, asyncio.CancelledError):
            return Outcome.ABORTED, details
        if error is self._own_error:
            return Outcome.FAILED, details
        code = details.get("code")
        if code == Code.TIMEOUT:
            running = details.get("phase", "running" if self._started else "queued") == "running"
            return (Outcome.UNKNOWN if running else Outcome.EXPIRED), details
        if code in REFUSALS:
            return (Outcome.ABORTED if self._started else Outcome.REJECTED), details
        return Outcome.FAILED, details


def _is_closed(running: Coroutine[Any, Any, Any] | None) -> bool:
    return running is not None and inspect.getcoroutinestate(running) == inspect.CORO_CLOSED


def _refused(error: Exception) -> Answer:
    answer: Answer = asyncio.get_running_loop().create_future()
    answer.set_exception(error)
    answer.exception()  # told in the trace, whether or not the caller looks
    return answer


def _of_action(error: BaseException) -> tuple[str, dict[str, Any]]:
    details = {key: value for key, value in _describe(error).items() if key in ("code", "error")}
    if isinstance(error, asyncio.CancelledError | GeneratorExit):
        return Outcome.ABORTED, details
    return Outcome.FAILED, details


def _of_the_world(error: BaseException | None) -> WorldError | None:
    """Return the world's own error that an error is or stems from: a thread, a socket refused."""
    seen: set[int] = set()  # a user's own causes may go in a circle
    while error is not None and not isinstance(error, WorldError) and id(error) not in seen:
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return error if isinstance(error, WorldError) else None


def _describe(error: BaseException) -> dict[str, Any]:
    """Return what an event keeps of an error: type, code, retry_after and phase; never its text."""
    described: dict[str, Any] = {"error": type(error).__name__}
    code = getattr(error, "code", None)
    if isinstance(code, Enum):
        code = code.value
    if isinstance(code, str):
        described["code"] = str(code)
    carried = getattr(error, "details", None)
    if isinstance(carried, Mapping):
        described |= {
            key: value
            for key in _KEPT_DETAILS
            if isinstance(value := carried.get(key), str | int | float)
        }
    return described


def _put_back(token: Any) -> None:  # noqa: ANN401 - a contextvars token
    # A coroutine closed by the garbage collector is in another context: nothing to put back.
    with suppress(ValueError):
        acting.reset(token)
