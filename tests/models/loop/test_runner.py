"""The runner: what `asyncio.run` is, in virtual time."""

# ruff: noqa: RUF006 - tasks that nobody holds are what these tests are about

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest

from windtunnel_models import run
from windtunnel_models.errors import BackgroundError, Deadlock


def test_it_returns_and_raises_what_main_does() -> None:
    async def fail() -> None:
        raise KeyError("lost")

    assert run(asyncio.sleep(1, "value")) == "value"
    with pytest.raises(KeyError):
        run(fail())


def test_it_refuses_a_running_loop_and_what_is_no_coroutine() -> None:
    async def main() -> None:
        coroutine = asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="running event loop"):
            run(coroutine)
        coroutine.close()

    run(main())
    asyncio.run(main())
    with pytest.raises((ValueError, TypeError), match="coroutine"):
        run(7)  # type: ignore[arg-type]


def test_leftovers_are_cancelled_in_order_of_creation_whatever_main_does() -> None:
    log: list[int] = []

    async def wait(index: int) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            log.append(index)

    async def main(error: Exception | None) -> None:
        tasks = [asyncio.create_task(wait(index)) for index in range(50)]
        await asyncio.sleep(0)
        assert tasks
        if error is not None:
            raise error

    run(main(None))
    with pytest.raises(KeyError):
        run(main(KeyError()))
    assert log == [*range(50), *range(50)]


def test_a_leftover_that_fails_on_the_way_out_fails_the_run() -> None:
    async def stubborn() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            raise KeyError("on the way out")

    async def main() -> None:
        asyncio.create_task(stubborn(), name="stubborn")
        await asyncio.sleep(0)

    with pytest.raises(BackgroundError, match="stubborn"):
        run(main())


def test_a_leftover_that_waits_when_cancelled_is_a_deadlock_and_no_hang() -> None:
    async def stubborn() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.Event().wait()

    async def main() -> None:
        asyncio.create_task(stubborn(), name="stubborn")
        await asyncio.sleep(0)

    with pytest.raises(Deadlock, match="stubborn"):
        run(main())


def test_the_first_deadlock_is_the_one_told() -> None:
    async def stubborn() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.Event().wait()

    async def main() -> None:
        asyncio.create_task(stubborn(), name="stubborn")
        await asyncio.Event().wait()

    with pytest.raises(Deadlock, match="'Task-1'") as raised:
        run(main())
    assert "stubborn" in "".join(raised.value.__notes__)


def test_debug_is_passed_on() -> None:
    async def main() -> bool:
        return asyncio.get_running_loop().get_debug()

    assert run(main(), debug=True) is True
    assert run(main(), debug=False) is False


def test_the_keyboard_interrupts_main_as_under_asyncio() -> None:
    log: list[str] = []

    async def main() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            log.append("cancelled")
            raise

    with pytest.raises(KeyboardInterrupt):
        run(main())
    assert log == ["cancelled"]


def test_nothing_is_left_of_a_run() -> None:
    async def main() -> Any:
        return asyncio.get_running_loop()

    loop = run(main())
    assert loop.is_closed()
    assert asyncio._get_running_loop() is None
