"""SimDesktop: whole flows, what stands at a command's end, and a window that is not there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

from desktop_kit import machine_of
from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError
from windtunnel.ports import Desktop, ProcessSpec, Region
from windtunnel.services.bridge.flows.flows import FLOWS
from windtunnel.units import MS, SECOND
from windtunnel.wechat.tables import REVOKED
from windtunnel.world import Fault, WorldSpec
from windtunnel_models.machine.desktop import SimDesktop
from windtunnel_models.world import SimWorld

Play = Callable[..., SimWorld]
Tell = Callable[..., list[tuple[Any, ...]]]
Step = tuple[str, str, str]

SEND: tuple[Step, ...] = (
    ("activate", "activate", "wechat"),
    ("click_search", "click", "search"),
    ("type_query", "type_text", "{to}"),
    ("open_session", "click", "result"),
    ("focus_input", "click", "input"),
    ("type_text", "type_text", "{text}"),
    ("click_send", "click", "send"),
    ("verify", "capture", ""),
)
LOG_OUT: tuple[Step, ...] = (
    ("activate", "activate", "wechat"),
    ("click_menu", "click", "menu"),
    ("key_down", "key", "Down"),
    ("key_down", "key", "Down"),
    ("key_enter", "key", "Return"),
    ("click_confirm", "click", "confirm"),
)


async def flow(world: SimWorld, op: str, steps: Iterable[Step], **words: str) -> None:
    """Do a flow's steps under its names, as a bridge does."""
    who = Acting(op, op.partition(".")[0])
    acting.set(who)
    for name, verb, argument in steps:
        who.command = name
        call = getattr(machine_of(world).desktop, verb)
        await (call(argument.format(**words)) if argument else call())


async def send(world: SimWorld, op: str, to: str, text: str) -> None:
    await flow(world, op, SEND, to=to, text=text)


async def code_of(call: Awaitable[object]) -> str:
    try:
        await call
    except BridgeError as error:
        return error.code
    return ""


def test_is_the_port() -> None:
    assert isinstance(SimWorld(WorldSpec()).ports.desktop, Desktop)


@pytest.mark.spec("UI-F1", "UI-F4")
def test_a_send_goes_to_whom_it_is_for(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        for number, to in enumerate(("bob", "eve", "bob")):
            await send(world, f"send.{number}", to, f"hello {number}")

    world = play_desktop(body)
    assert tell(world) == [
        (1.0, "message.delivered", "bob", "hello 0"),
        (2.3, "message.delivered", "eve", "hello 1"),
        (3.6, "message.delivered", "bob", "hello 2"),
    ]
    assert list(machine_of(world).screen.sessions) == ["filehelper", "eve", "bob"]


@pytest.mark.spec("UI-F1")
def test_the_commands_of_a_flow_take_the_documents_times(play_desktop: Play) -> None:
    world = play_desktop(lambda world: send(world, "send", "bob", "hello"))
    assert [
        (event.details["command"], event.time, event.details["step"])
        for event in world.trace.of("command.ended")
    ] == [
        ("activate", 50_000_000, 0),
        ("click_search", 150_000_000, 1),
        ("type_query", 350_000_000, 2),
        ("open_session", 550_000_000, 3),
        ("focus_input", 650_000_000, 4),
        ("type_text", 900_000_000, 5),
        ("click_send", 1_000_000_000, 6),
        ("verify", 1_300_000_000, 7),
    ]


DONE: dict[str, Callable[[SimWorld], Any]] = {
    "send_text": lambda world: machine_of(world).database.messages[-1].text == "hello",
    "send_file": lambda world: machine_of(world).database.messages[-1].text == "/home/a.pdf",
    "revoke": lambda world: machine_of(world).database.messages[0].text == REVOKED,
    "forward": lambda world: machine_of(world).database.messages[-1].contact == "bob",
    "set_remark": lambda world: machine_of(world).database.remarks == {"bob": "the plumber"},
    "add_friend": lambda world: machine_of(world).database.asked == ("bob",),
    "accept_friend": lambda world: machine_of(world).database.friends == ("ann",),
    "publish": lambda world: machine_of(world).database.moments == [("publish", "hello")],
    "share": lambda world: machine_of(world).database.moments == [("share", "")],
    "delete": lambda world: machine_of(world).database.moments == [("delete", "")],
    "forward_moment": lambda world: machine_of(world).database.moments == [("forward", "")],
    "like": lambda world: machine_of(world).database.moments == [("like", "")],
    "comment": lambda world: machine_of(world).database.moments == [("comment", "hello")],
    "logout": lambda world: machine_of(world).screen.login == "logged_out",
}
ARGUMENTS = {"to": "bob", "text": "hello", "file": "/home/a.pdf", "remark": "the plumber"}


def steps_of(action: str) -> list[Step]:
    """Give the flow that the bridge has for an action."""
    return [(step.name, step.verb, str(step.argument or "")) for step in FLOWS[action]]


@pytest.mark.spec("UI-F1")
@pytest.mark.parametrize("action", DONE)
def test_the_bridges_flow_of_each_action_does_it(play_desktop: Play, action: str) -> None:
    async def body(world: SimWorld) -> None:
        machine_of(world).database.add_message("bob", "oops")
        await flow(world, action, steps_of(action), **ARGUMENTS)

    world = play_desktop(body, friend_requests=[{"at": 0, "from": "ann"}])
    assert DONE[action](world)
    assert not list(world.trace.of("click.missed", "text.misplaced"))


@pytest.mark.spec("UI-F1", "UI-T2")
def test_the_bridges_flows_one_after_another_do_not_disturb_each_other(
    play_desktop: Play,
) -> None:
    async def body(world: SimWorld) -> None:
        for first in DONE:
            for then in DONE:
                if "logout" not in (first, then):
                    await flow(world, first, steps_of(first), **ARGUMENTS)
                    machine_of(world).request("ann")
                    await flow(world, then, steps_of(then), **ARGUMENTS)
                    machine_of(world).request("ann")

    world = play_desktop(body, friend_requests=[{"at": 0, "from": "ann"}])
    assert not list(world.trace.of("click.missed", "text.misplaced"))


@pytest.mark.spec("UI-T1", "UI-C8")
def test_a_log_out_inside_a_send(play_desktop: Play, tell: Tell) -> None:
    """It opens the menu between two commands of the send: both go wrong."""

    async def body(world: SimWorld) -> None:
        await flow(world, "send", SEND[:2])
        await flow(world, "logout", LOG_OUT[:2])
        await flow(world, "send", SEND[2:], to="eve", text="secret")
        assert await code_of(flow(world, "logout", LOG_OUT[2:])) == "TARGET_NOT_FOUND"

    world = play_desktop(body, session="bob")
    assert [event[1:] for event in tell(world)] == [
        ("text.misplaced", "menu", "eve"),
        ("click.missed", "result", "menu"),
        ("message.delivered", "bob", "secret"),
    ]
    assert machine_of(world).screen.login == "logged_in"


@pytest.mark.spec("UI-T2")
def test_a_log_out_after_a_send(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        await send(world, "send", "bob", "hello")
        await flow(world, "logout", LOG_OUT)

    assert [event[1:] for event in tell(play_desktop(body))] == [
        ("message.delivered", "bob", "hello"),
        ("wechat.login", "wechat", "logged_out"),
    ]


@pytest.mark.spec("UI-C7", "UI-F4")
def test_two_sends_at_once_type_into_each_other(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        sends = (send(world, f"send.{number}", f"room-{number}", "hello") for number in range(2))
        await asyncio.gather(*sends)

    delivered = tell(play_desktop(body), "message.delivered")
    assert [event[2:] for event in delivered] != [("room-0", "hello"), ("room-1", "hello")]


@pytest.mark.spec("UI-F3")
def test_a_flow_that_dies_leaves_what_it_did(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        await flow(world, "send.0", SEND[:6], to="bob", text="half")
        await send(world, "send.1", "bob", " and all")

    assert tell(play_desktop(body)) == [(1.9, "message.delivered", "bob", "half and all")]


@pytest.mark.spec("UI-F3")
@pytest.mark.parametrize(("cut", "text"), [(0.15, ""), (0.25, "hello")])
def test_what_is_cancelled_before_its_end_has_no_effect(
    play_desktop: Play, cut: float, text: str
) -> None:
    async def body(world: SimWorld) -> None:
        typing = asyncio.ensure_future(machine_of(world).desktop.type_text("hello"))
        machine_of(world).screen.open_session("bob")
        await asyncio.sleep(cut)
        typing.cancel()
        await asyncio.wait([typing])
        assert machine_of(world).screen.draft == text

    play_desktop(body, latencies={"type_text": SECOND // 5})


@pytest.mark.parametrize("way", ["type_text", "paste_text"])
def test_ways_to_put_a_text_in(play_desktop: Play, way: str) -> None:
    async def body(world: SimWorld) -> None:
        machine_of(world).screen.open_session("bob")
        await getattr(machine_of(world).desktop, way)("你好")
        assert machine_of(world).screen.draft == "你好"
        assert machine_of(world).screen.clipboard == ("你好" if way == "paste_text" else "")

    play_desktop(body)


def test_a_key_pressed_several_times_is_one_command(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        machine_of(world).screen.menu = 0
        await machine_of(world).desktop.key("Down", 2)
        assert machine_of(world).screen.menu == 2

    assert len(list(play_desktop(body).trace.of("command.ended"))) == 1


def test_activating_takes_the_focus_from_a_popup(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        machine_of(world).screen.open_popup()
        await machine_of(world).desktop.activate("wechat")
        assert (machine_of(world).screen.raised, machine_of(world).screen.popup) == (True, True)
        assert await code_of(machine_of(world).desktop.activate("xterm")) == "WINDOW_NOT_FOUND"

    play_desktop(body)


def test_captures(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        desktop = machine_of(world).desktop
        frame = await desktop.capture(Region(0, 0, 7, 3))
        assert (frame.width, frame.height, len(frame.pixels)) == (7, 3, 84)
        assert len((await desktop.capture()).pixels) > 84

    play_desktop(body)


@pytest.mark.spec("UI-C3")
@pytest.mark.parametrize("state", ["logged_in", "logged_out", "qr"])
def test_a_probe_takes_its_time_and_sees_the_state(play_desktop: Play, state: str) -> None:
    async def body(world: SimWorld) -> None:
        assert await machine_of(world).desktop.login_state() == state
        assert 0.2 <= world.loop.time() <= 0.5
        await machine_of(world).processes.terminate(1000)
        assert await machine_of(world).desktop.login_state() == "unknown"
        assert world.loop.time() <= 1.0

    play_desktop(body, state=state, autostart=None)


# ---------------------------------------------------------------- without a window

CALLS: dict[str, Callable[[SimDesktop], Awaitable[object]]] = {
    "activate": lambda desktop: desktop.activate("wechat"),
    "click": lambda desktop: desktop.click("search"),
    "key": lambda desktop: desktop.key("Return"),
    "type_text": lambda desktop: desktop.type_text("x"),
    "paste_text": lambda desktop: desktop.paste_text("x"),
    "capture": lambda desktop: desktop.capture(),
    "hold": lambda desktop: desktop.hold(0.1),
}


@pytest.mark.spec("UI-F2")
@pytest.mark.parametrize("call", CALLS)
def test_without_a_window_a_command_fails_after_its_search(play_desktop: Play, call: str) -> None:
    async def body(world: SimWorld) -> None:
        assert await code_of(CALLS[call](machine_of(world).desktop)) == "WINDOW_NOT_FOUND"
        assert world.loop.time() == 1

    (ended,) = play_desktop(body, running=False, autostart=None).trace.of("command.ended")
    assert (ended.outcome, ended.details["command"]) == ("failed", call)


@pytest.mark.spec("UI-F2")
@pytest.mark.parametrize("searched", [0, 3, 5])
def test_a_scenario_may_say_how_long_it_searches(play_desktop: Play, searched: int) -> None:
    async def body(world: SimWorld) -> None:
        assert await code_of(machine_of(world).desktop.click("search")) == "WINDOW_NOT_FOUND"
        assert world.loop.time() == searched

    given = {"running": False, "autostart": None, "missing_window": searched * SECOND}
    play_desktop(body, **given)


@pytest.mark.spec("UI-F2")
@pytest.mark.parametrize(("latency", "code", "seconds"), [(700, "", 4.9), (900, "TIMEOUT", 5)])
def test_what_the_search_has_left_of_the_bound_is_the_commands(
    play_desktop: Play, latency: int, code: str, seconds: float
) -> None:
    async def body(world: SimWorld) -> None:
        processes, desktop = machine_of(world).processes, machine_of(world).desktop
        world.loop.call_later(0.1, lambda: processes.launch("wechat"))
        assert await code_of(desktop.click("search")) == code
        assert world.loop.time() == seconds

    play_desktop(
        body,
        running=False,
        autostart=None,
        start_up=4100 * MS,
        missing_window=5 * SECOND,
        latencies={"click": latency * MS},
    )


@pytest.mark.spec("UI-F2")
def test_a_window_that_appears_during_the_search_is_used(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        desktop = machine_of(world).desktop
        await machine_of(world).processes.start(ProcessSpec("wechat", ()))
        await asyncio.sleep(3.2)
        await desktop.click("search")
        assert world.loop.time() == 4.2
        assert machine_of(world).screen.focus == "search"

    play_desktop(body, running=False, autostart=None)


@pytest.mark.spec("UI-F2")
def test_the_search_counts_in_the_bound(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        await machine_of(world).processes.start(ProcessSpec("wechat", ()))
        await asyncio.sleep(3.2)
        assert world.loop.time() == 3.3
        assert await code_of(machine_of(world).desktop.click("search")) == "TIMEOUT"
        assert world.loop.time() == 8.3

    play_desktop(body, running=False, autostart=None, latencies={"click": int(4.5 * SECOND)})


@pytest.mark.spec("UI-W4", "UI-F2")
def test_a_kill_during_a_command_leaves_it_without_effect(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        machine_of(world).screen.open_session("bob")
        machine_of(world).screen.draft = "hello"
        world.loop.call_later(0.05, world.inject, Fault("gone", "kill"))
        assert await code_of(machine_of(world).desktop.click("send")) == "WINDOW_NOT_FOUND"
        assert world.loop.time() == 0.1

    assert tell(play_desktop(body), "message.delivered") == []


@pytest.mark.parametrize(
    ("timeout", "seconds", "there"), [(10, 4.1, True), (4, 4.1, True), (3, 3.1, False)]
)
def test_waiting_for_the_window(
    play_desktop: Play, timeout: float, seconds: float, there: bool
) -> None:
    async def body(world: SimWorld) -> None:
        await machine_of(world).processes.start(ProcessSpec("wechat", ()))
        window = await machine_of(world).desktop.wait_window(timeout)
        assert (window is not None) == there
        assert world.loop.time() == seconds

    play_desktop(body, running=False, autostart=None)


@pytest.mark.parametrize(("latency", "there", "seconds"), [(2, True, 2), (4, False, 3)])
def test_waiting_for_it_looks_after_its_latency(
    play_desktop: Play, latency: int, there: bool, seconds: float
) -> None:
    async def body(world: SimWorld) -> None:
        assert (await machine_of(world).desktop.wait_window(3) is not None) == there
        assert world.loop.time() == seconds

    play_desktop(body, latencies={"wait_window": latency * SECOND})


def test_holding_does_nothing_but_take_its_time(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        await machine_of(world).desktop.hold(1.5)
        assert world.loop.time() == 1.5
        assert await code_of(machine_of(world).desktop.hold(5.5)) == "TIMEOUT"
        assert world.loop.time() == 6.5

    play_desktop(body)
