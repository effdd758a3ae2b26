"""Autostart: a killed WeChat comes back in time, once, and never beside another start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_kit import machine_of
from windtunnel.ports import ProcessSpec
from windtunnel.units import SECOND
from windtunnel.world import Fault, WorldSpec
from windtunnel_models.world import SimWorld

Play = Callable[..., SimWorld]
Tell = Callable[..., list[tuple[Any, ...]]]
WECHAT = ProcessSpec("wechat", ("wechat",))


async def kill(world: SimWorld) -> None:
    await machine_of(world).processes.kill(machine_of(world).wechat.pid)


async def kill_and_wait(world: SimWorld) -> None:
    await kill(world)
    await asyncio.sleep(30)


def starts(world: SimWorld, tell: Tell) -> list[float]:
    return [event[0] for event in tell(world, "process.started")]


def shows(world: SimWorld, tell: Tell) -> list[float]:
    return [event[0] for event in tell(world, "wechat.shown")]


@pytest.mark.spec("UI-F2")
@pytest.mark.parametrize(
    ("after", "started", "shown"), [(7, 3, 7), (4, 0, 4), (1, 0, 4), (0, 0, 4)]
)
def test_the_window_is_back_in_time_but_needs_its_start_up(
    play_desktop: Play, tell: Tell, after: int, started: float, shown: float
) -> None:
    world = play_desktop(kill_and_wait, autostart=after * SECOND)
    assert (starts(world, tell), shows(world, tell)) == ([started], [shown])


@pytest.mark.spec("UI-F2")
@settings(max_examples=20)
@given(st.integers(0, 10**9))
def test_by_default_it_is_back_after_five_to_ten_seconds(seed: int) -> None:
    back = []
    for _ in range(2):
        world = SimWorld(WorldSpec(seed=seed))
        assert world.run(lambda world=world: kill_and_wait(world)).reason == "finished"  # type: ignore[misc]
        back.append(next(iter(world.trace.of("wechat.shown"))).time)
    assert back[0] == back[1]
    assert 5 * SECOND <= back[0] <= 10 * SECOND


def test_each_kill_draws_anew(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        for _ in range(5):
            await kill_and_wait(world)

    ends = shows(play_desktop(body), tell)
    waits = [end - 30.1 * number for number, end in enumerate(ends)]
    assert len(waits) == len(set(waits)) == 5


def test_without_it_nothing_comes_back(play_desktop: Play, tell: Tell) -> None:
    assert starts(play_desktop(kill_and_wait, autostart=None), tell) == []


def test_who_starts_it_first_starts_it_alone(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        await kill(world)
        await machine_of(world).processes.start(WECHAT)
        await asyncio.sleep(30)

    assert starts(play_desktop(body, autostart=7 * SECOND), tell) == [0.2]


def test_the_autostart_of_an_older_end_does_not_serve_a_newer_one(
    play_desktop: Play, tell: Tell
) -> None:
    async def body(world: SimWorld) -> None:
        await kill(world)
        await machine_of(world).processes.start(WECHAT)  # at 0.2 s, before the autostart at 3 s
        await asyncio.sleep(1.8)
        await kill(world)  # at 2 s
        await asyncio.sleep(30)

    assert starts(play_desktop(body, autostart=7 * SECOND), tell) == [0.2, 5]


def test_a_kill_while_it_comes_up_is_another_end(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        await kill(world)
        await asyncio.sleep(4.9)  # it runs since 3 s and has no window yet
        await kill(world)
        await asyncio.sleep(30)

    world = play_desktop(body, autostart=7 * SECOND)
    assert (starts(world, tell), shows(world, tell)) == ([3, 8], [12])


@pytest.mark.parametrize(
    ("injected_at", "delay", "undone_at", "shown"),
    [
        (0, 20, None, [20]),
        (0, None, None, []),
        (2, 20, None, [20]),  # while one is on its way
        (0, None, 15, [19]),  # the draw is over by then: it starts at once
        (0, None, 1, [7]),
        (2, None, 2.5, [7]),
        (0, 1, None, [4]),
    ],
)
def test_what_a_fault_makes_of_it(
    play_desktop: Play,
    tell: Tell,
    injected_at: float,
    delay: int | None,
    undone_at: float | None,
    shown: list[float],
) -> None:
    ns = None if delay is None else delay * SECOND
    fault = Fault("slow", "slow_autostart", {"delay": ns})

    async def body(world: SimWorld) -> None:
        if injected_at:
            world.loop.call_later(injected_at, world.inject, fault)
        else:
            world.inject(fault)
        if undone_at is not None:
            world.loop.call_later(undone_at, world.undo, fault)
        await kill_and_wait(world)

    world = play_desktop(body, autostart=7 * SECOND)
    assert shows(world, tell) == shown
    assert [event[0] for event in tell(world, "fault.affected")] == [injected_at]


def test_a_fault_that_no_end_met_affected_nothing(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        fault = Fault("slow", "slow_autostart", {"delay": None})
        world.inject(fault)
        await asyncio.sleep(10)
        world.undo(fault)
        world.undo(fault)

    world = play_desktop(body)
    assert [event[1] for event in tell(world)] == ["fault.injected", "fault.undone"]


def test_one_that_waits_for_ever_is_no_news_in_a_deadlock() -> None:
    async def main() -> None:
        world.inject(Fault("slow", "slow_autostart", {"delay": None}))
        await kill(world)
        await asyncio.get_running_loop().create_future()

    world = SimWorld(WorldSpec())
    end = world.run(main)
    assert end.reason == "deadlock"
    assert "_wait" not in end.message
