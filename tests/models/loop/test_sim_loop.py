"""The loop: asyncio's interface in virtual time."""

from __future__ import annotations

import asyncio
import contextvars
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import Deadlock


def current() -> SimLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimLoop)
    return loop


def test_time_starts_at_zero_and_moves_by_what_is_slept() -> None:
    async def main() -> list[float]:
        loop = current()
        times = [loop.time()]
        for delay in (0.1, 0.1, 0.1, 3600, 1e-9):
            await asyncio.sleep(delay)
            times.append(loop.time())
        return times

    assert run(main()) == [0, 0.1, 0.2, 0.3, 3600.3, 3600.300000001]


@given(st.floats(0, 1e6, exclude_min=True))
def test_a_sleep_takes_its_seconds_to_the_nearest_nanosecond(delay: float) -> None:
    async def main() -> int:
        await asyncio.sleep(delay)
        return current().time_ns()

    assert run(main()) == max(1, round(delay * 1e9))


def test_a_day_takes_no_time() -> None:
    assert run(asyncio.sleep(86_400, "over")) == "over"


def test_three_tenths_tie_with_three_times_one_tenth() -> None:
    async def main() -> list[str]:
        log: list[str] = []

        async def thrice() -> None:
            for _ in range(3):
                await asyncio.sleep(0.1)
            log.append("thrice")

        async def once() -> None:
            await asyncio.sleep(0.3)
            log.append("once")

        await asyncio.gather(thrice(), once())
        log.append(str(current().time_ns()))
        return log

    assert run(main()) == ["once", "thrice", "300000000"]


@given(st.lists(st.floats(-1, 1e6), max_size=20))
def test_call_at_fires_at_its_instant_or_now(instants: list[float]) -> None:
    async def main() -> list[tuple[float, float]]:
        loop = current()
        await asyncio.sleep(1)
        fired: list[tuple[float, float]] = []

        def note(when: float) -> None:
            fired.append((when, loop.time()))

        for when in instants:
            loop.call_at(when, note, when)
        await asyncio.sleep(2e6)
        return fired

    fired = run(main())
    assert len(fired) == len(instants)
    for when, time in fired:
        assert time == pytest.approx(max(1.0, when), abs=1e-9)


@given(st.floats(1e-9, 1e6))
def test_sleeping_until_a_deadline_ends_at_once(delay: float) -> None:
    """The loop that code writes with `time()` itself: no rounding makes it spin."""

    async def main() -> int:
        loop = current()
        deadline, turns = loop.time() + delay, 0
        while loop.time() < deadline:
            await asyncio.sleep(deadline - loop.time())
            turns += 1
        return turns

    assert run(main()) <= 2


@pytest.mark.parametrize("schedule", ["call_later", "call_at"])
def test_no_number_and_too_long_a_delay_are_refused(schedule: str) -> None:
    loop = SimLoop()
    with pytest.raises(ValueError, match="NaN"):
        getattr(loop, schedule)(math.nan, print)
    with pytest.raises(ValueError, match=r"292 years.*math\.inf"):
        getattr(loop, schedule)(5e9 * 1e9, print)
    loop.close()


def test_a_sleep_of_too_many_seconds_is_refused() -> None:
    with pytest.raises(ValueError, match="292 years"):
        run(asyncio.sleep(5_000_000_000_000))


@pytest.mark.parametrize("schedule", ["call_later", "call_at"])
def test_an_infinite_timer_never_fires_and_can_be_cancelled(schedule: str) -> None:
    loop = SimLoop()
    handle = getattr(loop, schedule)(math.inf, print)
    assert handle.when() == math.inf
    loop.run_forever()
    handle.cancel()
    assert handle.cancelled()
    assert loop.env.dead == 0
    loop.close()


def test_a_long_sleep_with_a_result_and_one_without() -> None:
    async def main() -> list[Any]:
        return [await asyncio.sleep(1, "x"), await asyncio.sleep(1, None), current().time()]

    assert run(main()) == ["x", None, 2.0]


def test_a_callback_runs_in_its_context() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    seen: list[str] = []

    async def main() -> None:
        loop = current()
        variable.set("inherited")
        given_context = contextvars.copy_context()
        given_context.run(variable.set, "given")
        loop.call_soon(lambda: seen.append(variable.get()))
        loop.call_later(1, lambda: seen.append(variable.get()))
        loop.call_soon(lambda: seen.append(variable.get()), context=given_context)
        loop.call_at(1, lambda: seen.append(variable.get()), context=given_context)
        variable.set("changed later")
        await asyncio.sleep(2)

    run(main())
    assert seen == ["inherited", "given", "inherited", "given"]


def test_daemons_are_left_out_of_deadlocks_and_leftovers() -> None:
    async def main() -> None:
        loop = current()
        watcher = asyncio.create_task(asyncio.Event().wait(), name="watcher")
        worker = asyncio.create_task(asyncio.Event().wait(), name="worker")
        loop.mark_daemon(watcher)
        await asyncio.sleep(1)
        assert loop.leftovers() == [worker]
        await worker

    with pytest.raises(Deadlock) as raised:
        run(main())
    assert "'worker'" in str(raised.value)
    assert "'watcher'" not in str(raised.value)


def test_daemon_processes_are_left_out_too() -> None:
    async def main() -> None:
        loop = current()

        def serve() -> Any:
            yield loop.env.event()

        def wait() -> Any:
            yield loop.env.event()

        loop.mark_daemon(loop.env.process(serve()))
        await loop.env.process(wait())

    with pytest.raises(Deadlock) as raised:
        run(main())
    assert "'wait'" in str(raised.value)
    assert "'serve'" not in str(raised.value)


def test_a_loop_with_daemons_alone_has_nothing_left_to_do() -> None:
    loop = SimLoop()
    task = loop.create_task(asyncio.Event().wait())
    loop.mark_daemon(task)
    loop.run_forever()
    loop.cancel_leftovers()
    assert task.cancelled()
    loop.close()


def test_runner_takes_the_class_as_its_factory() -> None:
    with asyncio.Runner(loop_factory=SimLoop) as runner:
        assert runner.run(asyncio.sleep(3600, "first")) == "first"
        assert runner.run(asyncio.sleep(3600, "second")) == "second"
        assert runner.get_loop().time() == 7200


def test_the_seed_is_kept_for_who_draws_numbers() -> None:
    async def main() -> int:
        return current().seed

    assert run(main()) == 0
    assert run(main(), seed=7) == 7


def test_it_says_what_it_is() -> None:
    loop = SimLoop()
    assert repr(loop) == "<SimLoop at 0.0 s running=False closed=False>"
    loop.close()
