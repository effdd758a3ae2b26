"""The boundary: what the trace says of a submission, whoever's scheduler it was given to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Any

import pytest

from windtunnel.acting import Acting, acting
from windtunnel.canonical import check_event
from windtunnel.errors import BridgeError, Code, PluginError
from windtunnel.systems.ui.boundary import BoundaryOperation
from windtunnel.trace import Trace
from windtunnel_models import run as run_simulated

Begin = Callable[[], Awaitable[Any]]
Told = list[tuple[Any, ...]]


def cross(
    submit: Callable[[Begin], Any],
    action: Begin | None = None,
    then: Callable[[BoundaryOperation], Any] | None = None,
) -> Told:
    """Submit one action through `submit`; give (kind, outcome, code, phase) of each event."""
    trace = Trace(lambda: round(asyncio.get_running_loop().time() * 1e9))
    details = {"priority": 2, "via": "execute"}

    async def main() -> None:
        operation = BoundaryOperation(trace, Acting("op", "send_text"), action or returns)
        operation.submit(submit, "route", details)
        if then is not None:
            await asyncio.sleep(0.5)
            then(operation)
        await asyncio.wait([operation.closed], timeout=60)
        assert operation.closed.done()
        await asyncio.sleep(60)

    run_simulated(main())
    for event in trace:
        check_event(event)
    return [
        (event.kind, event.outcome, event.details.get("code"), event.details.get("phase"))
        for event in trace
    ]


async def returns() -> str:
    await asyncio.sleep(1)
    return "result"


def short(told: Told) -> list[str]:
    """Write `settled:failed` for (action.settled, failed, …)."""
    return [
        ":".join(filter(None, (kind.replace("action.", ""), outcome))) for kind, outcome, *_ in told
    ]


def refuse(error: BaseException) -> Callable[[Begin], Any]:
    """A scheduler that answers with an error and never runs anything."""

    async def answer(begin: Begin) -> None:
        raise error

    return answer


def run_then(error: BaseException) -> Callable[[Begin], Any]:
    """A scheduler that begins the action, gives its caller an error, and lets it go on."""

    async def answer(begin: Begin) -> None:
        task = asyncio.ensure_future(begin())
        KEPT.append(task)
        await asyncio.sleep(0.1)
        raise error

    return answer


KEPT: list[asyncio.Future[Any]] = []


def bridge(code: str, **details: Any) -> BridgeError:
    return BridgeError(code, "no", details)


class Enumerated(Enum):
    """Codes as another style writes them."""

    LATE = "TIMEOUT"


class OwnError(Exception):
    """Somebody else's error, which has a code as ours have."""

    def __init__(self, code: object, details: object = None) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


# ------------------------------------------------------------------ how an action ends


def test_an_action_that_returns() -> None:
    told = cross(lambda begin: begin())
    assert short(told) == ["submitted", "started", "settled:done", "caller.settled:done"]


def test_an_action_that_raises_has_failed_whatever_its_code() -> None:
    async def act() -> None:
        raise bridge(Code.TIMEOUT, phase="queued")

    told = cross(lambda begin: begin(), act)
    assert short(told)[2:] == ["settled:failed", "caller.settled:failed"]
    assert told[2][2] == told[3][2] == "TIMEOUT"


def test_an_action_that_is_cancelled_is_aborted() -> None:
    told = cross(lambda begin: begin(), then=lambda operation: operation.answer.cancel())  # type: ignore[union-attr]
    assert short(told)[2:] == ["settled:aborted", "caller.settled:aborted"]


def test_the_action_runs_on_behalf_of_its_operation_and_nobody_after() -> None:
    seen: list[Any] = []

    async def act() -> None:
        seen.append(acting.get())

    async def scheduler(begin: Begin) -> None:
        await begin()
        seen.append(acting.get())

    cross(scheduler, act)
    assert (seen[0].op, seen[0].class_, seen[1]) == ("op", "send_text", None)


def test_each_run_counts_its_commands_from_the_first_under_the_same_gate() -> None:
    seen: list[Acting] = []
    trace = Trace(lambda: 0)

    async def gate(who: Acting) -> None: ...

    async def act() -> None:
        who = acting.get()
        assert who is not None
        seen.append(who)
        assert who.next_step() == 0

    async def twice(begin: Begin) -> None:
        await begin()
        await begin()

    async def main() -> None:
        who = Acting("watcher.3", "accept_friend", actor="watcher", gate=gate)
        await BoundaryOperation(trace, who, act).submit(twice, "watcher", {})

    run_simulated(main())
    assert len(seen) == 2
    assert {(who.op, who.class_, who.actor, who.gate) for who in seen} == {
        ("watcher.3", "accept_friend", "watcher", gate)
    }


# ------------------------------------------------------------------ what the caller was told

REFUSALS = ["RATE_LIMITED", "QUEUE_FULL", "WECHAT_NOT_READY", "NOT_LOGGED_IN", "STOPPED"]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        *((bridge(code), "rejected") for code in REFUSALS),
        *((OwnError(code), "rejected") for code in REFUSALS),
        (bridge(Code.TIMEOUT), "expired"),
        (bridge(Code.TIMEOUT, phase="queued"), "expired"),
        (bridge(Code.TIMEOUT, phase="running"), "unknown"),
        (OwnError("TIMEOUT", "not a mapping"), "expired"),
        (bridge(Code.WINDOW_NOT_FOUND), "failed"),
        (bridge("SOMETHING_ELSE"), "failed"),
        (OwnError(504), "failed"),
        (ValueError("no code"), "failed"),
        (TimeoutError("no code"), "failed"),
        (asyncio.CancelledError(), "aborted"),
    ],
    ids=repr,
)
def test_of_an_action_that_never_began(error: BaseException, outcome: str) -> None:
    told = cross(refuse(error))
    assert short(told) == ["submitted", f"settled:{outcome}", f"caller.settled:{outcome}"]
    code = getattr(error, "code", None)
    assert told[1][2] == told[2][2] == (code if isinstance(code, str) else None)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (bridge(Code.TIMEOUT), "unknown"),
        (bridge(Code.TIMEOUT, phase="running"), "unknown"),
        (bridge(Code.STOPPED, phase="running"), "aborted"),
        (OwnError("TIMEOUT"), "unknown"),
        (OwnError(Enumerated.LATE), "unknown"),
        (ValueError(), "failed"),
        (asyncio.CancelledError(), "aborted"),
    ],
    ids=repr,
)
def test_of_an_action_that_goes_on(error: BaseException, outcome: str) -> None:
    told = cross(run_then(error))
    assert short(told) == ["submitted", "started", f"caller.settled:{outcome}", "settled:done"]


def test_what_an_event_keeps_of_an_error() -> None:
    error = bridge(Code.RATE_LIMITED, retry_after=3, phase="queued", contact="ann")
    trace = Trace(lambda: 0)

    async def main() -> None:
        operation = BoundaryOperation(trace, Acting("op", "send_text"), returns)
        operation.submit(refuse(error), "route", {"priority": 2, "via": "execute"})
        await operation.closed

    run_simulated(main())
    kept = {"error": "BridgeError", "code": "RATE_LIMITED"}
    assert trace[1].details == kept
    assert trace[2].details == kept | {"retry_after": 3, "phase": "queued"}
    assert trace[0].actor == "route"


# ------------------------------------------------------------------ schedulers of other manners


def test_one_that_raises_at_the_call() -> None:
    def scheduler(begin: Begin) -> Any:
        raise bridge(Code.QUEUE_FULL)

    assert short(cross(scheduler)) == ["submitted", "settled:rejected", "caller.settled:rejected"]


def test_what_a_scheduler_itself_raises_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def slip(begin: Begin) -> None:
        raise AttributeError("no queue here")

    cross(slip)
    assert "the scheduler raised to the caller of op" in caplog.text
    assert "no queue here" in caplog.text


def test_a_refusal_and_the_action_s_own_error_are_not(caplog: pytest.LogCaptureFixture) -> None:
    async def refuse(begin: Begin) -> None:
        raise bridge(Code.QUEUE_FULL)

    async def act() -> None:
        raise ValueError("of the action")

    cross(refuse)
    cross(lambda begin: begin(), act)
    assert caplog.text == ""


def test_who_submits_to_one_that_raises_gets_the_error_by_waiting() -> None:
    def scheduler(begin: Begin) -> Any:
        raise bridge(Code.QUEUE_FULL, retry_after=3)

    async def main() -> None:
        operation = BoundaryOperation(Trace(lambda: 0), Acting("op", "send_text"), returns)
        answer = operation.submit(scheduler, "route", {})
        with pytest.raises(BridgeError, match="QUEUE_FULL"):
            await answer
        assert operation.told is not None
        assert operation.told.outcome == "rejected"
        assert operation.told.details["retry_after"] == 3

    run_simulated(main())


@pytest.mark.parametrize("returned", [None, "ticket 7", 7])
def test_one_that_returns_nothing_to_await(returned: object) -> None:
    kind = type(returned).__name__
    with pytest.raises(PluginError, match=f"the scheduler returned {kind} for a submission"):
        cross(lambda begin: returned)


def test_one_that_answers_at_once_and_runs_later() -> None:
    async def scheduler(begin: Begin) -> str:
        KEPT.append(asyncio.ensure_future(begin()))
        return "taken"

    assert short(cross(scheduler)) == [
        *("submitted", "started", "caller.settled:done", "settled:done")
    ]


def test_one_that_runs_what_it_told_to_be_expired() -> None:
    async def scheduler(begin: Begin) -> None:
        asyncio.get_running_loop().call_later(
            5, lambda: KEPT.append(asyncio.ensure_future(begin()))
        )
        raise bridge(Code.TIMEOUT, phase="queued")

    assert short(cross(scheduler)) == [
        *("submitted", "settled:expired", "caller.settled:expired"),
        *("started", "settled:done"),
    ]


def test_one_that_runs_an_action_twice() -> None:
    async def scheduler(begin: Begin) -> None:
        await begin()
        await begin()

    assert short(cross(scheduler)) == [
        *("submitted", "started", "settled:done", "started", "settled:done"),
        "caller.settled:done",
    ]


def test_one_whose_task_is_cancelled_before_its_first_step_has_ended_the_action() -> None:
    def submit(begin: Begin) -> asyncio.Future[Any]:
        task = asyncio.ensure_future(begin())
        task.cancel()
        return task

    assert short(cross(submit)) == [
        *("submitted", "started", "settled:aborted", "caller.settled:aborted")
    ]


def test_one_that_throws_the_action_away_leaves_the_operation_open() -> None:
    async def scheduler(begin: Begin) -> str:
        begin().close()  # type: ignore[attr-defined]
        return "done, I say"

    with pytest.raises(AssertionError, match="closed"):
        cross(scheduler)


def test_one_that_answers_without_running_leaves_the_operation_open() -> None:
    async def scheduler(begin: Begin) -> str:
        return "done, I say"

    with pytest.raises(AssertionError, match="closed"):
        cross(scheduler)


def test_one_that_gives_a_plain_future() -> None:
    def scheduler(begin: Begin) -> Any:
        return asyncio.get_running_loop().create_task(begin())  # type: ignore[arg-type]

    assert short(cross(scheduler))[-1] == "caller.settled:done"


def test_one_that_wraps_the_error() -> None:
    async def act() -> None:
        raise KeyError("contact")

    async def scheduler(begin: Begin) -> None:
        try:
            await begin()
        except KeyError as error:
            raise RuntimeError("wrapped") from error

    assert short(cross(scheduler, act))[2:] == ["settled:failed", "caller.settled:failed"]


def test_causes_that_go_in_a_circle_are_looked_at_once() -> None:
    def refuse(begin: Begin) -> Any:
        first, second = ValueError("first"), ValueError("second")
        first.__cause__, second.__cause__ = second, first
        raise first

    told = cross(refuse)
    assert [outcome for _, outcome, *_ in told[1:]] == ["failed", "failed"]
