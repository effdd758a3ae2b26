"""Who waits for what: the report behind a Deadlock."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
import simpy

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import Deadlock

Main = Callable[[], Coroutine[Any, Any, Any]]


def report_of(main: Main) -> str:
    """Run into the deadlock; return its message."""
    with pytest.raises(Deadlock) as raised:
        run(main())
    return str(raised.value)


async def hold(lock: asyncio.Lock) -> None:
    await lock.acquire()
    await lock.acquire()


async def form_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.Event().wait(), name="member")


async def generate() -> AsyncIterator[int]:
    await asyncio.Event().wait()
    yield 1


async def iterate() -> None:
    async for _ in generate():
        pass


async def wait_for_tasks() -> None:
    await asyncio.wait([asyncio.create_task(asyncio.Event().wait(), name="waited for")])


async def use_condition() -> None:
    condition = asyncio.Condition()
    async with condition:
        await condition.wait()


async def use_resource() -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimLoop)
    resource = simpy.Resource(loop.env)
    resource.request()
    await loop.as_future(resource.request())


WAITS: dict[str, tuple[Main, str]] = {
    "event": (lambda: asyncio.Event().wait(), r"Event\.wait of <asyncio\.locks\.Event .unset"),
    "lock": (lambda: hold(asyncio.Lock()), r"in hold waits for Lock\.acquire of <.*Lock .locked"),
    "queue": (lambda: asyncio.Queue().get(), r"Queue\.get of <Queue"),
    "semaphore": (lambda: asyncio.Semaphore(0).acquire(), r"Semaphore\.acquire of"),
    "condition": (use_condition, r"in use_condition waits for Condition\.wait of"),
    "barrier": (lambda: asyncio.Barrier(2).wait(), r"Barrier\.\w+ of <.*Barrier"),
    "group": (form_group, r"in form_group waits for .* a TaskGroup of task 'member'"),
    "generator": (iterate, r"waits for"),
    "wait": (wait_for_tasks, r"in wait_for_tasks waits for any or all of task 'waited for'"),
    "resource": (use_resource, r"in use_resource waits for SimPy Request of a Resource"),
}


@pytest.mark.parametrize("name", WAITS)
def test_a_task_is_shown_with_what_it_waits_for(name: str) -> None:
    main, expected = WAITS[name]

    async def wrapped() -> None:
        await main()

    report = report_of(wrapped)
    assert re.search(rf"task 'Task-1' at .*{expected}", report), report
    assert "0x" not in report


def test_the_line_is_the_users_own_and_the_innermost() -> None:
    async def inner() -> None:
        await asyncio.Event().wait()  # the line

    async def main() -> None:
        await inner()

    line = inner.__code__.co_firstlineno + 1
    expected = rf"test_waiting\.py:{line} in test_the_line.*<locals>\.inner waits"
    assert re.search(expected, report_of(main))


def test_a_users_own_object_is_not_taken_for_what_is_awaited() -> None:
    class Service:
        async def start(self) -> None:
            await self.wait()

        async def wait(self) -> None:
            await asyncio.Event().wait()

    async def main() -> None:
        await Service().start()

    assert re.search(r"Service\.wait waits for Event\.wait of <", report_of(main))


def test_tasks_and_processes_stand_in_order_of_creation() -> None:
    async def wait_for(other: asyncio.Task[Any]) -> None:
        await other

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimLoop)

        def customer() -> Any:
            yield loop.as_event(first)

        first = asyncio.create_task(asyncio.Event().wait(), name="first")
        second = asyncio.create_task(wait_for(first), name="second")
        process = loop.env.process(customer())
        await asyncio.gather(second, loop.as_future(process))

    lines = report_of(main).splitlines()
    assert [re.sub(r" at .*? waits for ", " waits for ", line).strip() for line in lines[1:]] == [
        "task 'Task-1' waits for gather of task 'second', SimPy process 'customer'",
        "task 'first' waits for Event.wait of <asyncio.locks.Event [unset, waiters:1]>",
        "task 'second' waits for task 'first'",
        "SimPy process 'customer' waits for task 'first'",
    ]


def test_a_run_that_waits_for_a_bare_future_says_so() -> None:
    loop = SimLoop()
    with pytest.raises(Deadlock, match="the run waits for a future"):
        loop.run_until_complete(loop.create_future())
    loop.close()
