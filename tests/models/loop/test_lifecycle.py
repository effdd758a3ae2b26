"""The life of a loop: running, stopping, leftovers, closing."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import BackgroundError

Run = Callable[[Coroutine[Any, Any, Any]], Any]
Loop = asyncio.AbstractEventLoop


@pytest.fixture(params=[asyncio.new_event_loop, SimLoop], ids=["asyncio", "sim"])
def loop(request: pytest.FixtureRequest) -> Any:
    """Give an ordinary and a simulated loop, closed afterwards."""
    loop = request.param()
    yield loop
    loop.close()


def test_stop_lets_the_iteration_end_and_keeps_the_rest(loop: Loop) -> None:
    log: list[str] = []

    def first() -> None:
        log.append("first")
        loop.stop()
        loop.call_soon(log.append, "next iteration")

    loop.call_soon(first)
    loop.call_soon(log.append, "same iteration")
    loop.run_forever()
    assert log == ["first", "same iteration"]
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert log == ["first", "same iteration", "next iteration"]


def test_stop_before_running_runs_one_iteration(loop: Loop) -> None:
    log: list[str] = []
    loop.call_soon(log.append, "ready")
    loop.call_later(3600, log.append, "later")
    loop.stop()
    loop.run_forever()
    assert log == ["ready"]


def test_run_until_complete_returns_raises_and_takes_futures(loop: Loop) -> None:
    async def fail() -> None:
        raise KeyError("lost")

    future = loop.create_future()
    loop.call_soon(future.set_result, 5)
    assert loop.run_until_complete(future) == 5
    assert loop.run_until_complete(asyncio.sleep(0, "value")) == "value"
    with pytest.raises(KeyError):
        loop.run_until_complete(fail())
    with pytest.raises(TypeError):
        loop.run_until_complete(7)  # type: ignore[arg-type]


def test_stopped_before_the_end_is_an_error(loop: Loop) -> None:
    async def main() -> None:
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    task = loop.create_task(main())
    with pytest.raises(RuntimeError, match="stopped before"):
        loop.run_until_complete(task)
    loop.run_until_complete(task)


def test_running_is_neither_nested_nor_closed() -> None:
    loop = SimLoop()

    async def main() -> None:
        assert loop.is_running()
        coroutine = asyncio.sleep(0)
        for action in (loop.run_forever, loop.close, lambda: loop.run_until_complete(coroutine)):
            with pytest.raises(RuntimeError):
                action()
        coroutine.close()

    loop.run_until_complete(main())
    assert not loop.is_running()
    loop.close()


def test_a_simulated_loop_does_not_run_inside_another() -> None:
    async def main() -> None:
        inner = SimLoop()
        with pytest.raises(RuntimeError, match="another loop"):
            inner.run_forever()
        inner.close()

    asyncio.run(main())


def test_close_is_idempotent(loop: Loop) -> None:
    assert not loop.is_closed()
    loop.close()
    loop.close()
    assert loop.is_closed()


def test_system_exit_leaves_the_loop_and_it_can_run_again(loop: Loop) -> None:
    async def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        loop.run_until_complete(leave())
    assert loop.run_until_complete(asyncio.sleep(0, "again")) == "again"


def test_a_callback_may_end_the_program(loop: Loop) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    loop.call_soon(interrupt)
    with pytest.raises(KeyboardInterrupt):
        loop.run_forever()


def test_debug_mode_tracks_origins_while_running(loop: Loop) -> None:
    async def main() -> int:
        return sys.get_coroutine_origin_tracking_depth()

    before = sys.get_coroutine_origin_tracking_depth()
    assert loop.run_until_complete(main()) == before
    loop.set_debug(True)
    assert loop.get_debug()
    assert loop.run_until_complete(main()) == 10
    loop.set_debug(False)
    assert not loop.get_debug()
    assert sys.get_coroutine_origin_tracking_depth() == before


def test_leftovers_are_cancelled_in_order_of_creation() -> None:
    loop = SimLoop()
    log: list[int] = []

    async def wait(index: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            log.append(index)

    async def main() -> None:
        tasks = [asyncio.create_task(wait(index)) for index in range(100)]
        await asyncio.sleep(0)
        assert loop.leftovers() == tasks

    loop.run_until_complete(main())
    loop.cancel_leftovers()
    assert log == list(range(100))
    assert loop.leftovers() == []
    loop.close()


def test_a_task_asleep_when_the_loop_is_closed_is_thrown_away_in_silence(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    complaints: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)

    async def sleep() -> None:
        await asyncio.sleep(100)

    loop = SimLoop()
    task = loop.create_task(sleep())
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    del task
    gc.collect()
    assert complaints == []
    assert "destroyed but it is pending" in caplog.text  # as asyncio says it


def test_a_task_that_ignores_its_cancellation_is_named_and_left_alone() -> None:
    async def mule() -> None:
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(1000)

    async def main() -> None:
        task = asyncio.create_task(mule(), name="mule")
        await asyncio.sleep(1)
        assert not task.done()

    with pytest.raises(BackgroundError, match=r"task 'mule' at .* in .*mule.*was cancelled"):
        run(main())
