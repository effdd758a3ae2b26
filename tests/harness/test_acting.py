"""Who acts: steps counted, carried along with the context of a task."""

from __future__ import annotations

import asyncio

import pytest

from windtunnel.acting import Acting, acting, on_behalf
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


def test_inside_the_block_another_acts_and_the_gate_stays() -> None:
    async def gate(who: Acting) -> None: ...

    outer = Acting("a", "like", command="click_like", gate=gate)
    token = acting.set(outer)
    try:
        with on_behalf("a", "probe", "route") as who:
            assert acting.get() is who
            assert (who.op, who.class_, who.actor, who.command) == ("a", "probe", "route", "")
            assert who.gate is gate
            assert who.next_step() == 0
        assert acting.get() is outer
        assert outer.next_step() == 0, "a probe's commands are not the flow's"
    finally:
        acting.reset(token)


def test_the_block_is_left_by_an_error_too() -> None:
    with pytest.raises(KeyError), on_behalf("a", "probe"):
        raise KeyError
    assert acting.get() is None
