"""Background failures: what nobody looked at fails the run."""

# ruff: noqa: RUF006 - tasks that nobody holds are what these tests are about

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable
from typing import Any

import pytest

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import BackgroundError


async def fail(message: str = "lost") -> None:
    await asyncio.sleep(0)
    raise KeyError(message)


def test_a_task_that_failed_unseen_fails_the_run() -> None:
    async def main() -> str:
        asyncio.create_task(fail(), name="doomed")
        await asyncio.sleep(1)
        return "went on"

    with pytest.raises(BackgroundError, match=r"task 'doomed'.*KeyError\('lost'\)") as raised:
        run(main())
    assert isinstance(raised.value.__cause__, KeyError)


def test_a_task_hidden_in_a_cycle_is_found_without_a_collection() -> None:
    async def hidden() -> None:
        cycle: dict[str, Any] = {"task": asyncio.current_task()}
        cycle["cycle"] = cycle
        await fail()

    async def main() -> None:
        asyncio.create_task(hidden(), name="hidden")
        await asyncio.sleep(1)

    gc.disable()
    try:
        with pytest.raises(BackgroundError, match="hidden"):
            run(main())
    finally:
        gc.enable()


@pytest.mark.parametrize("others", [0, 1000])
def test_no_failure_is_lost_among_many_tasks(others: int) -> None:
    async def main() -> None:
        asyncio.create_task(fail("first"), name="first")
        for _ in range(others):
            await asyncio.create_task(asyncio.sleep(0))
        asyncio.create_task(fail("last"), name="last")
        await asyncio.sleep(1)

    with pytest.raises(BackgroundError, match="'first'") as raised:
        run(main())
    assert "'last'" in "".join(raised.value.__notes__)


def test_finished_tasks_are_let_go() -> None:
    async def main() -> int:
        for _ in range(5000):
            await asyncio.create_task(asyncio.sleep(0))
        return len(asyncio.get_running_loop()._tasks)  # type: ignore[attr-defined]

    assert run(main()) < 1000


@pytest.mark.parametrize("look", ["await", "exception", "gather", "wait"])
def test_a_failure_that_was_looked_at_is_no_failure_of_the_run(look: str) -> None:
    async def main() -> str:
        task = asyncio.create_task(fail())
        if look == "await":
            with pytest.raises(KeyError):
                await task
        elif look == "gather":
            await asyncio.gather(task, return_exceptions=True)
        else:
            await asyncio.wait([task])
            assert isinstance(task.exception(), KeyError)
        return "fine"

    assert run(main()) == "fine"


def test_a_cancelled_task_is_no_failure() -> None:
    async def main() -> str:
        asyncio.create_task(asyncio.sleep(10)).cancel()
        await asyncio.sleep(1)
        return "fine"

    assert run(main()) == "fine"


@pytest.mark.parametrize("when", ["soon", "later", "at"])
def test_a_callback_that_raises_fails_the_run(when: str) -> None:
    def explode() -> None:
        raise KeyError("callback")

    async def main() -> None:
        loop = asyncio.get_running_loop()
        schedule: dict[str, Callable[[], object]] = {
            "soon": lambda: loop.call_soon(explode),
            "later": lambda: loop.call_later(1, explode),
            "at": lambda: loop.call_at(1, explode),
        }
        schedule[when]()
        await asyncio.sleep(2)

    with pytest.raises(BackgroundError, match=r"explode\(\) at .*KeyError\('callback'\)"):
        run(main())


def test_a_future_that_failed_unseen_fails_the_run() -> None:
    async def main() -> None:
        asyncio.get_running_loop().create_future().set_exception(KeyError("future"))
        await asyncio.sleep(1)

    with pytest.raises(BackgroundError, match="KeyError"):
        run(main())


def test_the_error_of_main_wins_and_the_others_are_its_notes() -> None:
    async def main() -> None:
        asyncio.create_task(fail(), name="doomed")
        await asyncio.sleep(1)
        raise ValueError("main")

    with pytest.raises(ValueError, match="main") as raised:
        run(main())
    assert "in the background" in raised.value.__notes__[0]
    assert "'doomed'" in raised.value.__notes__[0]


def test_asyncios_own_runner_tells_them_too() -> None:
    async def main(error: Exception | None) -> None:
        asyncio.create_task(fail(), name="doomed")
        await asyncio.sleep(1)
        if error is not None:
            raise error

    with (
        pytest.raises(BackgroundError, match="doomed"),
        asyncio.Runner(loop_factory=SimLoop) as runner,
    ):
        runner.run(main(None))
    with (
        pytest.raises(ValueError, match="main") as raised,
        asyncio.Runner(loop_factory=SimLoop) as runner,
    ):
        runner.run(main(ValueError("main")))
    assert "'doomed'" in raised.value.__notes__[0]


def test_a_users_handler_takes_the_failures() -> None:
    contexts: list[dict[str, Any]] = []

    async def main() -> str:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: contexts.append(context))
        asyncio.create_task(fail(), name="doomed")
        loop.call_soon(lambda: 1 // 0)
        await asyncio.sleep(1)
        return "fine"

    assert run(main()) == "fine"
    assert [type(context["exception"]) for context in contexts] == [ZeroDivisionError, KeyError]
    assert contexts[1]["task"].get_name() == "doomed"


def test_a_handler_may_pass_failures_on() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(SimLoop.default_exception_handler)  # type: ignore[arg-type]
        loop.call_soon(lambda: 1 // 0)
        await asyncio.sleep(1)

    with pytest.raises(BackgroundError, match="ZeroDivisionError"):
        run(main())


def test_a_handler_that_raises_fails_the_run() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: context["nothing"])
        loop.call_soon(lambda: 1 // 0)
        await asyncio.sleep(1)

    with pytest.raises(BackgroundError, match=r"exception handler.*KeyError\('nothing'\)"):
        run(main())


def test_a_handler_is_callable_or_none() -> None:
    loop = SimLoop()
    with pytest.raises(TypeError, match="callable"):
        loop.set_exception_handler(7)  # type: ignore[arg-type]
    assert loop.get_exception_handler() is None
    loop.close()


def test_what_is_no_exception_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        asyncio.get_running_loop().call_exception_handler({"message": "mind the gap"})

    with caplog.at_level(logging.ERROR, "asyncio"):
        run(main())
    assert "mind the gap" in caplog.text
