"""The engines whose speed is compared, the programs they run, and the measuring.

What each engine is set to is written here and nowhere else. Engines take turns, round after round,
so that all see the same machine; the CPU time of an engine's best round counts.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import itertools
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import simpy

import windtunnel_models

Main = Callable[[], Coroutine[Any, Any, object]]
Program = Callable[[], None]
ROUNDS = 15
SLEEPS = 20_000
JOBS = 1_000
CALLERS = 10
DELAY = 0.01


# ---------------------------------------------------------------- engines


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
    """Seed 0; the loop alone, without the garbage collection that `explore` adds to each run."""
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


# ---------------------------------------------------------------- programs


async def sleep_often(delay: float) -> None:
    """One task, one sleep after the other."""
    for _ in range(SLEEPS):
        await asyncio.sleep(delay)


def time_out_often() -> None:
    """The same in raw SimPy: one process, one time-out after the other."""
    env = simpy.Environment()

    def process() -> simpy.events.ProcessGenerator:
        for _ in range(SLEEPS):
            yield env.timeout(1)

    env.process(process())
    env.run()


async def serve_queue(delay: float) -> None:
    """One worker on a priority queue; each job is three sleeps under a time-out.

    Each caller waits, with a time-out of its own, for the Future that carries its job's result.
    """
    queue: asyncio.PriorityQueue[tuple[int, int, asyncio.Future[int]]] = asyncio.PriorityQueue()
    numbers = itertools.count()
    loop = asyncio.get_running_loop()

    async def work(number: int) -> int:
        for _ in range(3):
            await asyncio.sleep(delay)
        return number

    async def serve() -> None:
        while True:
            _, number, future = await queue.get()
            future.set_result(await asyncio.wait_for(work(number), 3600))

    async def call() -> None:
        for index in range(JOBS // CALLERS):
            future: asyncio.Future[int] = loop.create_future()
            queue.put_nowait((index % 3, next(numbers), future))
            await asyncio.wait_for(future, 3600)

    worker = loop.create_task(serve())
    await asyncio.gather(*[call() for _ in range(CALLERS)])
    worker.cancel()


# program → engine → how it runs there; asyncio itself with zero sleeps, as it cannot skip time
PROGRAMS: dict[str, dict[str, Program]] = {
    name: {
        engine: functools.partial(run, functools.partial(main, 0 if engine == "asyncio" else DELAY))
        for engine, run in ENGINES.items()
    }
    for name, main in {"sleep": sleep_often, "queue": serve_queue}.items()
}
PROGRAMS["sleep"]["simpy"] = time_out_often


# ---------------------------------------------------------------- measuring


def cpu_seconds(program: Program) -> float:
    gc.collect()
    gc.freeze()  # what the test session has loaded is not the program's to look through
    began = time.process_time()
    program()
    spent = time.process_time() - began
    gc.unfreeze()
    return spent


def installed(program: Program) -> bool:
    """Run the program once to warm it; tell whether its engine is there."""
    try:
        program()
    except ImportError:
        return False
    return True


@functools.cache
def best_times(program: str) -> dict[str, float]:
    """CPU seconds of the best round of each engine that is installed."""
    engines = {name: run for name, run in PROGRAMS[program].items() if installed(run)}
    rounds = [{name: cpu_seconds(run) for name, run in engines.items()} for _ in range(ROUNDS)]
    return {name: min(times[name] for times in rounds) for name in engines}


Ratio = Callable[[str, str], float]


@pytest.fixture
def ratio() -> Ratio:
    """Give `ratio(program, peer)`: how many times faster than the peer ours is.

    Skips the test, saying NOT MEASURED, when the peer is not installed.
    """

    def measure(program: str, peer: str) -> float:
        times = best_times(program)
        if peer not in times:
            pytest.skip(f"NOT MEASURED: {peer} is not installed (or not for this Python)")
        return times[peer] / times["windtunnel"]

    return measure


@pytest.fixture
def ours() -> Callable[[str], Program]:
    """Give `ours(program)`: the program on our loop, to be timed by pytest-benchmark."""
    return lambda program: PROGRAMS[program]["windtunnel"]
