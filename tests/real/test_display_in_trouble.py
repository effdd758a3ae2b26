"""A display in trouble: its server dies, is stopped or grabbed; a run ends, and by type."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from display_kit import PATIENCE, client, stopped
from run_kit import desktop_of, machine_of, own_place, run, server_of, world_of
from windtunnel.errors import BridgeError
from windtunnel.world import Fault, RunEnd, WorldOptions
from windtunnel_real.errors import DisplayDiedError
from windtunnel_real.world import RealWorld


@pytest.fixture(autouse=True)
def _its_own_place() -> Iterator[None]:
    with own_place():
        yield


# ---------------------------------------------------------------- the display goes


def kill_server_of(world: RealWorld) -> None:
    os.kill(server_of(world), signal.SIGKILL)


def test_a_server_that_dies_while_nothing_happens_ends_the_run() -> None:
    async def body(world: RealWorld) -> None:
        kill_server_of(world)
        await asyncio.sleep(600)

    with pytest.raises(DisplayDiedError, match="is gone: killed by SIGKILL"):
        run(world_of(), body)


@pytest.mark.parametrize("driver", ["xtest", "xdotool-pipe", "xdotool"])
def test_one_that_dies_under_commands_ends_the_run(driver: str) -> None:
    async def body(world: RealWorld) -> None:
        asyncio.get_running_loop().call_later(0.1, kill_server_of, world)
        while True:
            await desktop_of(world).click("search")

    options = WorldOptions(frames="none", driver=driver)
    with pytest.raises(DisplayDiedError, match="is gone: killed by SIGKILL"):
        run(world_of(options=options), body)


def test_a_main_that_takes_the_end_of_the_display_for_an_answer_proves_nothing() -> None:
    async def body(world: RealWorld) -> None:
        kill_server_of(world)
        await machine_of(world).display.died()

    with pytest.raises(DisplayDiedError):
        run(world_of(), body)


def test_nor_does_one_that_fails_by_it() -> None:
    async def body(world: RealWorld) -> None:
        kill_server_of(world)
        await machine_of(world).display.died()
        raise ValueError("no wonder")

    with pytest.raises(DisplayDiedError):
        run(world_of(), body)


def test_a_fault_that_is_on_when_the_display_dies_does_not_stand_in_the_way() -> None:
    async def body(world: RealWorld) -> None:
        await world.inject(Fault("p", "popup"))
        kill_server_of(world)
        await asyncio.sleep(600)

    with pytest.raises(DisplayDiedError):
        run(world_of(), body)


# ---------------------------------------------------------------- the display does not answer

CALLS: dict[str, tuple[Any, ...]] = {
    "activate": ("wechat",),
    "click": ("search",),
    "key": ("Escape",),
    "type_text": ("text",),
    "paste_text": ("text",),
    "capture": (),
    "login_state": (),
    "hold": (0.001,),
}


async def codes_of(world: RealWorld) -> dict[str, str]:
    """Make each call of the desktop, side by side; return the codes that they end with."""
    desktop = desktop_of(world)

    async def code(name: str) -> str:
        try:
            await getattr(desktop, name)(*CALLS[name])
        except BridgeError as error:
            return error.code
        return "done"

    async with asyncio.timeout(PATIENCE):
        found = await asyncio.gather(*map(code, CALLS))
    return dict(zip(CALLS, found, strict=True))


@pytest.mark.parametrize("driver", ["xtest", "xdotool-pipe", "xdotool"])
def test_a_server_that_is_stopped_costs_each_command_its_bound(driver: str) -> None:
    async def body(world: RealWorld) -> None:
        with stopped(server_of(world)):
            assert set((await codes_of(world)).values()) == {"TIMEOUT"}
        assert await desktop_of(world).login_state() == "logged_in"
        await desktop_of(world).click("search")

    options = WorldOptions(frames="none", driver=driver)
    assert run(world_of(options=options), body) == RunEnd("finished")


def test_another_programs_grab_costs_each_command_its_bound() -> None:
    async def body(world: RealWorld) -> None:
        with client(machine_of(world).display.address) as other:
            other.grab_server()
            other.sync()
            assert set((await codes_of(world)).values()) == {"TIMEOUT"}
            other.ungrab_server()
            other.sync()
        await desktop_of(world).click("search")

    assert run(world_of(), body) == RunEnd("finished")


def test_an_application_that_is_stopped_costs_what_waits_for_it_its_bound() -> None:
    async def body(world: RealWorld) -> None:
        with stopped(machine_of(world).application.pid):
            found = await codes_of(world)
        assert {name for name, code in found.items() if code == "TIMEOUT"} >= {"click", "key"}
        assert (found["capture"], found["login_state"]) == ("done", "done")

    assert run(world_of(), body) == RunEnd("finished")


def test_a_run_ends_under_a_server_that_stays_stopped() -> None:
    async def body(world: RealWorld) -> None:
        os.kill(server_of(world), signal.SIGSTOP)

    assert run(world_of(), body) == RunEnd("finished")
