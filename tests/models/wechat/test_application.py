"""WeChat: its process and window, what a new process remembers, and what a look-up says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from desktop_kit import machine_of
from windtunnel.ports import ProcessSpec
from windtunnel.units import SECOND
from windtunnel.world import Fault
from windtunnel_models.wechat.application import WINDOW_ID
from windtunnel_models.world import SimWorld

Play = Callable[..., SimWorld]
Tell = Callable[..., list[tuple[Any, ...]]]
PID = 1000


async def restart(world: SimWorld, *, pause: float = 0) -> None:
    """Kill it, and start it again; the window is there at the end."""
    machine = machine_of(world)
    if machine.wechat.pid:
        await machine.processes.kill(machine.wechat.pid)
    await asyncio.sleep(pause)
    await machine.processes.start(ProcessSpec("wechat", ("wechat",)))
    assert await machine.desktop.wait_window(10) is not None


@pytest.mark.spec("UI-F2")
def test_the_window_goes_with_the_process_and_comes_after_the_start(
    play_desktop: Play, tell: Tell
) -> None:
    assert tell(play_desktop(restart, autostart=None)) == [
        (0, "process.killed", "wechat", PID),
        (0, "wechat.gone", "wechat", PID),
        (0.2, "process.started", "wechat", PID + 1),
        (4.2, "wechat.shown", "wechat", PID + 1),
    ]


@pytest.mark.spec("UI-F3")
def test_a_new_process_begins_afresh(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        screen = machine_of(world).screen
        screen.open_session("bob")
        screen.draft = "half"
        screen.open_dialog("add")
        await restart(world)
        assert (screen.session, screen.drafts, screen.top(), screen.view) == (None, {}, "", "chats")

    play_desktop(body, autostart=None)


@pytest.mark.parametrize(
    ("state", "restores", "then", "told"),
    [
        ("logged_in", True, "logged_in", []),
        ("logged_in", False, "qr", ["qr"]),
        ("logged_out", True, "qr", ["qr"]),
        ("qr", True, "qr", []),
    ],
)
def test_what_the_log_in_becomes(
    play_desktop: Play, tell: Tell, state: str, restores: bool, then: str, told: list[str]
) -> None:
    async def body(world: SimWorld) -> None:
        assert machine_of(world).screen.login == state
        await restart(world)
        assert machine_of(world).screen.login == machine_of(world).database.account == then

    world = play_desktop(body, state=state, restores_login=restores, autostart=None)
    assert [event[3] for event in tell(world, "wechat.login")] == told


def test_who_logged_out_while_it_was_down_has_to_log_in(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(Fault("phone", "log_out"))
        await restart(world)
        assert machine_of(world).screen.login == "qr"

    world = play_desktop(body, running=False, autostart=None)
    assert [event[3] for event in tell(world, "wechat.login")] == ["logged_out", "qr"]


def test_one_killed_before_its_window_is_there_shows_none(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        processes = machine_of(world).processes
        await processes.kill(await processes.start(ProcessSpec("wechat", ())))
        await asyncio.sleep(3)
        await restart(world)

    world = play_desktop(body, running=False, autostart=None)
    assert tell(world, "wechat.gone", "wechat.shown") == [(7.3, "wechat.shown", "wechat", PID + 1)]


def test_one_that_is_still_coming_up_is_not_hurried(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        for _ in range(2):
            await machine_of(world).processes.start(ProcessSpec("wechat", ()))
        assert await machine_of(world).desktop.wait_window(10) is not None

    world = play_desktop(body, running=False, autostart=None)
    assert tell(world, "wechat.shown") == [(4.1, "wechat.shown", "wechat", PID)]


@pytest.mark.spec("UI-C2")
def test_what_a_look_up_says(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        machine = machine_of(world)
        first = await machine.desktop.window()
        assert first is not None
        assert (first.id, first.pid, first.started_ns, first.mapped, first.focused) == (
            *(WINDOW_ID, PID, 0, True, True),
        )
        machine.screen.open_popup()
        assert (await machine.desktop.window()).focused is False  # type: ignore[union-attr]
        machine.wechat.lose_window()
        lost = await machine.desktop.window()
        assert lost is not None
        assert (lost.mapped, lost.focused) == (False, False)
        await machine.processes.kill(PID)
        assert await machine.desktop.window() is None
        await machine.processes.start(ProcessSpec("wechat", ()))
        assert await machine.desktop.window() is None
        await asyncio.sleep(5)
        second = await machine.desktop.window()
        assert second is not None
        assert (second.id, second.pid) == (WINDOW_ID, PID + 1)
        assert second.started_ns == SECOND // 5

    world = play_desktop(body, autostart=None)
    assert not [e for e in world.trace.of("command.started") if e.details["command"] == "window"]


def test_the_session_given_is_open_at_the_start(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        screen = machine_of(world).screen
        assert (screen.session, screen.focus, screen.top_session) == ("bob", "none", "bob")

    play_desktop(body, session="bob")
