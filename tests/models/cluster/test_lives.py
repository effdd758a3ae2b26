"""Lives: what a program has begun ends with it, whatever it is and however it holds on."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.world import Ties
from windtunnel_models.cluster.lives import Life, context_of
from windtunnel_models.loop.sim_loop import SimLoop

Body = Callable[[SimLoop, Life], Coroutine[Any, Any, None]]
VALUE: ContextVar[str] = ContextVar("value", default="outside")


def play(body: Body, ties: Ties | None = None) -> None:
    """Run a body with a life of its own; nothing may fail in the background or be left over."""
    loop = SimLoop()
    if ties is not None:
        loop.set_ties(ties)

    async def main() -> None:
        life = Life(loop, "host")
        await body(loop, life)
        life.end()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert loop.leftovers() == []

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())


def spawn(coro: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    return asyncio.create_task(coro)


async def tick(log: list[str], name: str) -> None:
    while True:
        await asyncio.sleep(1)
        log.append(name)


async def in_a_task(log: list[str]) -> None:
    await asyncio.create_task(tick(log, "task"))


async def in_a_group(log: list[str]) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(tick(log, "one"))
        group.create_task(tick(log, "two"))


async def at_work_beside_a_group(log: list[str]) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(tick(log, "child"))
        await tick(log, "parent")


async def in_a_time_out(log: list[str]) -> None:
    async with asyncio.timeout(1000):
        await tick(log, "in time")


async def in_wait_for(log: list[str]) -> None:
    await asyncio.wait_for(tick(log, "waited for"), 1000)


async def shielded(log: list[str]) -> None:
    await asyncio.shield(tick(log, "shielded"))


async def gathered(log: list[str]) -> None:
    await asyncio.gather(tick(log, "a"), tick(log, "b"), return_exceptions=True)


async def by_timers(log: list[str]) -> None:
    loop = asyncio.get_running_loop()

    def again() -> None:
        log.append("timer")
        loop.call_later(1, again)

    loop.call_soon(again)


async def by_a_timer_that_starts_tasks(log: list[str]) -> None:
    loop = asyncio.get_running_loop()
    loop.call_later(1, lambda: loop.create_task(tick(log, "later")))


async def stubborn(log: list[str]) -> None:
    while True:
        with suppress(asyncio.CancelledError):
            await tick(log, "stubborn")


async def cleaning_up(log: list[str]) -> None:
    try:
        await tick(log, "work")
    finally:
        for _ in range(5):
            with suppress(Exception):
                await asyncio.sleep(10)
        await asyncio.sleep(10)
        log.append("cleaned up")


async def starting_more_when_it_ends(log: list[str]) -> None:
    try:
        await tick(log, "first")
    finally:
        spawn(starting_more(log, 5))


async def starting_more(log: list[str], depth: int) -> None:
    try:
        await tick(log, "more")
    finally:
        if depth:
            spawn(starting_more(log, depth - 1))


async def failing_when_it_ends(log: list[str]) -> None:
    try:
        await tick(log, "work")
    finally:
        raise ValueError("in the end")


async def _numbers(log: list[str]) -> AsyncIterator[int]:
    try:
        while True:
            await asyncio.sleep(1)
            log.append("number")
            yield 1
    finally:
        await asyncio.sleep(1)
        log.append("generator")


async def in_a_generator(log: list[str]) -> None:
    async for _ in _numbers(log):
        pass


async def with_a_generator_at_rest(log: list[str]) -> None:
    numbers = _numbers(log)
    await anext(numbers)
    await tick(log, "beside")


WAYS = [
    *(in_a_task, in_a_group, at_work_beside_a_group, in_a_time_out, in_wait_for, shielded),
    *(gathered, by_timers),
    *(by_a_timer_that_starts_tasks, stubborn, cleaning_up, starting_more_when_it_ends),
    *(failing_when_it_ends, in_a_generator),
]


@pytest.mark.parametrize("ties", [None, Ties("lifo")], ids=["fifo", "lifo"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_nothing_of_a_life_happens_after_its_end(way: Any, ties: Ties | None) -> None:
    log: list[str] = []

    async def body(loop: SimLoop, life: Life) -> None:
        life.create_task(way(log), "root")
        await asyncio.sleep(3.5)
        assert log
        life.end()
        log.clear()
        await asyncio.sleep(100)
        assert log == []

    play(body, ties)


def test_a_generator_at_rest_does_not_go_on() -> None:
    log: list[str] = []

    async def body(loop: SimLoop, life: Life) -> None:
        life.create_task(with_a_generator_at_rest(log), "root")
        await asyncio.sleep(3.5)
        life.end()
        log.clear()
        await asyncio.sleep(100)
        assert "beside" not in log
        assert "number" not in log

    play(body)


@given(
    ways=st.lists(st.sampled_from(WAYS), min_size=1, max_size=4),
    end=st.integers(0, 40),
    others=st.booleans(),
)
def test_whenever_it_ends_it_ends_for_good_and_touches_no_other(
    ways: list[Any], end: int, others: bool
) -> None:
    log: list[str] = []
    kept: list[str] = []

    async def body(loop: SimLoop, life: Life) -> None:
        other = Life(loop, "other")
        if others:
            other.create_task(tick(kept, "other"), "other")
        for way in ways:
            life.create_task(way(log), way.__name__)
        await asyncio.sleep(end / 10 + 0.05)
        life.end()
        log.clear()
        kept.clear()
        await asyncio.sleep(5)
        assert log == []
        assert kept == ["other"] * (5 * others)
        other.end()

    play(body)


def test_the_running_task_ends_with_its_step() -> None:
    log: list[str] = []

    async def body(loop: SimLoop, life: Life) -> None:
        async def suicide() -> None:
            spawn(tick(log, "child"))
            life.end()
            log.append("still in its step")
            spawn(tick(log, "a child of a dead one"))
            await asyncio.sleep(0)
            log.append("one step more")

        life.create_task(suicide(), "root")
        await asyncio.sleep(10)
        assert log == ["still in its step"]

    play(body)


def test_a_finally_block_finds_its_own_context() -> None:
    log: list[str] = []

    async def body(loop: SimLoop, life: Life) -> None:
        async def work() -> None:
            token = VALUE.set("inside")
            try:
                await asyncio.sleep(100)
            finally:
                log.append(VALUE.get())
                VALUE.reset(token)
                log.append(VALUE.get())

        life.create_task(work(), "root")
        await asyncio.sleep(1)
        life.end()
        assert log == ["inside", "outside"]

    play(body)


def test_what_failed_and_nobody_has_looked_at_fails_no_run_any_more() -> None:
    async def body(loop: SimLoop, life: Life) -> None:
        async def fail() -> None:
            raise ValueError("nobody looks")

        async def parent() -> None:
            spawn(fail())
            await asyncio.sleep(100)

        life.create_task(parent(), "root")
        await asyncio.sleep(1)
        life.end()

    play(body)


def test_a_failure_that_it_was_about_to_see_fails_no_run_either() -> None:
    async def body(loop: SimLoop, life: Life) -> None:
        future = loop.create_future()

        async def wait() -> None:
            await future

        life.create_task(wait(), "root")
        await asyncio.sleep(0)
        future.set_exception(ValueError("whoever waited is gone"))
        life.end()
        assert not future._log_traceback  # or it is told when nothing refers to it any more

    play(body)


def test_a_call_that_never_ends_does_not_for_others_and_is_the_end_of_its_own() -> None:
    log: list[str] = []

    async def body(loop: SimLoop, life: Life) -> None:
        life.end()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1000):
                await life.never()

        async def late() -> None:
            try:
                await life.never()
            finally:
                log.append("closed")

        late_one = life.create_task(late(), "late")
        await asyncio.sleep(1)
        assert late_one.done()
        assert log == ["closed"]

    play(body)


def test_a_task_s_context_is_its_own_not_that_of_who_waits_for_it() -> None:
    async def main() -> None:
        async def work() -> None:
            VALUE.set("its own")
            await asyncio.sleep(1)

        task = asyncio.create_task(work())
        VALUE.set("the other's")
        task.add_done_callback(lambda _: None)
        await asyncio.sleep(0)
        context = context_of(task)
        assert context is not None
        assert context[VALUE] == "its own"
        await task

    with asyncio.Runner(loop_factory=SimLoop) as runner:
        runner.run(main())


def test_what_it_has_waited_for_is_let_be() -> None:
    async def body(loop: SimLoop, life: Life) -> None:
        ours: asyncio.Future[str] = loop.create_future()

        async def wait() -> None:
            await ours

        life.create_task(wait(), "root")
        await asyncio.sleep(1)
        life.end()
        assert not ours.done()
        ours.set_result("still of use")
        assert await ours == "still of use"

    play(body)


def test_its_sleeps_leave_the_heap() -> None:
    async def body(loop: SimLoop, life: Life) -> None:
        for number in range(1000):
            life.create_task(asyncio.sleep(3600), f"sleeper {number}")
        await asyncio.sleep(1)
        life.end()
        assert len(loop.env._queue) < 200
        assert loop.env.dead >= 0
        await asyncio.sleep(1)
        assert loop.is_exhausted()

    play(body)


def test_a_coroutine_that_waits_in_a_finally_block_is_closed_all_the_same() -> None:
    async def body(loop: SimLoop, life: Life) -> None:
        coro = cleaning_up([])
        life.create_task(coro, "root")
        await asyncio.sleep(1)
        life.end()
        assert inspect.getcoroutinestate(coro) == inspect.CORO_CLOSED

    play(body)


def test_a_coroutine_that_was_about_to_be_started_is_closed() -> None:
    log: list[str] = []

    async def body(loop: SimLoop, life: Life) -> None:
        later = tick(log, "later")

        async def begin() -> None:
            loop.call_soon(loop.create_task, later)

        life.create_task(begin(), "root")
        await asyncio.sleep(0)
        life.end()
        assert inspect.getcoroutinestate(later) == inspect.CORO_CLOSED

    play(body)
    assert log == []
