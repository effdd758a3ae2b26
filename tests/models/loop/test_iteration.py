"""The iteration: who runs when, at one instant and from one to the next."""

# ruff: noqa: RUF006 - tasks that nobody holds are what these tests are about

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Generator
from typing import Any

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import BusySpin, Deadlock

Process = Generator[simpy.Event, Any, Any]
Run = Callable[[Coroutine[Any, Any, Any]], Any]


def current() -> SimLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimLoop)
    return loop


def test_callbacks_made_ready_together_run_before_a_timer_made_due_by_them(
    run_on_both: Run,
) -> None:
    """A timer set for now belongs to the next iteration, after what was ready first."""

    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        log: list[str] = []

        def first() -> None:
            log.append("first")
            loop.call_later(0, log.append, "timer of first")
            loop.call_soon(log.append, "soon of first")

        loop.call_soon(first)
        loop.call_soon(log.append, "second")
        await asyncio.sleep(0.01)
        return log

    assert run_on_both(main()) == ["first", "second", "soon of first", "timer of first"]


def test_a_busy_task_does_not_starve_a_timer_that_is_due() -> None:
    async def main() -> int:
        flag: list[int] = []
        current().call_later(0, flag.append, 1)
        turns = 0
        while not flag:
            await asyncio.sleep(0)
            turns += 1
        return turns

    assert run(main()) <= 2


def test_a_busy_process_does_not_starve_a_task() -> None:
    async def main() -> int:
        env = current().env
        flag: list[int] = []

        def process() -> Process:
            turns = 0
            while not flag:
                yield env.timeout(0)
                turns += 1
            return turns

        running = env.process(process())

        async def set_flag() -> None:
            await asyncio.sleep(0)
            flag.append(1)

        asyncio.create_task(set_flag())
        return await running  # type: ignore[no-any-return]

    assert run(main()) <= 4


@given(st.lists(st.integers(0, 5), max_size=30))
def test_timers_fire_by_time_then_in_the_order_set(delays: list[int]) -> None:
    async def main() -> list[tuple[int, int]]:
        fired: list[tuple[int, int]] = []
        for index, delay in enumerate(delays):
            current().call_later(delay, fired.append, (delay, index))
        await asyncio.sleep(6)
        return fired

    assert run(main()) == sorted((delay, index) for index, delay in enumerate(delays))


@given(st.lists(st.tuples(st.sampled_from("tp"), st.integers(0, 3)), max_size=20))
def test_sleeps_and_processes_share_one_order(jobs: list[tuple[str, int]]) -> None:
    """What is due at one instant happens in the order in which it was asked for."""

    async def main() -> list[int]:
        loop = current()
        log: list[int] = []
        for index, (kind, delay) in enumerate(jobs):
            if kind == "t":
                loop.call_later(delay, log.append, index)
            else:
                timeout = loop.env.timeout(delay * 1_000_000_000)
                timeout.callbacks.append(
                    functools.partial(lambda index, _: log.append(index), index)
                )
        await asyncio.sleep(4)
        return log

    expected = sorted(range(len(jobs)), key=lambda index: (jobs[index][1], index))
    assert run(main()) == expected


@pytest.mark.parametrize("limit", [20, 1000])
def test_a_task_that_spins_is_named(limit: int) -> None:
    async def spin() -> None:
        while True:  # noqa: ASYNC110 - a spin is what is tested
            await asyncio.sleep(0)

    async def main() -> None:
        current().busy_limit = limit
        asyncio.create_task(spin(), name="spinner")
        await asyncio.sleep(1)

    with pytest.raises(BusySpin, match=r"at 0\.0 s.*task 'spinner'"):
        run(main())


def test_a_process_that_spins_is_named() -> None:
    async def main() -> None:
        loop = current()
        loop.busy_limit = 1000

        def turnstile() -> Process:
            while True:
                yield loop.env.timeout(0)

        await loop.env.process(turnstile())

    with pytest.raises(BusySpin, match="SimPy process 'turnstile'"):
        run(main())


def test_two_tasks_that_wake_each_other_are_both_named() -> None:
    async def pass_on(mine: asyncio.Queue[int], other: asyncio.Queue[int]) -> None:
        while True:
            other.put_nowait(await mine.get())

    async def main() -> None:
        current().busy_limit = 1000
        one: asyncio.Queue[int] = asyncio.Queue()
        two: asyncio.Queue[int] = asyncio.Queue()
        one.put_nowait(1)
        asyncio.create_task(pass_on(one, two), name="ping")
        asyncio.create_task(pass_on(two, one), name="pong")
        await asyncio.sleep(1)

    with pytest.raises(BusySpin, match=r"(?s)(?=.*'ping')(?=.*'pong')"):
        run(main())


def test_many_tasks_at_one_instant_are_no_spin() -> None:
    async def main() -> float:
        current().busy_limit = 50
        await asyncio.gather(*[asyncio.sleep(1) for _ in range(5000)])
        return current().time()

    assert run(main()) == 1.0


def test_a_spin_is_counted_anew_when_time_moves() -> None:
    async def main() -> float:
        current().busy_limit = 50
        for _ in range(20):
            for _ in range(30):
                await asyncio.sleep(0)
            await asyncio.sleep(1)
        return current().time()

    assert run(main()) == 20.0


def test_a_deadlock_is_found_when_nothing_is_left() -> None:
    async def main() -> None:
        await asyncio.sleep(5)
        await asyncio.Event().wait()

    with pytest.raises(Deadlock, match=r"at 5\.0 s"):
        run(main())


def test_an_infinite_sleep_is_a_deadlock_and_no_long_sleep() -> None:
    async def main() -> None:
        await asyncio.sleep(float("inf"))

    with pytest.raises(Deadlock, match=r"at 0\.0 s"):
        run(main())


def test_run_forever_ends_when_nothing_waits() -> None:
    loop = SimLoop()
    log: list[int] = []
    loop.call_later(3, log.append, 1)
    loop.run_forever()
    assert (log, loop.time()) == ([1], 3.0)
    loop.close()
