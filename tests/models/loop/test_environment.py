"""The environment: SimPy in whole nanoseconds, inside the loop."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Generator
from typing import Any

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import LoopError, NotInteger
from windtunnel_models.loop.environment import SWEEP_FLOOR, SimEnvironment

Process = Generator[simpy.Event, Any, Any]


@pytest.mark.parametrize("delay", [0.5, 1.0, True, "1", None, float("nan"), float("inf")])
def test_a_delay_that_is_no_int_names_the_process_and_the_unit(delay: Any) -> None:
    async def main() -> None:
        env = asyncio.get_running_loop().env  # type: ignore[attr-defined]

        def customer() -> Process:
            yield env.timeout(delay)

        await env.process(customer())

    with pytest.raises(TypeError, match=r"'customer'.*nanoseconds") as raised:
        run(main())
    assert isinstance(raised.value.__cause__ or raised.value, NotInteger)


def test_the_message_says_what_to_write_instead() -> None:
    with pytest.raises(NotInteger, match="500_000_000"):
        SimLoop().env.timeout(0.5)  # type: ignore[arg-type]


def test_a_task_that_asks_for_a_float_is_named() -> None:
    async def main() -> None:
        asyncio.get_running_loop().env.timeout(0.5)  # type: ignore[attr-defined]

    with pytest.raises(NotInteger, match="task 'Task-1'"):
        run(main())


def test_events_are_not_scheduled_in_the_past_nor_by_floats() -> None:
    env = SimLoop().env
    event = env.event()
    with pytest.raises(ValueError, match="Negative"):
        env.schedule(event, delay=-1)
    with pytest.raises(ValueError, match="Negative"):
        env.timeout(-1)
    with pytest.raises(NotInteger):
        env.schedule(event, delay=1.0)  # type: ignore[arg-type]
    with pytest.raises(NotInteger):
        env.run(until=1.5)  # type: ignore[arg-type]


def test_run_and_step_are_refused_while_the_loop_runs() -> None:
    async def main() -> None:
        env = asyncio.get_running_loop().env  # type: ignore[attr-defined]
        for drive in (env.run, env.step):
            with pytest.raises(LoopError, match="the loop drives"):
                drive()

    run(main())


def play(env: simpy.Environment, seed: int) -> list[tuple[str, int]]:
    """Run a small random model: processes, a resource, interrupts; return what happened when."""
    rng = random.Random(seed)
    log: list[tuple[str, int]] = []
    resource = simpy.Resource(env, capacity=2)

    def worker(name: str, depth: int) -> Process:
        for _ in range(rng.randint(1, 3)):
            try:
                with resource.request() as request:
                    yield request
                    yield env.timeout(rng.choice([0, 0, 1, 2]))
            except simpy.Interrupt:
                log.append((f"{name} interrupted", int(env.now)))
            log.append((name, int(env.now)))
            if depth:
                child = env.process(worker(f"{name}.{depth}", depth - 1))
                if rng.random() < 0.3:
                    yield env.timeout(0)
                    if child.is_alive:
                        child.interrupt()

    for index in range(4):
        env.process(worker(str(index), 2))
    return log


@given(st.integers(0, 10_000))
def test_the_loop_fires_simpy_events_in_simpys_own_order(seed: int) -> None:
    plain = simpy.Environment()
    expected = play(plain, seed)
    plain.run()
    loop = SimLoop()
    log = play(loop.env, seed)
    loop.run_forever()
    loop.close()
    assert log == expected
    assert loop.time_ns() == plain.now


@given(st.integers(0, 10_000))
def test_driven_by_hand_it_is_simpys_environment(seed: int) -> None:
    plain = simpy.Environment()
    expected = play(plain, seed)
    plain.run()
    env = SimLoop().env
    log = play(env, seed)
    env.run()
    assert log == expected


def test_step_by_hand_fires_timers_and_sleeps_and_passes_cancelled_ones_over() -> None:
    loop = SimLoop()
    calls: list[str] = []
    loop.call_later(1, calls.append, "timer")
    loop.call_later(0.5, calls.append, "cancelled").cancel()
    future = loop.create_future()
    loop.env.timeout(2_000_000_000)
    asyncio.set_event_loop(None)
    task = loop.create_task(asyncio.sleep(1.5))
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.env.step()
    assert (calls, loop.time()) == (["timer"], 1.0)
    loop.env.step()
    assert (calls, loop.time()) == (["timer"], 1.5)
    loop.env.step()
    assert loop.time() == 2.0
    assert not future.done()
    loop.run_until_complete(task)
    loop.close()


def test_run_until_an_instant_is_in_nanoseconds() -> None:
    env = SimLoop().env
    env.run(until=7)
    assert env.now == 7


async def wait_and_time_out(count: int) -> SimEnvironment:
    loop = asyncio.get_running_loop()
    never = loop.create_future()
    for _ in range(count):
        done = loop.create_future()
        loop.call_soon(done.set_result, None)
        await asyncio.wait_for(done, 3600)
    never.cancel()
    env: SimEnvironment = loop.env  # type: ignore[attr-defined]
    return env


def test_the_heap_is_swept_of_finished_time_outs() -> None:
    async def main() -> int:
        env = await wait_and_time_out(10 * SWEEP_FLOOR)
        return len(env._queue)

    assert run(main()) <= 2 * SWEEP_FLOOR


def test_the_heap_is_swept_of_cancelled_sleeps() -> None:
    async def main() -> int:
        for _ in range(10 * SWEEP_FLOOR):
            task = asyncio.create_task(asyncio.sleep(3600))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        return len(asyncio.get_running_loop().env._queue)  # type: ignore[attr-defined]

    assert run(main()) <= 3 * SWEEP_FLOOR


def test_the_heap_is_swept_of_sleeps_that_tasks_of_another_kind_cut_short() -> None:
    async def main() -> int:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimLoop)
        loop.set_task_factory(lambda on, coro, **options: asyncio.Task(coro, loop=on, **options))
        for _ in range(1_000):
            task = asyncio.create_task(asyncio.sleep(3600))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        return len(loop.env._queue)

    assert run(main()) < 250


def test_sweeping_leaves_live_timers_and_their_order() -> None:
    async def main() -> list[int]:
        loop = asyncio.get_running_loop()
        fired: list[int] = []
        handles = [loop.call_later(index % 7, fired.append, index) for index in range(2000)]
        for index, handle in enumerate(handles):
            if index % 10:
                handle.cancel()
        await asyncio.sleep(10)
        return fired

    expected = sorted(range(0, 2000, 10), key=lambda index: (index % 7, index))
    assert run(main()) == expected


def test_time_does_not_go_to_cancelled_timers() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        loop.call_later(5, print).cancel()
        task = asyncio.create_task(asyncio.sleep(6))
        await asyncio.sleep(0)
        task.cancel()
        return loop.time()

    loop = SimLoop()
    assert loop.run_until_complete(main()) == 0
    loop.run_forever()
    assert loop.time() == 0
    loop.close()
