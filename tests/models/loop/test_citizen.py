"""A full citizen: one body of asyncio code, the same results on an ordinary and a simulated loop.

Each body returns what it observed; it is run on both loops and the observations are compared.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

import windtunnel_models

Body = Callable[[], Coroutine[Any, Any, list[Any]]]
TICK = 0.01


async def order_of_callbacks() -> list[Any]:
    loop = asyncio.get_running_loop()
    log: list[Any] = []

    def chain(depth: int) -> None:
        log.append(("chain", depth))
        if depth:
            loop.call_soon(chain, depth - 1)
            loop.call_later(0, log.append, ("zero timer", depth))
            loop.call_soon(log.append, ("sibling", depth))

    for depth in range(3):
        loop.call_soon(chain, depth)
        loop.call_later(0, chain, depth)
    await asyncio.sleep(TICK)
    return log


async def order_of_tasks() -> list[Any]:
    log: list[Any] = []

    async def step(name: str, count: int) -> str:
        for index in range(count):
            log.append((name, index))
            await asyncio.sleep(0)
        return name

    tasks = [asyncio.create_task(step(name, index + 1)) for index, name in enumerate("abc")]
    done = [await task for task in tasks]
    return [*log, *done]


async def futures_and_callbacks() -> list[Any]:
    loop = asyncio.get_running_loop()
    log: list[Any] = []
    future = loop.create_future()
    for name in "xyz":
        future.add_done_callback(functools.partial(lambda name, _: log.append(name), name))
    loop.call_soon(future.set_result, 5)
    log.append(await future)
    failed = loop.create_future()
    failed.set_exception(KeyError("k"))
    try:
        await failed
    except KeyError as error:
        log.append(repr(error))
    await asyncio.sleep(0)
    return log


async def cancellation() -> list[Any]:
    log: list[Any] = []

    async def stubborn() -> str:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            assert task is not None
            log.append(("cancelling", task.cancelling(), str(error)))
            log.append(("uncancel", task.uncancel()))
        await asyncio.sleep(TICK)
        return "survived"

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    log.append(task.cancel("reason"))
    log.append(await task)
    log.append((task.cancelled(), task.cancel()))
    victim = asyncio.create_task(asyncio.sleep(10))
    victim.cancel()
    log.append([type(r).__name__ for r in await asyncio.gather(victim, return_exceptions=True)])
    return log


async def time_outs() -> list[Any]:
    log: list[Any] = []
    try:
        async with asyncio.timeout(TICK):
            await asyncio.sleep(10)
    except TimeoutError:
        log.append("timeout")
    async with asyncio.timeout(10) as scope:
        await asyncio.sleep(TICK)
    log.append(scope.expired())
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout_at(loop.time() + TICK) as scope:
            scope.reschedule(loop.time() + 2 * TICK)
            await asyncio.Event().wait()
    except TimeoutError:
        log.append(scope.expired())
    try:
        await asyncio.wait_for(asyncio.Event().wait(), TICK)
    except TimeoutError:
        log.append("wait_for")
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0)
    except TimeoutError:
        log.append("no time at all")
    log.append(await asyncio.wait_for(asyncio.sleep(TICK, "in time"), 10))
    async with asyncio.timeout(None):
        log.append(await asyncio.sleep(0, "no limit"))
    return log


async def queues() -> list[Any]:
    log: list[Any] = []
    queue: asyncio.Queue[int] = asyncio.Queue(maxsize=2)

    async def produce() -> None:
        for number in range(6):
            await queue.put(number)
            log.append(("put", number))

    async def consume(name: str) -> None:
        while True:
            number = await queue.get()
            log.append((name, number))
            queue.task_done()

    consumers = [asyncio.create_task(consume(name)) for name in "ab"]
    await produce()
    await queue.join()
    for consumer in consumers:
        consumer.cancel()
    await asyncio.gather(*consumers, return_exceptions=True)
    ranked: asyncio.PriorityQueue[int] = asyncio.PriorityQueue()
    for number in (3, 1, 2):
        ranked.put_nowait(number)
    last: asyncio.LifoQueue[int] = asyncio.LifoQueue()
    for number in (3, 1, 2):
        last.put_nowait(number)
    return [*log, *[(await ranked.get(), await last.get()) for _ in range(3)]]


async def locks() -> list[Any]:
    log: list[Any] = []
    lock, semaphore = asyncio.Lock(), asyncio.Semaphore(2)
    condition, event, barrier = asyncio.Condition(), asyncio.Event(), asyncio.Barrier(3)

    async def use(name: str) -> None:
        async with lock:
            log.append(("lock", name))
            await asyncio.sleep(0)
        async with semaphore:
            log.append(("semaphore", name))
            await asyncio.sleep(0)
        log.append(("barrier", name, await barrier.wait()))
        async with condition:
            await condition.wait()
            log.append(("condition", name))
        await event.wait()
        log.append(("event", name))

    tasks = [asyncio.create_task(use(name)) for name in "abc"]
    await asyncio.sleep(TICK)
    async with condition:
        condition.notify(2)
    await asyncio.sleep(TICK)
    async with condition:
        condition.notify_all()
    event.set()
    await asyncio.gather(*tasks)
    return log


async def task_groups() -> list[Any]:
    log: list[Any] = []

    async def wait(name: str) -> None:
        try:
            await asyncio.sleep(10)
        finally:
            log.append(("ended", name))

    async def fail() -> None:
        await asyncio.sleep(TICK)
        raise KeyError("group")

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(wait("a"))
            group.create_task(fail())
    except* KeyError as errors:
        log.append([repr(error) for error in errors.exceptions])
    async with asyncio.TaskGroup() as group:
        task = group.create_task(asyncio.sleep(TICK, "result"))
    return [*log, task.result()]


async def gathering() -> list[Any]:
    async def fail() -> None:
        await asyncio.sleep(TICK)
        raise KeyError("one")

    log: list[Any] = [await asyncio.gather(*[asyncio.sleep(TICK * n, n) for n in (3, 1, 2)])]
    results = await asyncio.gather(fail(), asyncio.sleep(0, "ok"), return_exceptions=True)
    log.append([repr(result) for result in results])
    try:
        await asyncio.gather(fail(), asyncio.sleep(TICK))
    except KeyError:
        log.append("raised")
    inner = asyncio.create_task(asyncio.sleep(3 * TICK, "shielded"))
    try:
        await asyncio.wait_for(asyncio.shield(inner), TICK)
    except TimeoutError:
        log.append(await inner)
    log.append(
        [await f for f in asyncio.as_completed([asyncio.sleep(TICK * n, n) for n in (3, 1)])]
    )
    tasks = [asyncio.create_task(asyncio.sleep(TICK * n, n)) for n in (3, 1)]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    log.append(([task.result() for task in done], len(pending)))
    done, pending = await asyncio.wait(tasks, timeout=TICK / 2)
    log.append((len(done), len(pending)))
    await asyncio.wait(tasks)
    return log


async def contexts_and_names() -> list[Any]:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    log: list[Any] = []

    async def child(value: str) -> None:
        log.append(variable.get())
        variable.set(value)
        await asyncio.sleep(0)
        task = asyncio.current_task()
        assert task is not None
        log.append((variable.get(), task.get_name()))

    variable.set("parent")
    context = contextvars.copy_context()
    context.run(variable.set, "given")
    one = asyncio.create_task(child("one"), name="first")
    two = asyncio.create_task(child("two"), name="second", context=context)
    await asyncio.gather(one, two)
    return [*log, variable.get(), context[variable]]


async def generators() -> list[Any]:
    log: list[Any] = []

    async def count() -> AsyncIterator[int]:
        try:
            for number in range(5):
                await asyncio.sleep(0)
                yield number
        finally:
            log.append("closed")

    log.append([number async for number in count()])
    generator = count()
    log.append(await anext(generator))
    await generator.aclose()  # type: ignore[attr-defined]
    return log


async def handlers() -> list[Any]:
    loop = asyncio.get_running_loop()
    log: list[Any] = []
    loop.set_exception_handler(
        lambda _, context: log.append((sorted(context)[:2], repr(context["exception"])))
    )
    loop.call_soon(lambda: 1 // 0)
    loop.call_later(TICK, lambda: int("x"))
    await asyncio.sleep(3 * TICK)
    log.append(loop.get_exception_handler() is not None)
    loop.set_exception_handler(None)
    return log


async def timers() -> list[Any]:
    loop = asyncio.get_running_loop()
    log: list[Any] = []
    kept = loop.call_later(2 * TICK, log.append, "later")
    dropped = loop.call_later(TICK, log.append, "dropped")
    loop.call_at(loop.time() + TICK, log.append, "at")
    loop.call_later(-5, log.append, "past")
    dropped.cancel()
    log.append((kept.cancelled(), dropped.cancelled(), kept.when() > loop.time()))
    await asyncio.sleep(4 * TICK)
    return log


async def tasks_known_to_the_loop() -> list[Any]:
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(asyncio.sleep(TICK))
    known = [len(asyncio.all_tasks()), asyncio.current_task() in asyncio.all_tasks()]
    await task
    known += [len(asyncio.all_tasks()), loop.is_running(), loop.is_closed()]
    return known


async def eager_tasks() -> list[Any]:
    loop = asyncio.get_running_loop()
    loop.set_task_factory(asyncio.eager_task_factory)  # type: ignore[attr-defined,unused-ignore]
    log: list[Any] = []

    async def step(name: str) -> str:
        log.append(name)
        return name

    async def wait(name: str) -> str:
        log.append(name)
        await asyncio.sleep(TICK)
        return name

    done, waiting = asyncio.create_task(step("done")), asyncio.create_task(wait("waiting"))
    log.append((done.done(), waiting.done()))
    log.append(await asyncio.gather(done, waiting))
    async with asyncio.TaskGroup() as group:
        member = group.create_task(step("member"))
    return [*log, member.result()]


BODIES: list[Any] = [
    order_of_callbacks,
    order_of_tasks,
    futures_and_callbacks,
    cancellation,
    time_outs,
    queues,
    locks,
    task_groups,
    gathering,
    contexts_and_names,
    generators,
    handlers,
    timers,
    tasks_known_to_the_loop,
    pytest.param(
        eager_tasks,
        marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with 3.12"),
    ),
]


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("body", BODIES)
def test_the_body_observes_the_same_on_both_loops(
    body: Body, debug: bool, run_asyncio: Callable[..., Any]
) -> None:
    expected = run_asyncio(body(), debug=debug)
    assert expected, "a body that observes nothing shows nothing"
    assert windtunnel_models.run(body(), debug=debug) == expected
