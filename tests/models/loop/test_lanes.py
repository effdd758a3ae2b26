"""Lanes: whose a handle or an event is."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Generator
from typing import Any

import simpy

from windtunnel.world import Ties
from windtunnel_models import SimLoop, run
from windtunnel_models.loop.lanes import lane_of, lane_of_event, lane_of_handle, woken_by

Process = Generator[simpy.Event, Any, Any]


def current() -> SimLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimLoop)
    return loop


class Owner:
    """Has callbacks; two of them are never told apart by `==`."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def callback(self, *_: object) -> None:
        """Do nothing."""


def test_a_step_is_of_its_task_or_process() -> None:
    async def main() -> None:
        loop = current()
        task = asyncio.create_task(asyncio.sleep(0))
        assert lane_of(loop.ready[-1].call[0]) is task
        assert lane_of_handle(loop.ready[-1]) is task

        def process() -> Process:
            yield loop.env.timeout(0)

        running = loop.env.process(process())
        begins = running.target
        assert lane_of(begins.callbacks[0]) is running
        assert lane_of_event(begins) is running
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    run(main())


def test_an_interrupt_is_of_its_process_which_has_begun_by_then() -> None:
    met: list[str] = []

    async def main() -> None:
        env = current().env

        def process() -> Process:
            try:
                yield env.timeout(5)
            except simpy.Interrupt as interrupt:
                met.append(str(interrupt.cause))

        running = env.process(process())
        running.interrupt("boss")
        comes = env._queue[-1][3]
        assert lane_of_event(comes) is running
        await asyncio.sleep(1)

    for seed in range(8):
        met.clear()
        loop = SimLoop()
        loop.set_ties(Ties("seeded", seed))
        with asyncio.Runner(loop_factory=lambda loop=loop: loop) as runner:  # type: ignore[misc]
            runner.run(main())
        assert met == ["boss"]


def test_a_method_is_of_its_object_and_anything_else_is_a_lane_of_its_own() -> None:
    async def main() -> None:
        loop = current()
        one, other = Owner(), Owner()
        made = [loop.call_soon(owner.callback) for owner in (one, one, other)]
        assert [id(lane_of_handle(handle)) for handle in made] == [id(one), id(one), id(other)]
        timer = loop.call_later(1, one.callback)
        assert lane_of_event(timer) is one
        event = loop.env.timeout(1)
        event.callbacks.append(other.callback)
        assert lane_of_event(event) is other

        free = [loop.call_soon(len, ""), loop.call_soon(len, "")]
        free += [loop.call_soon(functools.partial(one.callback))]
        assert [lane_of_handle(handle) is handle for handle in free] == [True] * 3
        late = loop.call_later(1, len, "")
        assert lane_of_event(late) is late
        alone = loop.env.timeout(1)
        assert lane_of_event(alone) is alone
        for handle in (*made, *free, timer, late):
            handle.cancel()

    run(main())


def test_what_only_wakes_a_task_is_of_that_task() -> None:
    async def main() -> None:
        loop = current()
        future = loop.create_future()
        event = loop.env.timeout(2_000_000_000)

        async def wait() -> None:
            await asyncio.sleep(1)
            await event
            await future

        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        (sleep,) = [entry[3] for entry in loop.env._queue if isinstance(entry[3], asyncio.Future)]
        assert lane_of_event(sleep) is task
        assert woken_by(sleep) is sleep
        await asyncio.sleep(1.5)
        assert lane_of_event(event) is task
        assert woken_by(event) is task._fut_waiter
        await asyncio.sleep(1)
        settles = loop.call_later(1, future.set_result, None)
        assert lane_of_event(settles) is task
        assert woken_by(settles) is future
        await task

    run(main())


def test_a_time_out_that_cancels_is_in_a_race_with_its_task() -> None:
    async def main() -> None:
        loop = current()
        task = asyncio.create_task(asyncio.sleep(1))
        timer = loop.call_later(1, task.cancel)
        assert lane_of_event(timer) is timer
        assert woken_by(timer) is None
        timer.cancel()
        await task

    run(main())


def test_an_event_with_another_listener_is_no_mere_waking() -> None:
    async def main() -> None:
        loop = current()
        event = loop.env.event()
        loop.as_future(event)
        assert woken_by(event) is not None
        event.callbacks.append(lambda _: None)
        assert woken_by(event) is None
        assert woken_by(loop.env.event()) is None

    run(main())
