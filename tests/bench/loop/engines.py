"""The engines whose speed is compared, and the programs they run.

Each engine takes a main coroutine function and runs it to its end; what it is set to is written
here and nowhere else. A peer that is not installed makes its import fail when it is run.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
from collections.abc import Callable, Coroutine
from typing import Any

import simpy

import windtunnel_models

Main = Callable[[], Coroutine[Any, Any, object]]


def run_ours(main: Main) -> None:
    windtunnel_models.run(main())


def run_asyncio(main: Main) -> None:
    asyncio.run(main())


def run_aiotools(main: Main) -> None:
    """The virtual clock, which patches the running loop's selector."""
    import aiotools

    async def patched() -> None:
        with aiotools.VirtualClock().patch_loop():
            await main()

    asyncio.run(patched())


def run_async_solipsism(main: Main) -> None:
    import async_solipsism

    with asyncio.Runner(loop_factory=async_solipsism.EventLoop) as runner:
        runner.run(main())


def run_detangle(main: Main) -> None:
    """Seed 0 (its fastest setting), no trace, and steps enough for the program."""
    import detangle

    detangle.run(main, seed=0, max_steps=10_000_000)


def run_simloop(main: Main) -> None:
    """Seed 0; the loop alone, without the garbage collection that its `explore` adds per run."""
    from simloop import SimLoop

    loop = SimLoop(0)
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(main())
    finally:
        asyncio.set_event_loop(None)
        loop.close()


ENGINES: dict[str, Callable[[Main], None]] = {
    "windtunnel": run_ours,
    "asyncio": run_asyncio,
    "aiotools": run_aiotools,
    "async-solipsism": run_async_solipsism,
    "detangle": run_detangle,
    "simloop": run_simloop,
}


async def sleep_often(count: int, delay: float) -> None:
    """Row 1: one task, one sleep after the other."""
    for _ in range(count):
        await asyncio.sleep(delay)


def time_out_often(count: int) -> None:
    """Row 1 in raw SimPy: one process, one time-out after the other."""
    env = simpy.Environment()

    def process() -> simpy.events.ProcessGenerator:
        for _ in range(count):
            yield env.timeout(1)

    env.process(process())
    env.run()


async def serve_queue(jobs: int, delay: float) -> None:
    """Row 2: one worker on a priority queue; each job three sleeps under a time-out.

    Each caller waits, with a time-out of its own, for the Future that carries its job's result.
    """
    queue: asyncio.PriorityQueue[tuple[int, int, asyncio.Future[int]]] = asyncio.PriorityQueue()
    numbers = itertools.count()
    loop = asyncio.get_running_loop()

    async def work(number: int) -> int:
        for _ in range(3):
            await asyncio.sleep(delay)
        return number

    async def worker() -> None:
        while True:
            _, number, future = await queue.get()
            future.set_result(await asyncio.wait_for(work(number), 3600))

    async def caller() -> None:
        for index in range(jobs // 10):
            future: asyncio.Future[int] = loop.create_future()
            queue.put_nowait((index % 3, next(numbers), future))
            await asyncio.wait_for(future, 3600)

    task = loop.create_task(worker())
    await asyncio.gather(*[caller() for _ in range(10)])
    task.cancel()


def program(row: int, *, virtual: bool) -> Main:
    """Return a row's program: with delays for virtual time, or with zero sleeps."""
    if row == 1:
        return functools.partial(sleep_often, 10_000, 0.01 if virtual else 0)
    return functools.partial(serve_queue, 1_000, 0.01 if virtual else 0)
