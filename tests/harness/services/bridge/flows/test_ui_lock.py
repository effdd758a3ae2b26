"""UILock: one at a time, first come, first served, and who waited is noted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.acting import on_behalf
from windtunnel.services.bridge.flows.ui_lock import UILock
from windtunnel.units import MS
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("UI-L1")
def test_who_waits_is_noted_with_how_long(run: Run, world: Any) -> None:
    async def hold(lock: UILock, op: str) -> int:
        with on_behalf(op, "send_text"):
            async with lock as waited:
                await asyncio.sleep(0.2)
            return waited

    async def main() -> None:
        lock = UILock(world.note)
        waits = await asyncio.gather(*(hold(lock, op) for op in "abc"))
        assert waits == [0, 200 * MS, 400 * MS]
        assert not lock.locked()

    run(main())
    assert world.notes == [
        ("lock.waited", "b", {"waited": 200 * MS}),
        ("lock.waited", "c", {"waited": 400 * MS}),
    ]


def test_a_lock_that_is_promised_to_another_is_waited_for(run: Run, world: Any) -> None:
    """Released and taken at one instant: the newcomer finds it open and waits all the same."""

    async def hold(lock: UILock) -> None:
        async with lock:
            await asyncio.sleep(1)

    async def main() -> None:
        lock = UILock(world.note)
        await lock.acquire()
        other = asyncio.create_task(hold(lock))
        await asyncio.sleep(0.5)
        lock.release()
        assert not lock.locked()  # the other has not run yet
        assert await lock.acquire() == 1000 * MS
        lock.release()
        await other

    run(main())
    assert [details["waited"] for _, _, details in world.notes] == [500 * MS, 1000 * MS]


def test_a_wait_of_no_time_is_none(run: Run, world: Any) -> None:
    async def main() -> None:
        lock = UILock(world.note)
        await lock.acquire()
        waiting = asyncio.create_task(lock.acquire())
        await asyncio.sleep(0)
        lock.release()
        assert await waiting == 0

    run(main())
    assert world.notes == []


@pytest.mark.spec("UI-L1")
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.booleans()), min_size=1, max_size=8)
)
def test_for_all_arrivals_the_holders_never_overlap(arrivals: list[tuple[int, int, bool]]) -> None:
    """Each waits for those before it, cancelled ones aside, and for nobody else."""
    held: list[tuple[float, float]] = []

    async def one(lock: UILock, at: int, length: int) -> None:
        await asyncio.sleep(at)
        async with lock:
            begin = asyncio.get_running_loop().time()
            await asyncio.sleep(length)
            held.append((begin, asyncio.get_running_loop().time()))

    async def main() -> None:
        lock = UILock()
        tasks = []
        for at, length, cancelled in arrivals:
            task = asyncio.create_task(one(lock, at, length))
            tasks.append(task)
            if cancelled:
                asyncio.get_running_loop().call_later(at + 0.5, task.cancel)
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not lock.locked()
        assert await lock.acquire() == 0

    run_simulated(main())
    assert all(before[1] <= after[0] for before, after in pairwise(held))
