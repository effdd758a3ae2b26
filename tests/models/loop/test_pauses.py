"""Pauses: sleeps by another name."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_models import SimLoop, run
from windtunnel_models.loop.pauses import pause


def current() -> SimLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimLoop)
    return loop


SECONDS = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1e7)


@given(st.lists(st.tuples(st.booleans(), SECONDS, st.booleans()), max_size=12))
def test_a_pause_is_a_sleep(naps: list[tuple[bool, float, bool]]) -> None:
    """They end at the same instants, in one order, and are cut short alike."""

    async def main(*, pausing: bool) -> list[tuple[int, int, bool]]:
        loop = current()
        ends = []

        async def nap(number: int, seconds: float, *, pausing: bool) -> None:
            cut = True
            try:
                await (pause(loop, seconds) if pausing else asyncio.sleep(seconds))
                cut = False
            finally:
                ends.append((number, loop.time_ns(), cut))

        tasks = []
        for number, (chosen, seconds, cut) in enumerate(naps):
            tasks.append(asyncio.create_task(nap(number, seconds, pausing=pausing and chosen)))
            if cut:
                loop.call_later(seconds / 2, tasks[-1].cancel)
        await asyncio.gather(*tasks, return_exceptions=True)
        return ends

    assert run(main(pausing=True)) == run(main(pausing=False))


def make_plain_task(loop: Any, coro: Any, **said: Any) -> Any:
    return asyncio.Task(coro, loop=loop, **said)


@pytest.mark.parametrize("factory", [None, make_plain_task])
def test_pauses_that_are_cut_short_do_not_stay_on_the_heap(factory: Any) -> None:
    """Whoever's the tasks are: those of another kind do not count what they cut short."""

    async def main() -> int:
        loop = current()
        loop.set_task_factory(factory)

        async def rest() -> None:
            await pause(loop, 3600)

        for _ in range(1000):
            task = asyncio.create_task(rest())
            await asyncio.sleep(1e-6)
            task.cancel()
            await asyncio.wait({task})
        return len(loop.env._queue)

    assert run(main()) < 250
