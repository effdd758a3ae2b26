"""Threads: refused where they are started or waited for, and nowhere else."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from windtunnel_models import run
from windtunnel_models.errors import Unsupported
from windtunnel_models.loop.threads import threads_refused


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Give a pool whose one thread runs already."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        yield pool


def settle_late(future: asyncio.Future[int], gate: threading.Event) -> None:
    gate.wait()
    future.get_loop().call_soon_threadsafe(future.set_result, 1)


def test_a_thread_that_would_call_in_late_is_refused_and_no_time_out() -> None:
    gate = threading.Event()

    async def main() -> None:
        future = asyncio.get_running_loop().create_future()
        threading.Thread(target=settle_late, args=(future, gate), name="late").start()
        await asyncio.wait_for(future, 5)

    with pytest.raises(Unsupported, match=r"thread 'late' cannot be started.*sleep"):
        run(main())


def start_timer() -> None:
    threading.Timer(0, print).start()


def use_new_executor() -> object:
    return ThreadPoolExecutor().submit(int)


@pytest.mark.parametrize("begin", [start_timer, use_new_executor])
def test_timers_and_executors_are_threads_too(begin: Callable[[], object]) -> None:
    async def main() -> None:
        begin()

    with pytest.raises(Unsupported, match="virtual time"):
        run(main())


def test_the_future_of_a_thread_is_refused_and_no_time_out(pool: ThreadPoolExecutor) -> None:
    gate = threading.Event()

    async def main() -> None:
        try:
            await asyncio.wait_for(asyncio.wrap_future(pool.submit(gate.wait)), 5)
        finally:
            gate.set()

    with pytest.raises(Unsupported, match="future of a thread"):
        run(main())


def test_what_is_done_can_be_had(pool: ThreadPoolExecutor) -> None:
    async def main() -> list[int]:
        future: Future[int] = pool.submit(int, 7)
        return [future.result(), await asyncio.wrap_future(future)]

    assert run(main()) == [7, 7]


def test_ordinary_loops_in_other_threads_notice_nothing(pool: ThreadPoolExecutor) -> None:
    async def main() -> object:
        return pool.submit(asyncio.run, asyncio.to_thread(int, 3)).result()

    assert run(main()) == 3


def test_all_is_as_before_when_the_last_user_has_left() -> None:
    before = threading.Thread.start, vars(asyncio.futures)["_chain_future"]
    with threads_refused():
        with pytest.raises(KeyError), threads_refused():
            raise KeyError
        assert threading.Thread.start is not before[0]
    assert (threading.Thread.start, vars(asyncio.futures)["_chain_future"]) == before
