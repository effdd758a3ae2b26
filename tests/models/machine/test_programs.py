"""Programs: they end by themselves, unless they hang; then a kill ends them, and a wait reaps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from desktop_kit import machine_of
from windtunnel.acting import acting
from windtunnel.errors import BridgeError
from windtunnel.ports import ProcessSpec, Program
from windtunnel.units import SECOND
from windtunnel.world import Fault
from windtunnel_models.wechat.picture import picture
from windtunnel_models.world import SimWorld

Play = Callable[..., SimWorld]
Tell = Callable[..., list[tuple[Any, ...]]]
SCROT = ProcessSpec("scrot", ("scrot", "-"), resource="display")
PID = 1001


async def run(world: SimWorld, spec: ProcessSpec = SCROT) -> Program:
    assert world.ports.processes is not None
    return await world.ports.processes.run(spec)


def commands(world: SimWorld) -> list[tuple[float, str, str, str]]:
    return [
        (event.time / SECOND, event.details["command"], event.resource, event.outcome)
        for event in world.trace.of("command.started", "command.ended")
    ]


def test_a_capture_ends_by_itself_and_gives_a_picture(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        who = acting.get()
        assert who is not None
        who.command = "screenshot"
        program = await run(world)
        assert isinstance(program, Program)
        assert world.loop.time() == 0
        assert program.pid == PID
        assert await program.output() == picture(machine_of(world).screen).pixels
        assert world.loop.time() == 0.2
        assert await program.wait() == 0

    world = play_desktop(body)
    assert tell(world) == [
        (0, "process.started", "scrot", PID),
        (0.2, "process.exited", "scrot", PID),
        (0.2, "process.reaped", "scrot", PID),
    ]
    assert commands(world) == [
        (0, "screenshot", "display", ""),
        (0.2, "screenshot", "display", "done"),
    ]


def test_another_program_gives_nothing(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        assert await (await run(world, ProcessSpec("true", ("true",)))).output() == b""

    assert {resource for _, _, resource, _ in commands(play_desktop(body))} == {"processes"}


@pytest.mark.spec("UI-AC4")
def test_one_that_hangs_is_ended_by_a_kill_and_reaped_by_the_wait(
    play_desktop: Play, tell: Tell
) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(Fault("f", "hang", {"target": "scrot"}))
        program = await run(world)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await program.output()
        await machine_of(world).processes.terminate(program.pid)
        assert await machine_of(world).processes.find("scrot") == [program.pid]
        program.kill()
        program.kill()
        assert await program.output() == b""
        assert await machine_of(world).processes.find("scrot") == []
        assert await program.wait() == -9

    world = play_desktop(body)
    assert tell(world, "process.killed", "process.exited", "process.reaped") == [
        (5, "process.killed", "scrot", PID),
        (5, "process.reaped", "scrot", PID),
    ]
    assert (5, "run", "display", "aborted") in commands(world)


def test_without_a_wait_it_stays_a_zombie(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        program = await run(world)
        await program.output()
        process = machine_of(world).table.get(program.pid)
        assert process is not None
        assert process.state == "zombie"

    assert tell(play_desktop(body), "process.reaped") == []


def test_it_outlives_its_starter(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        async def start() -> None:
            await (await run(world)).output()

        task = asyncio.ensure_future(start())
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.sleep(1)

    assert tell(play_desktop(body), "process.exited") == [(0.2, "process.exited", "scrot", PID)]


@pytest.mark.parametrize("target", ["run", "scrot"])
def test_a_slow_one_takes_longer(play_desktop: Play, tell: Tell, target: str) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(Fault("f", "slow", {"target": target, "by": 9 * SECOND}))
        await (await run(world)).output()

    assert tell(play_desktop(body), "process.exited") == [(9.2, "process.exited", "scrot", PID)]


def test_one_that_cannot_be_started(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(Fault("f", "fail", {"target": "run", "code": "TIMEOUT"}))
        with pytest.raises(BridgeError, match="TIMEOUT"):
            await run(world)

    world = play_desktop(body)
    assert tell(world, "process.started") == []
    assert commands(world)[-1] == (0, "run", "display", "failed")
