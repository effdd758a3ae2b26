"""Pool: in order, so many at once, all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import WorldError
from windtunnel.services.backend.pool import Pool
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("F-R7")
@given(st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=4), st.integers(1, 4))
def test_each_item_once_in_order_and_never_too_many(batches: list[list[int]], most: int) -> None:
    begun: list[tuple[int, int]] = []
    running = [0, 0]

    async def work(item: tuple[int, int]) -> None:
        begun.append(item)
        running[0] += 1
        running[1] = max(running)
        await asyncio.sleep(item[1])
        running[0] -= 1

    async def main() -> None:
        pool = Pool(work, most)
        items = list(enumerate(seconds for batch in batches for seconds in batch))
        left = iter(items)
        async with asyncio.TaskGroup() as group:
            for number, batch in enumerate(batches):
                if number == 1:
                    pool.start(group)
                pool.put([next(left) for _ in batch])
                await asyncio.sleep(1)
            if len(batches) < 2:
                pool.start(group)
        assert begun == items
        assert pool.under_way == 0

    run_simulated(main())
    assert running[1] <= most


@pytest.mark.spec("F-R7")
def test_one_that_hangs_holds_up_nobody(run: Run) -> None:
    done: list[str] = []

    async def work(item: str) -> None:
        await asyncio.sleep(1000 if item == "hangs" else 1)
        done.append(item)

    async def main() -> None:
        pool = Pool(work, 2)
        async with asyncio.TaskGroup() as group:
            pool.start(group)
            pool.put(["hangs", "a", "b", "c"])
            await asyncio.sleep(4)
            assert done == ["a", "b", "c"]
            assert pool.under_way == 1

    run(main())


@pytest.mark.parametrize(
    ("met", "error"),
    [(None, RuntimeError("no")), (None, WorldError("no")), (lambda _: None, WorldError("no"))],
)
def test_what_nobody_meets_and_the_world_s_end_the_group(
    run: Run, met: Any, error: Exception
) -> None:
    async def work(item: int) -> None:
        raise error

    async def main() -> None:
        pool = Pool(work, 2)
        async with asyncio.TaskGroup() as group:
            pool.start(group, met)
            pool.put([1])
            await asyncio.sleep(10)

    with pytest.raises(ExceptionGroup):
        run(main())


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize("error", [RuntimeError("no"), asyncio.CancelledError()])
def test_the_other_items_are_worked_on_all_the_same(run: Run, error: BaseException) -> None:
    done: list[int] = []

    async def work(item: int) -> None:
        await asyncio.sleep(1)
        if item == 0:
            raise error
        done.append(item)

    async def main() -> None:
        pool = Pool(work, 1)
        async with asyncio.TaskGroup() as group:
            pool.start(group, lambda _: None)
            pool.put([0, 1, 2])
            await asyncio.sleep(4)
            assert (done, pool.under_way) == ([1, 2], 0)

    run(main())
