"""Faults: each is brought about, seen to be, taken back; what lies in wait tells when it is met."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_kit import machine_of
from windtunnel.acting import Acting, acting
from windtunnel.canonical import check_event
from windtunnel.errors import BridgeError, FaultError
from windtunnel.faults import at_once
from windtunnel.ports import ProcessSpec
from windtunnel.units import SECOND
from windtunnel.wechat.screen import Screen
from windtunnel.world import Fault, WorldSpec
from windtunnel_models.machine.faults import KINDS
from windtunnel_models.world import SimWorld

Play = Callable[..., SimWorld]
Tell = Callable[..., list[tuple[Any, ...]]]

EXAMPLES: dict[str, dict[str, Any]] = {
    "kill": {"target": "wechat"},
    "hang": {"target": "click"},
    "slow": {"target": "click", "by": SECOND},
    "fail": {"target": "click", "code": "STOPPED"},
    "lose_window": {},
    "slow_autostart": {"delay": None},
    "popup": {},
    "second_person": {"click": "menu"},
    "log_out": {},
    "log_in": {},
}
GIVEN = {"log_in": {"state": "qr"}}
"""What an example needs."""
AT_ONCE = [do for do in EXAMPLES if do not in ("hang", "slow", "fail", "slow_autostart")]


def example(do: str) -> Fault:
    return Fault(f"the-{do}", do, EXAMPLES[do])


def fault_events(world: SimWorld) -> list[str]:
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


def test_there_is_an_example_of_every_kind() -> None:
    assert list(EXAMPLES) == list(KINDS)


def test_every_kind_that_a_scenario_may_name_is_known() -> None:
    from windtunnel.systems.ui.faults import FAULTS

    assert set(FAULTS) == set(KINDS)
    for do, fields in EXAMPLES.items():
        FAULTS[do].model_validate({**fields, **({"by": "1s"} if "by" in fields else {})})


@pytest.mark.parametrize("do", EXAMPLES)
def test_is_injected_at_the_call_and_undone_once(play_desktop: Play, do: str) -> None:
    async def body(world: SimWorld) -> None:
        fault = example(do)
        injected = world.inject(fault)
        assert fault_events(world)[0] == f"injected the-{do} {do}"
        await injected
        undone = world.undo(fault)
        await undone
        await world.undo(fault)

    middle = [f"affected the-{do} {do}"] if do in AT_ONCE else []
    world = play_desktop(body, **GIVEN.get(do, {}))
    assert fault_events(world) == [f"injected the-{do} {do}", *middle, f"undone the-{do} {do}"]


@pytest.mark.parametrize("do", EXAMPLES)
def test_what_never_began_is_undone_by_doing_nothing(play_desktop: Play, do: str) -> None:
    async def body(world: SimWorld) -> None:
        await world.undo(example(do))

    assert fault_events(play_desktop(body)) == []


@pytest.mark.parametrize("do", EXAMPLES)
def test_what_is_still_on_is_undone_at_the_end(play_desktop: Play, do: str) -> None:
    async def body(world: SimWorld) -> None:
        await world.inject(example(do))

    assert fault_events(play_desktop(body, **GIVEN.get(do, {})))[-1] == f"undone the-{do} {do}"


@given(st.lists(st.sampled_from(sorted(EXAMPLES)), unique=True), st.randoms(use_true_random=False))
def test_whatever_is_on_all_of_it_is_undone(dos: list[str], random: Any) -> None:
    async def main() -> None:
        for do in dos:
            try:
                await world.inject(example(do))
                on.append(do)
            except FaultError:
                failed.append(do)
        await asyncio.sleep(random.choice([0, 1, 20]))
        taken = random.sample(on, len(on) // 2)
        for do in taken:
            await world.undo(example(do))

    on: list[str] = []
    failed: list[str] = []
    world = SimWorld(WorldSpec())
    assert world.run(main).reason == "finished"
    for event in world.trace:
        check_event(event)
    events = fault_events(world)
    for do in dos:
        assert events.count(f"injected the-{do} {do}") == 1
        assert events.count(f"undone the-{do} {do}") == (do not in failed)
    assert not machine_of(world).ambushes.targets
    assert not machine_of(world).screen.popup


def test_an_unknown_kind_and_one_that_is_on_already(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        with pytest.raises(FaultError, match=r"knows no fault `melt` \(known: kill, hang"):
            world.inject(Fault("f", "melt"))
        world.inject(Fault("f", "popup"))
        with pytest.raises(FaultError, match="`f` is on already"):
            world.inject(Fault("f", "popup"))

    play_desktop(body)


@pytest.mark.parametrize(
    ("fault", "given", "complaint"),
    [
        (Fault("f", "kill"), {"running": False}, "no `wechat` to kill"),
        (Fault("f", "kill", {"target": "scrot"}), {}, "no `scrot` to kill"),
        (Fault("f", "lose_window"), {"running": False}, "no window to lose"),
        (Fault("f", "slow_autostart", {"delay": 1}), {"autostart": None}, "nothing brings WeChat"),
        (Fault("f", "log_out"), {"state": "qr"}, "nobody is logged in"),
        (Fault("f", "log_in"), {}, "somebody is logged in"),
        (Fault("f", "log_in"), {"state": "qr", "running": False}, "WeChat shows no window"),
        (Fault("f", "second_person", {"types": "x"}), {"running": False}, "finds no window"),
        (Fault("f", "second_person", {"click": "confirm"}), {}, "cannot click there"),
    ],
)
def test_what_cannot_be_brought_about(
    play_desktop: Play, fault: Fault, given: dict[str, Any], complaint: str
) -> None:
    async def body(world: SimWorld) -> None:
        with pytest.raises(FaultError, match=complaint):
            world.inject(fault)
        await world.undo(fault)

    assert fault_events(play_desktop(body, **given)) == [f"injected f {fault.do}"]


def test_the_order_of_events_is_injection_effect_affection(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        await world.inject(example("kill"))

    assert [event[1] for event in tell(play_desktop(body))] == [
        *("fault.injected", "process.killed", "wechat.gone", "fault.affected", "fault.undone"),
    ]


@pytest.mark.parametrize(
    ("args", "codes", "seconds"),
    [
        ({"target": "click"}, ["TIMEOUT", "", "TIMEOUT"], 10.1),
        ({"target": ["click"], "times": 1}, ["TIMEOUT", "", ""], 5.2),
        ({"target": ["click", "key"]}, ["TIMEOUT"] * 3, 15),
        ({"target": "click_send"}, ["", "", ""], 0.3),
    ],
)
def test_a_hang_ends_at_the_bound(
    play_desktop: Play, args: dict[str, Any], codes: list[str], seconds: float
) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(Fault("f", "hang", args))
        desktop = machine_of(world).desktop
        calls = (desktop.click("menu"), desktop.key("Down"), desktop.click("menu"))
        assert [await code_of(call) for call in calls] == codes
        assert world.loop.time() == pytest.approx(seconds)

    play_desktop(body)


def test_the_flows_name_for_a_command_is_met_too_and_is_told(
    play_desktop: Play, tell: Tell
) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(Fault("f", "fail", {"target": "click_send", "code": "STOPPED"}))
        for number, command in enumerate(("click_search", "click_send", "click_send")):
            acting.set(Acting(f"send.{number}", "send_text", command=command))
            assert await code_of(machine_of(world).desktop.click("menu")) == (
                "STOPPED" if command == "click_send" else ""
            )
        assert machine_of(world).screen.menu == 0

    assert tell(play_desktop(body), "fault.affected") == [(0.1, "fault.affected", "", "send.1")]


def test_what_has_hung_stays_so_when_the_fault_is_undone(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(example("hang"))
        world.loop.call_later(1, world.undo, example("hang"))
        assert await code_of(machine_of(world).desktop.click("menu")) == "TIMEOUT"
        assert await code_of(machine_of(world).desktop.click("menu")) == ""

    play_desktop(body)


def test_a_slow_command_takes_longer(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(example("slow"))
        await machine_of(world).desktop.click("menu")
        assert world.loop.time() == pytest.approx(1.1)
        world.undo(example("slow"))
        await machine_of(world).desktop.click("menu")
        assert world.loop.time() == pytest.approx(1.2)

    play_desktop(body)


def test_a_lost_window_comes_back_if_its_process_is_the_same(
    play_desktop: Play, tell: Tell
) -> None:
    async def body(world: SimWorld) -> None:
        for _ in range(2):
            world.inject(example("lose_window"))
            assert await machine_of(world).processes.find("wechat") == [1000]
            assert machine_of(world).wechat.window().mapped is False  # type: ignore[union-attr]
            world.undo(example("lose_window"))
            assert machine_of(world).wechat.window().mapped  # type: ignore[union-attr]
        world.inject(example("lose_window"))
        await machine_of(world).processes.kill(1000)
        world.undo(example("lose_window"))
        assert machine_of(world).wechat.window() is None

    world = play_desktop(body, autostart=None)
    gone_or_back = [event[1] for event in tell(world, "wechat.gone", "wechat.shown")]
    assert gone_or_back == ["wechat.gone", "wechat.shown"] * 2 + ["wechat.gone"]


def test_a_fault_of_one_process_does_not_touch_the_next(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        processes, wechat = machine_of(world).processes, machine_of(world).wechat
        screen: Any = machine_of(world).screen
        world.inject(Fault("first", "lose_window"))
        await processes.kill(1000)
        await machine_of(world).desktop.wait_window(30)
        world.inject(Fault("second", "lose_window"))
        world.undo(Fault("first", "lose_window"))
        assert not screen.window
        world.undo(Fault("second", "lose_window"))
        assert screen.window
        await processes.kill(wechat.pid)
        wechat.show_window()
        await processes.start(ProcessSpec("wechat", ()))
        wechat.show_window()
        assert not screen.window

    play_desktop(body)


def test_what_was_open_is_still_there_when_the_window_comes_back(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        screen = machine_of(world).screen
        screen.open_session("bob")
        screen.draft = "half"
        world.inject(example("lose_window"))
        world.undo(example("lose_window"))
        assert (screen.session, screen.draft) == ("bob", "half")

    play_desktop(body)


def test_a_popup_swallows_a_click_and_is_gone(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(example("popup"))
        for _ in range(2):
            await machine_of(world).desktop.click("search")
        assert machine_of(world).screen.focus == "search"
        world.undo(example("popup"))

    assert tell(play_desktop(body), "click.missed") == [(0.1, "click.missed", "search", "popup")]


@pytest.mark.spec("UI-F4")
def test_a_second_person_acts_in_their_own_name(play_desktop: Play) -> None:
    async def body(world: SimWorld) -> None:
        screen = machine_of(world).screen
        world.inject(Fault("they", "second_person", {"click": "session:eve"}))
        world.inject(Fault("them", "second_person", {"types": "hi\n"}))
        assert screen.session == "eve"

    (event,) = play_desktop(body).trace.of("message.delivered")
    assert (event.op, event.class_, event.resource) == ("them", "second_person", "eve")
    assert event.details == {"text": "hi"}


def test_logged_out_from_the_phone_and_in_again(play_desktop: Play, tell: Tell) -> None:
    async def body(world: SimWorld) -> None:
        world.inject(example("log_out"))
        assert await machine_of(world).desktop.login_state() == "logged_out"
        world.undo(example("log_out"))
        assert machine_of(world).screen.login == "logged_in"
        world.inject(example("log_out"))
        await machine_of(world).processes.kill(1000)
        world.undo(example("log_out"))
        await machine_of(world).desktop.wait_window(30)
        assert machine_of(world).screen.login == "logged_in"

    logins = [event[3] for event in tell(play_desktop(body), "wechat.login")]
    assert logins == ["logged_out", "logged_in"] * 2


@pytest.mark.parametrize("state", ["qr", "logged_out"])
def test_a_code_is_scanned_and_the_account_stays_logged_in(
    play_desktop: Play, tell: Tell, state: str
) -> None:
    async def body(world: SimWorld) -> None:
        desktop = machine_of(world).desktop
        assert await desktop.login_state() == state
        world.inject(example("log_in"))
        assert await desktop.login_state() == "logged_in"
        world.undo(example("log_in"))
        assert await desktop.login_state() == "logged_in"

    logins = [event[3] for event in tell(play_desktop(body, state=state), "wechat.login")]
    assert logins == ["logged_in"]


@pytest.mark.spec("UI-C2")
@pytest.mark.parametrize("state", ["qr", "logged_out"])
def test_who_waits_for_a_log_in_is_told_of_the_scan(play_desktop: Play, state: str) -> None:
    from windtunnel.services.bridge.bridge import Bridge
    from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler

    async def body(world: SimWorld) -> None:
        routes = Bridge(world.ports, UIActionScheduler()).routes
        told.append((await routes.call("qr_wait", {})).body)
        world.inject(example("log_in"))
        told.append((await routes.call("qr_wait", {})).body)

    told: list[Any] = []
    play_desktop(body, state=state)
    assert [(each["state"], each["logged_in"]) for each in told] == [
        (state, False),
        ("logged_in", True),
    ]


def test_a_fault_that_does_not_take_is_an_error(
    play_desktop: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(world: SimWorld) -> None:
        screen = machine_of(world).screen
        for name in ("open_popup", "close_popup"):
            monkeypatch.setattr(type(screen), name, lambda _self: None)
        with pytest.raises(FaultError, match="did not take effect"):
            world.inject(example("popup"))
        assert fault_events(world) == ["injected the-popup popup"]
        screen.popup = True
        with pytest.raises(FaultError, match="could not be undone"):
            world.undo(example("popup"))

    play_desktop(body)


def test_one_that_stays_on_does_not_keep_the_others_on(
    play_desktop: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(world: SimWorld) -> None:
        for do in ("hang", "popup", "slow"):
            world.inject(example(do))
        with pytest.raises(FaultError, match="the-popup"):
            at_once(world._faults.undo_all())
        assert not machine_of(world).ambushes.targets

    monkeypatch.setattr(Screen, "close_popup", lambda _self: None)
    play_desktop(body)
