"""The application on a display: one process at a time, asked, told and given up by type."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from children_kit import until
from display_kit import PATIENCE, stopped
from run_kit import machine_of, run, world_of
from windtunnel.ports import ProcessSpec
from windtunnel.trace import Trace
from windtunnel.world import RunEnd
from windtunnel_real.errors import StandinError
from windtunnel_real.machine.application import NOWHERE, Application
from windtunnel_real.machine.standin_command import StandinFiles
from windtunnel_real.machine.told import Told
from windtunnel_real.standin.layout import place_of
from windtunnel_real.world import RealWorld


def test_it_answers_from_the_start_on() -> None:
    async def body(world: RealWorld) -> None:
        state = await machine_of(world).application.ask("state")
        assert (state["account"], state["window"]) == ("logged_in", True)

    assert run(world_of(), body) == RunEnd("finished")


def test_places_are_in_its_window_and_what_has_none_is_nowhere() -> None:
    async def body(world: RealWorld) -> None:
        application = machine_of(world).application
        assert await application.place("search", PATIENCE) == place_of("search")
        assert await application.place("nonsense", PATIENCE) == NOWHERE
        row = await application.place("session:张三", PATIENCE)
        assert row not in {NOWHERE, place_of("search")}

    assert run(world_of(), body) == RunEnd("finished")


def test_who_asks_to_be_a_friend_does_so_whether_it_runs_or_not() -> None:
    async def body(world: RealWorld) -> None:
        machine = machine_of(world)
        await machine.kill_all("wechat")
        await until(lambda: not machine.application.pid)
        await machine.application.befriend("eve")
        await machine.processes.launch(ProcessSpec("wechat", ("wechat",)))
        await machine.application.befriend("bob")
        assert world.ports.records is not None
        assert list(await world.ports.records.friend_requests()) == ["eve", "bob"]

    world = world_of()
    assert run(world, body) == RunEnd("finished")
    assert [event.resource for event in world.trace.of("friend.requested")] == ["eve", "bob"]


def test_one_that_is_stopped_costs_its_bound_and_one_that_is_gone_is_told() -> None:
    async def body(world: RealWorld) -> None:
        application = machine_of(world).application
        with stopped(application.pid):
            for waits in (application.ask("state", 0.1), application.drain(0.1)):
                with pytest.raises(TimeoutError):
                    await waits
        os.kill(application.pid, signal.SIGKILL)
        with pytest.raises((StandinError, TimeoutError)):
            await application.ask("state", 0.5)
        await until(lambda: not application.pid)
        await application.drain(0.5)  # there is nothing left to work off

    assert run(world_of(), body) == RunEnd("finished")


def test_what_it_refuses_is_told() -> None:
    async def body(world: RealWorld) -> None:
        with pytest.raises(StandinError, match="refuses"):
            await machine_of(world).application.ask("fly")

    assert run(world_of(), body) == RunEnd("finished")


@pytest.mark.parametrize("after", [0.0, 0.02, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4])
def test_one_that_is_killed_as_it_comes_up_is_no_failure_of_the_run(after: float) -> None:
    async def body(world: RealWorld) -> None:
        machine = machine_of(world)
        await machine.kill_all("wechat")
        await until(lambda: not machine.application.pid)
        for _ in range(3):
            await machine.processes.launch(ProcessSpec("wechat", ("wechat",)))
            await asyncio.sleep(after)
            await machine.kill_all("wechat")
            await until(lambda: not machine.application.pid)

    assert run(world_of(), body) == RunEnd("finished")


def test_one_that_never_ran_is_asked_in_vain_and_let_go(tmp_path: Path) -> None:
    async def main() -> None:
        told = Told(Trace(lambda: 0))
        application = Application(StandinFiles(tmp_path), "qr", told)
        with pytest.raises((TimeoutError, StandinError)):
            await application.ask("state", 0.05)
        await application.drain(0.05)
        application.started(os.getpid())
        application.ended()
        assert (application.pid, told.account) == (0, "qr")
        await application.close()

    asyncio.run(main())
