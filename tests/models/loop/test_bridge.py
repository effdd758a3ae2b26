"""The bridge: SimPy events as futures, awaitables as SimPy events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator
from typing import Any

import pytest
import simpy

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import LoopError, TaskCancelled
from windtunnel_models.loop.bridge import CROWD

Process = Generator[simpy.Event, Any, Any]


def current() -> SimLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimLoop)
    return loop


def test_resources_and_stores_are_awaited_through_futures() -> None:
    async def main() -> tuple[list[str], int]:
        loop = current()
        resource = simpy.Resource(loop.env, capacity=1)
        store = simpy.Store(loop.env)
        log: list[str] = []

        async def use(name: str) -> None:
            with resource.request() as request:
                await loop.as_future(request)
                await asyncio.sleep(1e-9)
                log.append(name)
            await loop.as_future(store.put(name))

        await asyncio.gather(use("a"), use("b"), use("c"))
        log.append(await loop.as_future(store.get()))
        return log, loop.time_ns()

    assert run(main()) == (["a", "b", "c", "a"], 3)


def test_a_process_waits_for_a_coroutine_a_task_and_a_future() -> None:
    async def main() -> list[Any]:
        loop = current()
        future = loop.create_future()
        loop.call_later(1, future.set_result, "future")
        task = asyncio.create_task(asyncio.sleep(2, "task"))

        def process() -> Process:
            results = [(yield loop.as_event(future))]
            results.append((yield loop.as_event(task)))
            results.append((yield loop.as_event(asyncio.sleep(1, "coroutine"))))
            results.append((yield loop.as_event(loop.env.timeout(1, "event"))))
            return [*results, loop.time()]

        return await loop.env.process(process())  # type: ignore[no-any-return]

    assert run(main()) == ["future", "task", "coroutine", "event", 3.000000001]


def test_a_failing_coroutine_raises_in_the_process() -> None:
    async def fail() -> None:
        await asyncio.sleep(1)
        raise KeyError("lost")

    async def main() -> str:
        loop = current()

        def process() -> Process:
            try:
                yield loop.as_event(fail())
            except KeyError as error:
                return f"saw {error}"

        return await loop.env.process(process())  # type: ignore[no-any-return]

    assert run(main()) == "saw 'lost'"


def test_an_error_that_simpy_cannot_copy_is_stood_in_for() -> None:
    async def parse() -> None:
        json.loads("{")

    async def main() -> BaseException | None:
        loop = current()

        def process() -> Process:
            try:
                yield loop.as_event(parse())
            except LoopError as error:
                return error

        error: LoopError = await loop.env.process(process())
        assert "JSONDecodeError" in str(error)
        assert error.__cause__ is not None
        return error.__cause__.__cause__

    assert isinstance(run(main()), json.JSONDecodeError)


def test_a_cancelled_task_is_an_exception_in_the_process() -> None:
    async def main() -> str:
        loop = current()
        task = asyncio.create_task(asyncio.sleep(10), name="sleeper")
        loop.call_later(1, task.cancel)

        def process() -> Process:
            try:
                yield loop.as_event(task)
            except TaskCancelled as error:
                return str(error)

        return await loop.env.process(process())  # type: ignore[no-any-return]

    assert issubclass(TaskCancelled, Exception)
    assert run(main()) == "task 'sleeper' was cancelled"


def test_a_process_that_waits_for_a_leftover_does_not_fail_the_run() -> None:
    async def main() -> str:
        loop = current()
        task = asyncio.create_task(asyncio.sleep(10))

        def process() -> Process:
            yield loop.as_event(task)

        loop.env.process(process())
        await asyncio.sleep(1)
        return "fine"

    assert run(main()) == "fine"


def test_interrupting_the_process_leaves_the_task_alone() -> None:
    async def main() -> tuple[str, str]:
        loop = current()
        task = asyncio.create_task(asyncio.sleep(10, "done"))

        def process() -> Process:
            try:
                yield loop.as_event(task)
            except simpy.Interrupt:
                return "interrupted"

        running = loop.env.process(process())
        loop.call_later(1, running.interrupt)
        return await running, await task

    assert run(main()) == ("interrupted", "done")


def test_listeners_that_gave_up_do_not_pile_up() -> None:
    async def main() -> int:
        loop = current()
        event = loop.env.event()

        async def wait() -> None:
            await event

        for _ in range(10 * CROWD):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(wait(), 1)
        return len(event.callbacks)

    assert run(main()) <= CROWD


def test_foreign_events_and_other_things_are_refused() -> None:
    loop = SimLoop()
    with pytest.raises(LoopError, match="another environment"):
        loop.as_future(simpy.Environment().event())
    with pytest.raises(TypeError, match="SimPy event"):
        loop.as_future(loop.create_future())  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        loop.as_event(7)  # type: ignore[arg-type]
    loop.close()
