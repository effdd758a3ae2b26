"""The faults of a real machine: each is brought about, seen to be, taken back, and felt."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from run_kit import desktop_of, machine_of, run, world_of
from windtunnel.canonical import check_event
from windtunnel.errors import BridgeError, FaultError
from windtunnel.systems.ui.faults import FAULTS
from windtunnel.units import SECOND
from windtunnel.world import Fault, RunEnd
from windtunnel_real.machine.faults import KINDS, fault_kinds
from windtunnel_real.world import RealWorld

EXAMPLES: dict[str, dict[str, Any]] = {
    "kill": {"target": "wechat"},
    "hang": {"target": "click"},
    "slow": {"target": "click", "by": SECOND // 10},
    "fail": {"target": "click", "code": "STOPPED"},
    "lose_window": {},
    "slow_autostart": {"delay": None},
    "popup": {},
    "second_person": {"click": "menu"},
    "log_out": {},
    "log_in": {},
}
AUTOSTART = {"min": SECOND, "max": SECOND}
GIVEN: dict[str, dict[str, Any]] = {
    "log_in": {"state": "qr"},
    "slow_autostart": {"autostart": AUTOSTART},
}
"""What an example needs."""
IN_WAIT = ("hang", "slow", "fail", "slow_autostart")


def example(do: str) -> Fault:
    return Fault(f"the-{do}", do, EXAMPLES[do])


def play(body: Any, **wechat: Any) -> RealWorld:
    world = world_of(**wechat)
    assert run(world, body) == RunEnd("finished")
    for event in world.trace:
        check_event(event)
    return world


def fault_events(world: RealWorld) -> list[str]:
    return [
        f"{event.kind.removeprefix('fault.')} {event.op} {event.class_}"
        for event in world.trace.of("fault.injected", "fault.affected", "fault.undone")
    ]


async def code_of(call: Awaitable[object]) -> str:
    try:
        await call
    except BridgeError as error:
        return error.code
    return ""


def test_every_kind_that_a_scenario_may_name_is_known_and_has_an_example() -> None:
    assert list(EXAMPLES) == list(KINDS)
    assert set(FAULTS) == set(KINDS)


@pytest.mark.parametrize("do", EXAMPLES)
def test_is_brought_about_and_undone_once(do: str) -> None:
    async def body(world: RealWorld) -> None:
        assert list(fault_kinds(machine_of(world))) == list(KINDS)
        await world.undo(example(do))  # it never began
        await world.inject(example(do))
        await world.undo(example(do))
        await world.undo(example(do))

    middle = [] if do in IN_WAIT else [f"affected the-{do} {do}"]
    world = play(body, **GIVEN.get(do, {}))
    assert fault_events(world) == [f"injected the-{do} {do}", *middle, f"undone the-{do} {do}"]


@pytest.mark.parametrize(
    ("fault", "given", "complaint"),
    [
        (Fault("f", "kill"), {"running": False}, "no `wechat` to kill"),
        (Fault("f", "kill", {"target": "scrot"}), {}, "no `scrot` to kill"),
        (Fault("f", "lose_window"), {"running": False}, "no window to lose"),
        (Fault("f", "slow_autostart", {"delay": 1}), {}, "nothing brings WeChat"),
        (Fault("f", "log_out"), {"state": "qr"}, "nobody is logged in"),
        (Fault("f", "log_in"), {}, "somebody is logged in"),
        (Fault("f", "log_in"), {"state": "qr", "running": False}, "WeChat shows no window"),
        (Fault("f", "second_person", {"types": "x"}), {"running": False}, "finds no window"),
        (Fault("f", "second_person", {"click": "confirm"}), {}, "cannot click there"),
        (Fault("f", "melt"), {}, r"the real world knows no fault `melt` \(known: kill, hang"),
    ],
)
def test_what_cannot_be_brought_about_is_said(
    fault: Fault, given: dict[str, Any], complaint: str
) -> None:
    async def body(world: RealWorld) -> None:
        with pytest.raises(FaultError, match=complaint):
            await world.inject(fault)
        await world.undo(fault)

    world = play(body, **given)
    assert not list(world.trace.of("fault.undone", "fault.affected"))


def test_a_killed_application_is_gone_with_its_window_and_comes_back() -> None:
    async def body(world: RealWorld) -> None:
        before = machine_of(world).application.pid
        await world.inject(example("kill"))
        assert await desktop_of(world).window() is None
        window = await desktop_of(world).wait_window(60)
        assert window is not None
        assert machine_of(world).application.pid not in {0, before}

    kinds = [event.kind for event in play(body, autostart=AUTOSTART).trace]
    order = ("fault.injected", "process.killed", "wechat.gone", "process.started", "wechat.shown")
    assert [kind for kind in kinds if kind in order] == list(order)


@pytest.mark.parametrize(
    ("do", "codes"),
    [("hang", ["TIMEOUT", "", "TIMEOUT"]), ("fail", ["STOPPED", "", "STOPPED"])],
)
def test_what_lies_in_wait_meets_its_commands(do: str, codes: list[str]) -> None:
    async def body(world: RealWorld) -> None:
        await world.inject(example(do))
        desktop = desktop_of(world)
        calls = (desktop.click("menu"), desktop.key("Escape"), desktop.click("menu"))
        assert [await code_of(call) for call in calls] == codes
        await world.undo(example(do))
        assert await code_of(desktop.click("menu")) == ""

    (affected,) = play(body).trace.of("fault.affected")
    assert affected.details["hit"] == "op"


def test_a_lost_window_comes_back_with_what_was_open() -> None:
    async def body(world: RealWorld) -> None:
        await desktop_of(world).click("session:张三")
        await world.inject(example("lose_window"))
        window = await desktop_of(world).window()
        assert window is None or not window.mapped
        await world.undo(example("lose_window"))
        window = await desktop_of(world).window()
        assert window is not None
        assert window.mapped
        assert (await machine_of(world).application.ask("state"))["session"] == "张三"

    play(body)


def test_a_lost_window_of_one_process_is_not_given_to_the_next() -> None:
    async def body(world: RealWorld) -> None:
        await world.inject(example("lose_window"))
        await machine_of(world).kill_all("wechat")
        assert await desktop_of(world).wait_window(60) is not None
        await world.undo(example("lose_window"))

    play(body, autostart=AUTOSTART)


def test_a_popup_swallows_a_click_and_is_gone() -> None:
    async def body(world: RealWorld) -> None:
        await world.inject(example("popup"))
        for _ in range(2):
            await desktop_of(world).click("search")
        await world.undo(example("popup"))

    (missed,) = play(body).trace.of("click.missed")
    assert (missed.resource, missed.details["hit"]) == ("search", "popup")


@pytest.mark.spec("UI-F4")
def test_a_second_person_acts_in_their_own_name() -> None:
    async def body(world: RealWorld) -> None:
        await world.inject(Fault("they", "second_person", {"click": "session:张三"}))
        await world.inject(Fault("them", "second_person", {"types": "hi 你\n"}))

    (event,) = play(body).trace.of("message.delivered")
    assert (event.op, event.class_, event.resource) == ("them", "second_person", "张三")
    assert event.details == {"text": "hi 你"}


def test_logged_out_from_the_phone_and_in_again() -> None:
    async def body(world: RealWorld) -> None:
        await world.inject(example("log_out"))
        assert await desktop_of(world).login_state() == "logged_out"
        await world.undo(example("log_out"))
        assert await desktop_of(world).login_state() == "logged_in"

    logins = [event.details["state"] for event in play(body).trace.of("wechat.login")]
    assert logins == ["logged_out", "logged_in"]


def test_an_autostart_that_is_held_brings_nothing_back_until_it_is_let_go() -> None:
    async def body(world: RealWorld) -> None:
        await world.inject(example("slow_autostart"))
        await world.inject(example("kill"))
        assert await desktop_of(world).wait_window(1.5) is None
        await world.undo(example("slow_autostart"))
        assert await desktop_of(world).wait_window(60) is not None

    assert "affected the-slow_autostart slow_autostart" in fault_events(
        play(body, autostart=AUTOSTART)
    )
