"""SimProcesses: found by name, ended, started, waited for; WeChat runs once at most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from desktop_kit import machine_of
from windtunnel.errors import BridgeError
from windtunnel.ports import Processes, ProcessSpec
from windtunnel.units import SECOND
from windtunnel.world import Fault, WorldSpec
from windtunnel_models.machine.process_table import FIRST_PID
from windtunnel_models.machine.processes import SimProcesses
from windtunnel_models.world import SimWorld

Play = Callable[..., SimWorld]
Tell = Callable[..., list[tuple[Any, ...]]]
WECHAT = ProcessSpec("wechat", ("wechat",))
XVFB = ProcessSpec("xvfb", ("xvfb",))


def of(world: SimWorld) -> SimProcesses:
    return machine_of(world).processes


def test_is_the_port() -> None:
    assert isinstance(SimWorld(WorldSpec()).ports.processes, Processes)


def test_what_runs_is_found_by_its_exact_name(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        assert await of(world).find("wechat") == [FIRST_PID]
        assert await of(world).find("we") == []
        first, second = await of(world).start(XVFB), await of(world).start(XVFB)
        assert await of(world).find("xvfb") == [first, second] == [FIRST_PID + 1, FIRST_PID + 2]

    play_desktop(body)


@pytest.mark.parametrize(("way", "ends"), [("terminate", 1), ("kill", 1)])
def test_a_signal_works_as_it_is_sent(
    play_desktop: Play, tell: Tell, way: str, ends: float
) -> None:
    async def body(world: SimWorld) -> None:
        await asyncio.sleep(1)
        for pid in (FIRST_PID, FIRST_PID, 99):
            await getattr(of(world), way)(pid)
        assert await of(world).find("wechat") == []

    world = play_desktop(body, autostart=None)
    assert tell(world) == [
        (ends, "process.killed", "wechat", FIRST_PID),
        (ends, "wechat.gone", "wechat", FIRST_PID),
    ]


@pytest.mark.spec("UI-F2")
def test_a_start_works_at_its_end_and_the_window_follows(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        assert await of(world).start(WECHAT) == FIRST_PID
        assert world.loop.time() == 0.1
        await asyncio.sleep(10)

    assert tell(play_desktop(body, running=False)) == [
        (0.1, "process.started", "wechat", FIRST_PID),
        (4.1, "wechat.shown", "wechat", FIRST_PID),
    ]


def test_wechat_is_not_started_twice(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        assert await of(world).start(WECHAT) == FIRST_PID
        assert await of(world).find("wechat") == [FIRST_PID]

    assert tell(play_desktop(body)) == []


def test_starting_it_again_shows_the_window_that_was_lost(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(Fault("lost", "lose_window"))
        await of(world).start(WECHAT)

    assert tell(play_desktop(body), "wechat.gone", "wechat.shown") == [
        (0, "wechat.gone", "wechat", FIRST_PID),
        (0.1, "wechat.shown", "wechat", FIRST_PID),
    ]


@pytest.mark.parametrize(
    ("killed_at", "timeout", "exited", "until"),
    [(2, 5, True, 2), (5, 2, False, 2), (None, 0.5, False, 0.5), (0, 5, True, 1), (0, 1, True, 1)],
)
def test_waiting_for_an_end(
    play_desktop: Play, killed_at: float | None, timeout: float, exited: bool, until: float
) -> None:
    """It looks after 1 s, the profile's figure, and then waits on."""

    async def body(world: SimWorld) -> None:
        if killed_at is not None:
            world.loop.call_later(killed_at, world.inject, Fault("gone", "kill"))
        waits = [of(world).wait_exit(FIRST_PID, timeout) for _ in range(2)]
        assert await asyncio.gather(*waits) == [exited, exited]
        assert world.loop.time() == until

    play_desktop(body, autostart=None)


def test_waiting_for_what_never_was_is_over_at_the_first_look(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        assert await of(world).wait_exit(99, 5)
        assert world.loop.time() == 1

    play_desktop(body)


def test_every_call_is_a_command_on_the_processes(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        processes = of(world)
        await processes.find("wechat")
        await processes.terminate(FIRST_PID)
        await processes.kill(FIRST_PID)
        await processes.wait_exit(FIRST_PID, 5)
        await processes.start(WECHAT)

    ends = [
        (event.time / SECOND, event.details["command"], event.resource, event.outcome)
        for event in play_desktop(body).trace.of("command.ended")
    ]
    assert ends == [
        (0, "find", "processes", "done"),
        (0, "terminate", "processes", "done"),
        (0.1, "kill", "processes", "done"),
        (1.1, "wait_exit", "processes", "done"),
        (1.2, "start", "processes", "done"),
    ]


@pytest.mark.parametrize("do", ["fail", "hang"])
def test_what_a_fault_breaks_has_no_effect(play_desktop: Play, tell: Tell, do: str) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(Fault("f", do, {"target": ["kill", "start"], "code": "STOPPED"}))
        for call in (of(world).kill(FIRST_PID), of(world).start(XVFB)):
            with pytest.raises(BridgeError):
                await call

    world = play_desktop(body)
    assert tell(world, "process.killed", "process.started") == []
    assert {event.outcome for event in world.trace.of("command.ended")} == {"failed"}


def test_a_wait_that_hangs_ends_at_its_own_bound(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(Fault("f", "hang", {"target": "wait_exit"}))
        assert not await of(world).wait_exit(99, 7)
        assert world.loop.time() == 7

    play_desktop(body)
