"""Stable sets: the order in which `as_completed` starts coroutines."""

from __future__ import annotations

import asyncio
import asyncio.tasks

import pytest

from windtunnel_models import run
from windtunnel_models.loop.stable_sets import ordered_set, stable_sets


def test_as_completed_starts_coroutines_in_the_order_given() -> None:
    async def main() -> list[int]:
        started: list[int] = []

        async def job(index: int) -> int:
            started.append(index)
            await asyncio.sleep(1)
            return index

        coroutines = [job(index) for index in range(300)]
        order = coroutines[::2] + coroutines[1::2]
        results = [await done for done in asyncio.as_completed(order)]
        assert results == started
        return started

    assert run(main()) == [*range(0, 300, 2), *range(1, 300, 2)]


def test_all_else_gets_a_real_set() -> None:
    assert ordered_set([3, 1, 3]) == {1, 3}
    assert type(ordered_set()) is set


def test_it_is_there_while_a_loop_runs_and_gone_afterwards() -> None:
    async def main() -> bool:
        return "set" in vars(asyncio.tasks)

    assert run(main())
    assert not asyncio.run(main())


def test_overlapping_users_keep_it_until_the_last_leaves() -> None:
    with stable_sets():
        with pytest.raises(KeyError), stable_sets():
            raise KeyError
        assert vars(asyncio.tasks)["set"] is ordered_set
    assert "set" not in vars(asyncio.tasks)
