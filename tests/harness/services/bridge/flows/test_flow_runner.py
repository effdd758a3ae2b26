"""FlowRunner: commands in order under their names, bounds, kills, and the session cache."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError, Code
from windtunnel.ports import WindowInfo
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.flows import FLOWS, QR_REGION
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]
ARGS = {"to": "anna", "text": "hello {to}", "file": "a.pdf", "remark": "A."}
BY_CODE = {"restart", "autofix"}
FULL = [step.name for step in FLOWS["send_text"]]
SHORT = ["activate", "focus_input", "type_text", "click_send", "verify"]


@pytest.mark.spec("UI-F1")
@pytest.mark.parametrize("name", sorted(ENDPOINTS.keys() - BY_CODE))
def test_commands_run_in_order_under_their_names(run: Run, world: Any, name: str) -> None:
    async def main() -> None:
        acting.set(Acting("op", name))
        await world.bridge().action(name, ARGS)()

    run(main())
    assert [command for _, op, command in world.desktop.commands] == [
        step.name for step in FLOWS[name]
    ]
    assert {op for _, op, _ in world.desktop.commands} == {"op"}


def test_arguments_are_typed_as_they_are(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.action("send_text", ARGS)()
        await bridge.action("revoke", ARGS)()
        await bridge.action("set_remark", ARGS)()

    run(main())
    told = [argument for _, argument in world.desktop.log]
    assert told[2] == "anna"
    assert told[5] == "hello {to}"  # a text's own braces are no placeholders
    assert "session:anna" in told
    assert "contact:anna" in told
    assert "A." in told


@pytest.mark.spec("UI-F1")
def test_the_last_command_is_the_result(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        assert (await bridge.action("screenshot", {})()).width == 1
        assert (await bridge.action("qr_start", {})()).width == 1

    run(main())
    assert world.desktop.log[-1] == ("capture", QR_REGION)
    assert world.processes.log == [("run", "scrot", "display")]


def test_the_gate_is_asked_before_each_command_and_before_its_lock(run: Run, world: Any) -> None:
    asked: list[tuple[str, bool]] = []

    async def main() -> None:
        bridge = world.bridge()

        async def gate(who: Acting) -> None:
            asked.append((who.command, bridge.lock.locked()))
            await asyncio.sleep(1)

        acting.set(Acting("op", "logout", gate=gate))
        await bridge.action("logout", {})()
        assert asyncio.get_running_loop().time() == pytest.approx(6 * 1.1)

    run(main())
    assert asked == [(step.name, False) for step in FLOWS["logout"]]


@pytest.mark.spec("UI-K2")
def test_a_flow_is_over_after_30_s(run: Run, world: Any) -> None:
    world.desktop.seconds = {"key": 100.0}

    async def main() -> None:
        with pytest.raises(BridgeError, match="over 30 s") as caught:
            await world.bridge().action("logout", {})()
        assert caught.value.code == Code.TIMEOUT
        assert asyncio.get_running_loop().time() == 30.0

    run(main())
    assert world.desktop.names[-1] == "key"


def test_a_command_of_its_own_time_out_is_told_from_the_flows(run: Run, world: Any) -> None:
    world.desktop.errors["click_menu"] = TimeoutError("the program's own")

    async def main() -> None:
        acting.set(Acting("op", "logout"))
        with pytest.raises(TimeoutError, match="the program's own"):
            await world.bridge().action("logout", {})()

    run(main())


@pytest.mark.spec("UI-W6")
@given(at_ms=st.integers(1, 799).filter(lambda ms: ms % 100))
def test_for_all_instants_a_flow_ends_before_the_command_after_a_kill(
    make_world: Callable[[], Any], at_ms: int
) -> None:
    async def main() -> None:
        bridge = world.bridge()
        flow = asyncio.ensure_future(bridge.action("send_text", ARGS)())
        await asyncio.sleep(at_ms / 1000)
        bridge.announcer.announce()
        if at_ms > 700:  # the last command runs: nothing comes after it
            await flow
        else:
            with pytest.raises(BridgeError) as caught:
                await flow
            assert caught.value.code == Code.WINDOW_NOT_FOUND
        assert len(world.desktop.names) == at_ms // 100 + 1
        await bridge.action("send_text", ARGS)()  # one that begins later knows nothing of it

    world = make_world()
    run_simulated(main())


# ---------------------------------------------------------------- own flows and windows


def test_a_flow_may_be_replaced_and_is_then_not_bounded(run: Run, world: Any) -> None:
    async def own(backend: Any, args: Any) -> str:
        await asyncio.sleep(100)
        return f"to {args['to']}"

    async def main() -> None:
        bridge = world.bridge(flows={"send_text": own})
        assert await bridge.action("send_text", {"to": "ben"}, cached=True)() == "to ben"

    run(main())
    assert world.desktop.log == []


@pytest.mark.spec("UI-T4", "UI-C1")
@pytest.mark.parametrize("replaced", [True, False])
@pytest.mark.parametrize(
    ("name", "settings", "length"),
    [
        ("restart", {}, 8.0),
        ("autofix", {}, 15.0),
        ("restart", {"restart_window_s": 3.0}, 3.0),
        ("autofix", {"autofix_window_s": 0.0}, None),
        ("logout", {}, None),
    ],
)
def test_the_window_opens_as_the_action_starts(
    run: Run, world: Any, name: str, settings: Any, length: float | None, replaced: bool
) -> None:
    seen: list[tuple[float, float]] = []

    async def own(backend: Any, args: Any) -> None: ...

    async def main() -> None:
        bridge = world.bridge(flows={name: own} if replaced else {}, **settings)
        loop = asyncio.get_running_loop()

        def hear(line: str, trace_id: str, fields: Any) -> None:
            if line == "window.opened":
                seen.append((loop.time(), fields["left"] / 1e9))

        bridge._scheduler.observe(hear)
        await asyncio.sleep(2)
        action = bridge.action(name, {})
        await asyncio.sleep(2)
        assert seen == []
        await action()

    run(main())
    assert seen == ([] if length is None else [(4.0, length)])


@pytest.mark.spec("UI-C1")
@pytest.mark.parametrize("wiring", ["before", "phase1"])
def test_before_the_change_nothing_opens_a_window(run: Run, world: Any, wiring: str) -> None:
    async def main() -> None:
        bridge = world.bridge(wiring)
        lines: list[str] = []
        bridge._scheduler.observe(lambda line, _, fields: lines.append(line))
        await bridge.action("restart", {})()
        assert lines == []

    run(main())


# ---------------------------------------------------------------- locks


@pytest.mark.spec("UI-C1", "UI-L1")
@pytest.mark.parametrize("wiring", ["before", "phase1", "after"])
@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("screenshot", {"screenshot"}),
        ("qr_start", {"screenshot", "crop"}),
        ("autofix", {"wait_window"}),
        ("restart", set()),
        ("logout", set()),
    ],
)
def test_before_the_change_some_commands_take_no_lock(
    run: Run, world: Any, wiring: str, name: str, bare: set[str]
) -> None:
    """The lock is held for ever: what needs it never begins."""
    world.processes.pids["wechat"] = []

    async def main() -> None:
        bridge = world.bridge(wiring)
        begun = []

        async def gate(who: Acting) -> None:
            held = who.command in DISPLAY
            if held:
                await bridge.lock.acquire()
                asyncio.get_running_loop().call_later(0.05, bridge.lock.release)
            begun.append((who.command, asyncio.get_running_loop().time()))

        acting.set(Acting("op", name, gate=gate))
        await bridge.action(name, {})()
        started = {command: at for at, _, command in world.desktop.commands}
        for command, at in begun:
            if command in DISPLAY:
                unlocked = wiring != "after" and command in bare
                assert started[command] - at == pytest.approx(0 if unlocked else 0.05), command

    run(main())


DISPLAY = {
    *("screenshot", "crop", "wait_window", "activate", "click_menu", "key_enter", "click_confirm")
}


# ---------------------------------------------------------------- the session cache


@pytest.mark.spec("UI-C1", "UI-F4")
def test_a_cached_send_skips_the_opening_of_the_open_session(run: Run, world: Any) -> None:
    async def main() -> None:
        acting.set(Acting("op", "send_text"))
        bridge = world.bridge()
        send = bridge.action("send_text", ARGS, cached=True)
        await send()
        assert world.desktop.names == FULL
        await send()
        assert world.desktop.names[len(FULL) :] == SHORT
        await bridge.action("send_text", {**ARGS, "to": "ben"}, cached=True)()
        assert world.desktop.names[len(FULL + SHORT) :] == FULL

    run(main())


def test_what_is_not_asked_to_be_cached_opens_the_session_and_tells_the_cache(
    run: Run, world: Any
) -> None:
    async def main() -> None:
        acting.set(Acting("op", "send_text"))
        bridge = world.bridge()
        await bridge.action("revoke", ARGS)()
        await bridge.action("send_text", ARGS)()
        assert world.desktop.names[-len(FULL) :] == FULL
        await bridge.action("send_file", ARGS, cached=True)()
        assert world.desktop.names[-5:] == [
            *("activate", "click_attach", "type_path", "key_enter", "verify")
        ]

    run(main())


async def _nothing(bridge: Any, world: Any) -> None: ...


async def _screenshot(bridge: Any, world: Any) -> None:
    await bridge.action("screenshot", {})()


async def _other(bridge: Any, world: Any) -> None:
    await bridge.action("like", {})()


async def _forward(bridge: Any, world: Any) -> None:
    await bridge.action("forward", {"to": "anna"})()


async def _logout(bridge: Any, world: Any) -> None:
    await bridge.action("logout", {})()


async def _restart(bridge: Any, world: Any) -> None:
    await bridge.action("restart", {})()


async def _fail(bridge: Any, world: Any) -> None:
    world.desktop.errors["click_like"] = BridgeError(Code.TARGET_NOT_FOUND, "no heart")
    acting.set(Acting("op", "like"))
    with pytest.raises(BridgeError):
        await bridge.action("like", {})()


async def _cancel(bridge: Any, world: Any) -> None:
    task = asyncio.ensure_future(bridge.action("send_text", ARGS)())
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _watchdog(bridge: Any, world: Any) -> None:
    await bridge.watchdog.act()
    world.processes._bring_back()


async def _killed_from_outside(bridge: Any, world: Any) -> None:
    world.desktop.shown = WindowInfo(7, 100, 2, "WeChat", mapped=True, focused=True)


async def _gone(bridge: Any, world: Any) -> None:
    world.desktop.shown = None


async def _beside(bridge: Any, world: Any) -> None:
    """Another flow begins inside this one: which session is open then, nobody knows."""
    send = asyncio.ensure_future(bridge.action("send_text", ARGS)())
    await asyncio.sleep(0.25)
    await asyncio.gather(send, bridge.action("like", {})())


@pytest.mark.parametrize("wiring", ["before", "phase1", "after"])
@pytest.mark.parametrize(
    ("happens", "known"),
    [
        (_nothing, True),
        (_screenshot, True),
        (_other, False),
        (_forward, False),
        (_logout, False),
        (_restart, False),
        (_fail, False),
        (_cancel, False),
        (_watchdog, False),
        (_killed_from_outside, False),
        (_gone, False),
        (_beside, False),
    ],
)
def test_what_makes_the_cache_forget(
    run: Run, world: Any, wiring: str, happens: Any, known: bool
) -> None:
    async def main() -> None:
        bridge = world.bridge(wiring)
        await bridge.action("send_text", ARGS)()
        await happens(bridge, world)
        acting.set(Acting("op", "send_text"))
        world.desktop.log.clear()
        try:
            await bridge.action("send_text", ARGS, cached=True)()
        except BridgeError as error:
            assert error.code == Code.WINDOW_NOT_FOUND  # noqa: PT017 - only where it is gone
        assert ("click_search" not in world.desktop.names) is (known or world.desktop.shown is None)

    run(main())


@pytest.mark.parametrize(
    ("happens", "contacts"),
    [
        (_nothing, ("anna",)),
        (_other, ("anna",)),
        (_logout, ()),
        (_restart, ()),
        (_fail, ()),
        (_cancel, ()),
        (_watchdog, ()),
    ],
)
def test_a_failure_a_log_out_and_a_kill_leave_no_contact_known(
    run: Run, world: Any, happens: Any, contacts: tuple[str, ...]
) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.action("send_text", ARGS)()
        await happens(bridge, world)
        assert bridge._flows.sessions.contacts == contacts

    run(main())


def test_the_cache_decides_when_the_action_runs_not_when_it_is_made(run: Run, world: Any) -> None:
    async def main() -> None:
        acting.set(Acting("op", "send_text"))
        bridge = world.bridge()
        early = bridge.action("send_text", ARGS, cached=True)
        await bridge.action("send_text", ARGS)()
        world.desktop.log.clear()
        await early()
        assert world.desktop.names == SHORT

    run(main())
