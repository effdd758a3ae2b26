"""The sight: the window, its pictures and what they show, also when it is unmapped or gone."""

from __future__ import annotations

import asyncio

import pytest

from display_kit import PATIENCE, stopped
from run_kit import desktop_of, machine_of, run, server_of, world_of
from windtunnel.ports import Region
from windtunnel.world import RunEnd
from windtunnel_real.errors import DeadlineError, InputError
from windtunnel_real.machine.sight import STATES
from windtunnel_real.world import RealWorld


def test_the_window_is_that_of_the_application_and_lies_where_it_is_drawn() -> None:
    async def body(world: RealWorld) -> None:
        sight, display = machine_of(world).sight, machine_of(world).display
        window = await sight.mapped(PATIENCE)
        assert window is not None
        assert window.info.pid == machine_of(world).application.pid
        whole = await sight.frame(None, PATIENCE)
        assert (whole.width, whole.height) == (display.screen.width, display.screen.height)
        part = await sight.frame(Region(window.x, window.y, window.width, window.height), PATIENCE)
        first = 4 * (window.y * whole.width + window.x)
        assert part.pixels[: 4 * part.width] == whole.pixels[first : first + 4 * part.width]

    assert run(world_of(), body) == RunEnd("finished")


def test_a_region_off_the_display_is_refused() -> None:
    async def body(world: RealWorld) -> None:
        with pytest.raises(InputError):
            await machine_of(world).sight.frame(Region(0, 0, 99999, 1), PATIENCE)

    assert run(world_of(), body) == RunEnd("finished")


def test_one_that_is_unmapped_is_there_but_not_to_be_seen_until_it_is() -> None:
    async def body(world: RealWorld) -> None:
        sight, application = machine_of(world).sight, machine_of(world).application
        await application.ask("unmap")
        assert await sight.mapped(PATIENCE) is None
        assert await sight.appears(0, PATIENCE) is None
        assert await sight.appears(0.05, PATIENCE) is None
        coming = asyncio.create_task(sight.appears(PATIENCE, PATIENCE))
        await application.ask("map")
        window = await coming
        assert window is not None
        assert window.info.mapped

    assert run(world_of(), body) == RunEnd("finished")


def test_buttons_are_found_by_their_look_alone() -> None:
    async def body(world: RealWorld) -> None:
        sight = machine_of(world).sight
        window = await sight.mapped(PATIENCE)
        assert window is not None
        assert await sight.place_of(window, "confirm", PATIENCE) is None
        for step in ("click:menu", "key:Down", "key:Down", "key:Return"):
            act, _, what = step.partition(":")
            await getattr(desktop_of(world), act)(what)
        place = await sight.place_of(window, "confirm", PATIENCE)
        assert place is not None
        assert window.x <= place[0] < window.x + window.width
        assert window.y <= place[1] < window.y + window.height
        await desktop_of(world).click("confirm")

    assert run(world_of(), body) == RunEnd("finished")


@pytest.mark.parametrize("state", STATES)
def test_the_log_in_state_is_read_off_the_picture(state: str) -> None:
    async def body(world: RealWorld) -> None:
        window = await machine_of(world).sight.mapped(PATIENCE)
        assert window is not None
        assert await machine_of(world).sight.login_state(window, PATIENCE) == state

    assert run(world_of(state=state), body) == RunEnd("finished")


def test_every_look_has_its_deadline() -> None:
    async def body(world: RealWorld) -> None:
        sight = machine_of(world).sight
        with stopped(server_of(world)):
            for look in (sight.window(0.1), sight.appears(9, 0.1), sight.frame(None, 0.1)):
                with pytest.raises(DeadlineError):
                    await look

    assert run(world_of(), body) == RunEnd("finished")
