"""Who acts: steps counted, carried along with the context of a task."""

from __future__ import annotations

import asyncio

from windtunnel.acting import Acting, acting
from windtunnel_models import run as run_simulated


def test_steps_are_counted_from_zero() -> None:
    who = Acting("a", "like")
    assert [who.next_step() for _ in range(3)] == [0, 1, 2]


def test_nobody_acts_at_first() -> None:
    assert acting.get() is None


def test_tasks_of_an_operation_act_for_it_and_others_do_not() -> None:
    async def seen() -> str | None:
        await asyncio.sleep(0)
        who = acting.get()
        return None if who is None else who.op

    async def main() -> None:
        other = asyncio.ensure_future(seen())
        acting.set(Acting("a", "like"))
        own = asyncio.ensure_future(seen())
        assert [*await asyncio.gather(other, own)] == [None, "a"]

    run_simulated(main())
    assert acting.get() is None
