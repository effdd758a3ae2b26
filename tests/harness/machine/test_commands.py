"""Commands: recorded from begin to end, under the right name, bounded, and met by faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from desktop_kit import machine_of
from windtunnel.acting import Acting, acting, on_behalf
from windtunnel.errors import BridgeError
from windtunnel.machine.ambushes import Ambush
from windtunnel.machine.commands import Command, outcome_of
from windtunnel.units import SECOND
from windtunnel.world import WorldSpec
from windtunnel_models.world import SimWorld

Play = Callable[..., SimWorld]


def begin(world: SimWorld, port: str = "click") -> Command:
    return Command(machine_of(world).desktop._commands, port, "display")


def lay(world: SimWorld, **how: Any) -> None:
    machine_of(world).ambushes.lay(Ambush(frozenset({"click"}), lambda _op: None, **how))


async def told_by(world: SimWorld, seconds: float) -> str:
    """Give the error of a click that takes so long, or nothing."""
    try:
        with begin(world) as command:
            await command.take(seconds)
    except BridgeError as error:
        return str(error)
    return ""


def ends(world: SimWorld) -> list[tuple[float, str, str]]:
    return [
        (event.time / SECOND, event.details["command"], event.outcome)
        for event in world.trace.of("command.ended")
    ]


def test_who_acts_and_under_which_name(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        who = acting.get()
        assert who is not None
        for name in ("click_search", ""):
            who.command = name
            with begin(world) as command:
                await command.take()
        with on_behalf("login_guard.3", "probe", "login_guard"), begin(world, "login_state"):
            pass

    started = list(play_desktop(body).trace.of("command.started"))[:3]
    assert [(each.op, each.class_, each.actor) for each in started] == [
        ("op", "send_text", ""),
        ("op", "send_text", ""),
        ("login_guard.3", "probe", "login_guard"),
    ]
    assert [each.details for each in started] == [
        {"command": "click_search", "step": 0},
        {"command": "click", "step": 1},
        {"command": "login_state", "step": 0},
    ]
    assert {each.resource for each in started} == {"display"}


@pytest.mark.parametrize(
    ("seconds", "end", "outcome"),
    [(0, 0, "done"), (4.999, 4.999, "done"), (5, 5, "done"), (5.1, 5, "failed"), (60, 5, "failed")],
)
def test_a_command_is_given_up_after_the_bound(
    play_desktop: Play, seconds: float, end: float, outcome: str
) -> None:
    async def body(world: SimWorld) -> None:
        assert await told_by(world, seconds) in ("", "TIMEOUT: click was given up after 5 s")

    assert ends(play_desktop(body)) == [(end, "click", outcome)]


@pytest.mark.parametrize(
    ("how", "end", "outcome", "code"),
    [
        ({"slower": 2 * SECOND}, 3, "done", ""),
        ({"slower": 4 * SECOND}, 5, "done", ""),
        ({"slower": 4 * SECOND + 1}, 5, "failed", "TIMEOUT"),
        ({"hangs": True}, 5, "failed", "TIMEOUT"),
        ({"code": "STOPPED"}, 1, "failed", "STOPPED"),
        ({"code": "STOPPED", "slower": SECOND}, 2, "failed", "STOPPED"),
        ({"code": "STOPPED", "hangs": True}, 5, "failed", "TIMEOUT"),
    ],
)
def test_what_a_fault_makes_of_it(
    play_desktop: Play, how: dict[str, Any], end: float, outcome: str, code: str
) -> None:
    async def body(world: SimWorld) -> None:
        lay(world, **how)
        assert (await told_by(world, 1)).partition(":")[0] == code

    assert ends(play_desktop(body)) == [(end, "click", outcome)]


def test_a_fault_for_others_leaves_it_alone(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        lay(world, hangs=True)
        with begin(world, "key") as command:
            await command.take(1)

    assert ends(play_desktop(body)) == [(1, "key", "done")]


def test_passes_tells_instead_of_raising(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        with begin(world) as command:
            assert await command.passes(1, 1)
            assert not await command.passes(2, 1)
        assert world.loop.time() == 2

    play_desktop(body)


def test_one_that_is_broken_off_is_aborted(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        async def work() -> None:
            with begin(world) as command:
                await command.take(3)

        task = asyncio.ensure_future(work())
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])

    assert ends(play_desktop(body)) == [(1, "click", "aborted")]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, "done"),
        (ValueError, "failed"),
        (TimeoutError, "failed"),
        (asyncio.CancelledError, "aborted"),
        (GeneratorExit, "aborted"),
    ],
)
def test_outcomes(error: type[BaseException] | None, outcome: str) -> None:
    assert outcome_of(error) == outcome


def test_nobody_at_work_is_an_operation_without_a_name() -> None:
    command = begin(SimWorld(WorldSpec()))
    assert (command.who, command.name) == (Acting("", "", step=1), "click")
