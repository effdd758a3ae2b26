"""The real desktop: each command does what it says, waits for what it needs, and fails by type."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from typing import Any

import pytest

from real_kit import machine_of, play_on_a_display
from windtunnel.errors import BridgeError
from windtunnel.ports import ProcessSpec
from windtunnel.units import SECOND
from windtunnel_real.world import RealWorld


def delivered(world: RealWorld) -> list[tuple[str, str]]:
    return [(e.resource, e.details["text"]) for e in world.trace.of("message.delivered")]


async def told_by(call: Any) -> str:
    try:
        await call
    except BridgeError as error:
        return error.code
    return ""


def test_a_message_goes_where_it_is_meant_to_go() -> None:
    async def body(world: RealWorld) -> None:
        desktop = world.ports.desktop
        assert desktop is not None
        await desktop.activate("wechat")
        await desktop.click("search")
        await desktop.type_text("张三")
        await desktop.click("result")
        await desktop.click("input")
        await desktop.type_text("你好, world 😀")
        await desktop.click("send")

    world = play_on_a_display(body)
    assert delivered(world) == [("张三", "你好, world 😀")]
    (event,) = world.trace.of("message.delivered")
    assert (event.op, event.class_) == ("op", "send_text")
    assert not list(world.trace.of("click.missed"))


def test_a_command_takes_at_least_what_is_given() -> None:
    async def body(world: RealWorld) -> None:
        assert world.ports.desktop is not None
        await world.ports.desktop.click("search")

    world = play_on_a_display(body, latencies={"click": SECOND // 5})
    started, ended = (
        next(iter(world.trace.of(f"command.{when}"))) for when in ("started", "ended")
    )
    assert ended.time - started.time >= SECOND // 5


def test_without_a_window_a_command_looks_for_it_and_says_so() -> None:
    async def body(world: RealWorld) -> None:
        desktop = world.ports.desktop
        assert desktop is not None
        assert await desktop.login_state() == "unknown"
        assert await told_by(desktop.click("search")) == "WINDOW_NOT_FOUND"
        assert await desktop.window() is None

    play_on_a_display(body, running=False, missing_window=SECOND // 5)


def test_a_picture_that_is_not_shown_is_told() -> None:
    async def body(world: RealWorld) -> None:
        desktop = world.ports.desktop
        assert desktop is not None
        assert await told_by(desktop.click("confirm")) == "TARGET_NOT_FOUND"

    play_on_a_display(body)


@pytest.mark.parametrize("state", ["logged_in", "logged_out", "qr"])
def test_the_log_in_state_is_seen(state: str) -> None:
    async def body(world: RealWorld) -> None:
        assert world.ports.desktop is not None
        assert await world.ports.desktop.login_state() == state

    play_on_a_display(body, state=state)


def test_an_application_that_is_stopped_is_given_up() -> None:
    async def body(world: RealWorld) -> None:
        desktop = world.ports.desktop
        assert desktop is not None
        pid = machine_of(world).application.pid
        os.kill(pid, signal.SIGSTOP)
        try:
            assert await told_by(desktop.click("search")) == "TIMEOUT"
        finally:
            os.kill(pid, signal.SIGCONT)

    play_on_a_display(body)


def test_a_click_that_hits_something_else_is_recorded() -> None:
    async def body(world: RealWorld) -> None:
        desktop = world.ports.desktop
        assert desktop is not None
        await desktop.click("send")

    world = play_on_a_display(body)
    (missed,) = world.trace.of("click.missed")
    assert (missed.op, missed.resource, missed.details["hit"]) == ("op", "send", "nothing")


def test_a_window_that_comes_is_waited_for() -> None:
    async def body(world: RealWorld) -> None:
        desktop = world.ports.desktop
        assert desktop is not None
        application = machine_of(world).application
        await application.ask("unmap")
        coming = asyncio.get_running_loop().create_task(desktop.wait_window(10))
        await application.ask("map")
        window = await coming
        assert window is not None
        assert window.mapped

    play_on_a_display(body)


def test_a_window_is_waited_for_until_the_application_has_told_of_it() -> None:
    async def body(world: RealWorld) -> None:
        machine = machine_of(world)
        drained: list[bool] = []

        async def drain(timeout: float) -> None:
            await machine.application.drain(timeout)
            drained.append(machine.told.shown.is_set())

        desktop = replace(machine.desktop, drain=drain)
        await machine.processes.start(ProcessSpec("wechat", ("wechat",)))
        window = await desktop.wait_window(20.0)
        assert window is not None
        assert window.focused
        assert drained == [True]

    play_on_a_display(body, running=False)
