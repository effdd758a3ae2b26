"""UIWorker, through both schedulers: submission and actions, whatever they do."""

from __future__ import annotations

import asyncio
import contextvars
import gc
from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.errors import BridgeError, Code
from windtunnel.policies.ui.priority import Priority
from worker_kit import Run, both_kinds, code_of, raise_, raise_later, sleeping, started

CRITICAL, HIGH, NORMAL, LOW = Priority


# ------------------------------------------------------------------ submission


@both_kinds
@pytest.mark.spec("UI-Q2")
def test_submits_at_the_call_itself(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = kind()
        scheduler.enqueue(lambda: None)
        assert scheduler.pending_count() == 1  # nothing has awaited anything yet

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q2")
def test_is_awaited_now_later_and_more_than_once(run_on_both: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        answer = scheduler.enqueue(lambda: "value")
        assert await answer == "value"
        assert await answer == "value"
        later = scheduler.enqueue(lambda: "later")
        await asyncio.sleep(0.01)
        assert later.done()
        assert [*await asyncio.gather(later, later)] == ["later", "later"]
        await scheduler.stop()

    run_on_both(main())


@both_kinds
@pytest.mark.spec("UI-Q2")
def test_nobody_has_to_look_at_an_error(run_on_both: Run, kind: type[Any]) -> None:
    lost: list[dict[str, Any]] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context))
        scheduler = await started(size=1, kind=kind)
        for _ in range(3):  # two that raise, one that is refused
            scheduler.enqueue(raise_(LookupError("nobody looks")))
        await asyncio.sleep(0.01)
        await scheduler.stop()
        gc.collect()

    run_on_both(main())
    gc.collect()
    assert lost == []


@pytest.mark.spec("UI-Q2")
@pytest.mark.parametrize("how", ["future", "awaiting task"])
def test_cancelling_a_queued_action(run_on_both: Run, how: str) -> None:
    async def main() -> None:
        scheduler = await started()
        first = scheduler.execute(sleeping(0.02, "first"))
        ran: list[str] = []
        answer = scheduler.execute(lambda: ran.append("second"))
        await asyncio.sleep(0)
        await cancel(answer, how)
        assert scheduler.pending_count() == 0  # at once, not when its turn comes
        assert await first == "first"
        assert await scheduler.execute(lambda: "third") == "third"
        assert ran == []
        assert scheduler.get_metrics()["executed_total"] == 2
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-Q2", "UI-L3")
@pytest.mark.parametrize("how", ["future", "awaiting task"])
def test_cancelling_a_running_action_ends_the_wait_only(run_on_both: Run, how: str) -> None:
    async def main() -> None:
        scheduler = await started()
        ran: list[str] = []
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def act() -> None:
            begun.set()
            await may_end.wait()
            ran.append("whole")

        answer = scheduler.execute(act)
        await begun.wait()
        await cancel(answer, how)
        assert not await scheduler.drain(0)
        may_end.set()
        assert await scheduler.drain(1)
        assert ran == ["whole"]
        assert scheduler.get_metrics()["executed_total"] == 1
        await scheduler.stop()

    run_on_both(main())


async def cancel(answer: asyncio.Future[Any], how: str) -> None:
    async def wait() -> None:
        await answer

    if how == "future":
        assert answer.cancel()
    else:
        waiting = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert answer.cancelled()
    assert not answer.cancel()


@both_kinds
def test_what_is_not_callable_is_refused_at_the_call(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = kind()
        made = asyncio.sleep(0)
        with pytest.raises(TypeError, match="an action is a callable"):
            scheduler.enqueue(made)
        made.close()
        for arguments in ({"delay_ms": -1}, {"wait_timeout_ms": -1}):
            with pytest.raises(ValueError, match=next(iter(arguments))):
                scheduler.enqueue(lambda: None, **arguments)
        assert scheduler.pending_count() == 0

    run(main())


@pytest.mark.spec("UI-Q2")
def test_the_action_sees_the_submitters_context(run_on_both: Run) -> None:
    caller: contextvars.ContextVar[str] = contextvars.ContextVar("caller", default="nobody")

    async def main() -> None:
        scheduler = await started()

        async def act() -> str:
            await asyncio.sleep(0)
            seen = caller.get()
            caller.set("the action")
            return seen

        caller.set("ann")
        first = scheduler.execute(act)
        caller.set("bob")
        second = scheduler.execute(caller.get)
        assert [*await asyncio.gather(first, second)] == ["ann", "bob"]
        assert caller.get() == "bob"
        await scheduler.stop()

    run_on_both(main())


# ------------------------------------------------------------------ actions


@both_kinds
@pytest.mark.spec("UI-Q3")
@pytest.mark.parametrize("value", [None, 0, "text", [1, 2]])
def test_a_plain_value_is_the_result(run: Run, kind: type[Any], value: object) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        assert await scheduler.enqueue(lambda: value) is value
        await scheduler.stop()

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q3")
def test_any_awaitable_is_waited_for(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        answer = scheduler.enqueue(lambda: future)
        task = scheduler.enqueue(lambda: asyncio.ensure_future(asyncio.sleep(0.01, "task")))
        await asyncio.sleep(0.01)
        future.set_result("future")
        assert [*await asyncio.gather(answer, task)] == ["future", "task"]
        await scheduler.stop()

    run(main())


class ExoticError(BaseException):
    """Not an Exception."""


@both_kinds
@pytest.mark.spec("UI-Q3", "UI-Q10")
@pytest.mark.parametrize("when", [raise_, raise_later])
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("v"), ValueError),
        (BridgeError(Code.TIMEOUT, "its own"), BridgeError),
        (ExoticError(), ExoticError),
        (GeneratorExit(), GeneratorExit),
        (asyncio.CancelledError(), asyncio.CancelledError),
        (TimeoutError(), TimeoutError),
        (StopIteration(1), RuntimeError),
        (StopAsyncIteration(), (StopAsyncIteration, RuntimeError)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_the_caller_learns_of_any_error_and_the_worker_goes_on(
    run_on_both: Run,
    kind: type[Any],
    when: Callable[[BaseException], Callable[[], object]],
    error: BaseException,
    told: type[BaseException] | tuple[type[BaseException], ...],
) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        answer = scheduler.enqueue(when(error))
        await asyncio.wait([answer])
        caught = asyncio.CancelledError() if answer.cancelled() else answer.exception()
        assert isinstance(caught, told)
        assert await scheduler.enqueue(lambda: "next") == "next"
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-Q10")
def test_awaiting_a_cancelled_child_ends_that_action_only(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started()

        async def act() -> None:
            child = asyncio.ensure_future(asyncio.sleep(60))
            await asyncio.sleep(0)
            child.cancel()
            await child

        answer = scheduler.execute(act)
        with pytest.raises(asyncio.CancelledError):
            await answer
        assert await scheduler.execute(lambda: "next") == "next"
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-Q10")
def test_an_action_that_cancels_its_own_task(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started()

        async def act() -> None:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(1)

        with pytest.raises(asyncio.CancelledError):
            await scheduler.execute(act)
        assert await scheduler.execute(lambda: "next") == "next"
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-Q10")
def test_an_action_that_cancels_its_own_task_in_its_last_step(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started()

        async def act() -> str:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            return "result"

        assert await scheduler.execute(act) == "result"
        assert await scheduler.execute(lambda: "next") == "next"
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-Q10")
def test_a_task_cancelled_before_its_first_step_ends_that_action_only(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        await asyncio.sleep(0)
        answer = scheduler.execute(lambda: "never", trace_id="first")
        await asyncio.sleep(0)  # the worker has taken it; its task has not begun
        (task,) = (each for each in asyncio.all_tasks() if each.get_name() == "ui-action first")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answer
        assert await scheduler.execute(lambda: "next") == "next"
        assert scheduler.get_metrics()["executed_total"] == 1
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-Q10")
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_leaving_the_program_is_not_held_up(run_on_both: Run, error: type[BaseException]) -> None:
    answers: list[asyncio.Future[Any]] = []

    async def main() -> None:
        scheduler = await started()
        answers.extend(scheduler.execute(action) for action in (raise_(error()), lambda: "next"))
        await asyncio.sleep(60)

    with pytest.raises(error):
        run_on_both(main())
    assert isinstance(answers[0].exception(), error)
    assert code_of(answers[1]) == (Code.STOPPED, "queued")
