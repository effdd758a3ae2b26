"""The guard: closed loops, foreign threads, debug mode."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import ForeignThread

SCHEDULING: dict[str, Callable[[SimLoop], Any]] = {
    "call_soon": lambda loop: loop.call_soon(print),
    "call_soon_threadsafe": lambda loop: loop.call_soon_threadsafe(print),
    "call_later": lambda loop: loop.call_later(1, print),
    "call_at": lambda loop: loop.call_at(1, print),
}


# A loop's code cannot start a thread; this one is there before.
OTHER_THREAD = ThreadPoolExecutor(1)
OTHER_THREAD.submit(int).result()


def in_thread(action: Callable[[], Any]) -> list[BaseException]:
    """Run in another thread, to the end; return what it raised."""
    raised: list[BaseException] = []

    def body() -> None:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            raised.append(error)

    OTHER_THREAD.submit(body).result()
    return raised


@pytest.mark.parametrize("name", SCHEDULING)
def test_another_thread_is_refused_there_and_the_run_fails(name: str) -> None:
    seen: list[BaseException] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        seen.extend(in_thread(lambda: SCHEDULING[name](loop)))  # type: ignore[arg-type]
        await asyncio.sleep(10)

    with pytest.raises(ForeignThread, match="another thread"):
        run(main())
    assert [type(error) for error in seen] == [ForeignThread]


def test_a_future_settled_by_another_thread_is_no_time_out() -> None:
    async def main() -> None:
        future = asyncio.get_running_loop().create_future()
        waiter = asyncio.ensure_future(asyncio.wait_for(future, 5))
        await asyncio.sleep(1)
        in_thread(lambda: future.set_result(1))
        await waiter

    with pytest.raises(ForeignThread) as raised:
        run(main())
    assert not hasattr(raised.value, "__notes__"), "the waiter was woken, and could be cancelled"


def test_a_task_woken_by_another_thread_can_still_be_cancelled() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        loop.call_later(1, in_thread, lambda: future.set_result(1))
        await future

    with pytest.raises(ForeignThread) as raised:
        run(main())
    assert not hasattr(raised.value, "__notes__")


def test_a_loop_made_in_one_thread_runs_in_another() -> None:
    loop = SimLoop()
    raised = in_thread(lambda: loop.run_until_complete(asyncio.sleep(1)))
    assert raised == []
    assert loop.run_until_complete(asyncio.sleep(1, "here")) == "here"
    loop.close()


@pytest.mark.parametrize("name", SCHEDULING)
def test_a_closed_loop_schedules_nothing(name: str) -> None:
    loop = SimLoop()
    loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        SCHEDULING[name](loop)


def test_a_closed_loop_runs_nothing() -> None:
    loop = SimLoop()
    loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        loop.run_forever()
    coroutine = asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="closed"):
        loop.create_task(coroutine)
    coroutine.close()


async def nothing() -> None:
    """Stand for a coroutine function, which is no callback."""


@pytest.mark.parametrize("callback", [nothing, 7])
def test_debug_mode_looks_at_callbacks(callback: Any) -> None:
    loop = SimLoop()
    loop.set_debug(True)
    with pytest.raises(TypeError, match="takes a function"):
        loop.call_soon(callback)
    with pytest.raises(TypeError, match="takes a function"):
        loop.call_later(1, callback)
    loop.close()
