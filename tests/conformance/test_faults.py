"""Every kind of fault in two worlds: its effect, its undoing, and where it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.errors import BridgeError
from windtunnel.ports import ProcessSpec
from windtunnel.services.bridge.flows.qr_capture import CAPTURE
from windtunnel.systems.ui.faults import FAULTS
from windtunnel_models.machine.faults import KINDS as SIM_KINDS
from worlds_kit import Body, Stage, same

pytestmark = pytest.mark.real

MS = 1_000_000
WECHAT = ProcessSpec("wechat", ("wechat",))
NOBODY = 999_999_999

PLAYED: dict[str, Body] = {}
GIVEN: dict[str, dict[str, Any]] = {}


def plays(name: str, **given: Any) -> Callable[[Body], Body]:
    """Register a body under `KIND` or `KIND: more`."""

    def register(body: Body) -> Body:
        PLAYED[name], GIVEN[name] = body, {"missing_window": 10 * MS, **given}
        return body

    return register


def test_every_kind_is_played() -> None:
    from windtunnel_real.machine.faults import KINDS as REAL_KINDS

    played = {name.partition(":")[0] for name in PLAYED}
    assert played == set(FAULTS) == set(SIM_KINDS) == set(REAL_KINDS)


async def every_command(stage: Stage) -> None:
    """Make each call that is a command, the desktop's and the processes'."""
    for step in (
        *(("activate", "wechat"), ("click", "input"), ("key", "a"), ("type_text", "b")),
        *(("paste_text", "c"), ("capture",), ("login_state",), ("wait_window", 5.0)),
        *(("hold", 0.001), ("click", "revoke")),
    ):
        await stage.do(*step)
    port = stage.processes
    await stage.see("kill", port.kill(NOBODY))
    await stage.see("terminate", port.terminate(NOBODY))
    await stage.see("wait_exit", port.wait_exit(NOBODY, 5.0))
    for what, call in (("find", port.find("wechat")), ("start", port.start(WECHAT))):
        try:
            await call
        except BridgeError as error:
            stage.seen.append((what, str(error)))
    try:
        program = await port.run(CAPTURE)
        await stage.see("status", program.wait())
    except BridgeError as error:
        stage.seen.append(("run", str(error)))
    await stage.look()


EVERY = (
    *("activate", "click", "key", "type_text", "paste_text", "capture", "login_state"),
    *("wait_window", "hold", "kill", "terminate", "wait_exit", "find", "start", "run"),
)


@plays("kill")
async def _kill(stage: Stage) -> None:
    await stage.do("window")
    await stage.inject("kill")
    await stage.do("window")
    await stage.do("click", "input")
    await stage.inject("kill")
    await stage.inject("lose_window")
    await stage.inject("second_person", click="input")
    await stage.inject("slow_autostart", delay=MS)
    await stage.undo("kill")
    await stage.do("wait_window", 0.1)
    await stage.look()


@plays("kill: with autostart", autostart=50 * MS, start_up=0, session="bob")
async def _kill_with_autostart(stage: Stage) -> None:
    for _ in range(2):
        await stage.do("type_text", "lost with it")
        await stage.inject("kill")
        await stage.do("wait_window", 20.0)
        await stage.do("window")
        await stage.look()
        await stage.do("click", "session:bob")


@plays("slow_autostart", autostart=20 * MS, start_up=0)
async def _slow_autostart(stage: Stage) -> None:
    await stage.inject("slow_autostart", delay=600 * MS)
    await stage.inject("kill")
    await stage.do("wait_window", 0.2)
    await stage.do("wait_window", 20.0)
    await stage.undo("slow_autostart")
    await stage.look()


@plays("slow_autostart: never", autostart=20 * MS, start_up=0)
async def _slow_autostart_never(stage: Stage) -> None:
    await stage.inject("slow_autostart", delay=None)
    await stage.inject("kill")
    await stage.do("wait_window", 0.3)
    await stage.undo("slow_autostart")  # it comes at once
    await stage.do("wait_window", 20.0)
    await stage.look()


@plays("hang", session="bob")
async def _hang(stage: Stage) -> None:
    await stage.inject("hang", target=["click"], times=1)
    await stage.do("click", "send")
    await stage.do("click", "input")
    await stage.undo("hang")
    await stage.inject("hang", target=["key"])
    await stage.undo("hang")
    await stage.do("key", "a")
    await stage.look()


@plays("slow", session="bob")
async def _slow(stage: Stage) -> None:
    await stage.inject("slow", target=EVERY, by=MS)
    await every_command(stage)
    await stage.undo("slow")
    await stage.inject("slow", target=["click"], by=6_000 * MS)
    await stage.do("click", "send")
    await stage.undo("slow")
    await stage.do("click", "send")
    await stage.look()


@plays("fail", session="bob")
async def _fail(stage: Stage) -> None:
    await stage.inject("fail", target=EVERY, code="QUEUE_FULL")
    await every_command(stage)
    await stage.undo("fail")
    await stage.inject("fail", target=["click"], code="TIMEOUT", times=2)
    for _ in range(3):
        await stage.do("click", "input")
    await stage.undo("fail")
    await stage.inject("fail", target=["kill", "terminate"], code="TIMEOUT")
    (wechat,) = await stage.processes.find("wechat")
    await stage.see("kill", stage.processes.kill(wechat))
    await stage.see("terminate", stage.processes.terminate(wechat))
    await stage.undo("fail")
    await stage.do("window")
    await every_command(stage)


@plays("lose_window", session="bob")
async def _lose_window(stage: Stage) -> None:
    await stage.do("click", "input")
    await stage.do("type_text", "kept")
    await stage.inject("lose_window")
    await stage.do("window")
    await stage.do("login_state")
    await stage.do("wait_window", 0.1)
    await stage.do("type_text", "lost")
    await stage.inject("second_person", types="lost")
    await stage.inject("log_in")
    await stage.inject("lose_window")
    await stage.look()
    await stage.undo("lose_window")
    await stage.do("window")
    await stage.do("type_text", " too")
    await stage.look()
    await stage.inject("lose_window")
    await stage.inject("kill")
    await stage.undo("lose_window")  # whose window it was is no more
    await stage.look()


@plays("popup", session="bob")
async def _popup(stage: Stage) -> None:
    await stage.inject("popup")
    await stage.do("window")
    await stage.do("login_state")
    await stage.do("type_text", "lost")
    await stage.do("paste_text", "lost too")
    await stage.do("key", "a")
    await stage.do("click", "revoke")
    await stage.look()
    await stage.do("key", "Return")
    await stage.look()
    await stage.undo("popup")  # it has gone by itself
    await stage.inject("popup")
    await stage.do("activate", "wechat")  # the keys, not the clicks
    await stage.do("click", "input")
    await stage.look()
    await stage.do("click", "input")
    await stage.do("type_text", "heard")
    await stage.inject("popup")
    await stage.inject("popup")
    await stage.undo("popup")
    await stage.do("type_text", " again")
    await stage.look()
    await stage.inject("popup")
    await stage.inject("lose_window")
    await stage.undo("lose_window")
    await stage.look()
    await stage.do("type_text", " and again")
    await stage.undo("popup")
    await stage.look()


@plays("popup: outlives", session="bob")
async def _popup_outlives(stage: Stage) -> None:
    """Another program's window stays over the next process of the application."""
    await stage.inject("popup")
    await stage.inject("kill")
    await stage.processes.start(WECHAT)
    await stage.do("wait_window", 20.0)
    await stage.look()
    await stage.do("click", "session:bob")
    await stage.do("click", "session:bob")
    await stage.do("type_text", "heard")
    await stage.look()


@plays("popup: not running", running=False)
async def _popup_not_running(stage: Stage) -> None:
    await stage.inject("popup")
    await stage.undo("popup")
    await stage.inject("popup")
    await stage.processes.start(WECHAT)
    await stage.do("wait_window", 20.0)
    await stage.look()
    await stage.undo("popup")
    await stage.look()


@plays("second_person")
async def _second_person(stage: Stage) -> None:
    for act in (
        *({"click": "search"}, {"types": "bob"}, {"click": "result"}),
        *({"types": "hé\nyou"}, {"click": "send"}, {"click": "revoke"}),
        *({"click": "moments"}, {"types": "lost"}, {"click": "send"}),
    ):
        await stage.inject("second_person", **act)
        await stage.look()
    await stage.undo("second_person")


@plays("log_out", session="bob")
async def _log_out(stage: Stage) -> None:
    await stage.do("click", "input")
    await stage.do("type_text", "kept")
    await stage.inject("log_out")
    await stage.do("login_state")
    await stage.do("click", "send")
    await stage.do("paste_text", "lost")
    await stage.do("key", "ctrl+v")
    await stage.do("key", "Return")
    await stage.do("click", "confirm")
    await stage.inject("log_out")
    await stage.look()
    await stage.undo("log_out")
    await stage.do("login_state")
    await stage.look()
    await stage.do("click", "session:bob")
    await stage.look()
    await stage.inject("log_out")
    await stage.inject("kill")
    await stage.processes.start(WECHAT)
    await stage.do("wait_window", 20.0)
    await stage.do("login_state")
    await stage.undo("log_out")
    await stage.look()


@plays("log_out: qr", state="qr")
async def _log_out_qr(stage: Stage) -> None:
    await stage.inject("log_out")
    await stage.do("login_state")
    await stage.look()


@plays("log_out: not running", running=False)
async def _log_out_not_running(stage: Stage) -> None:
    await stage.inject("log_in")
    await stage.inject("log_out")
    await stage.inject("log_out")
    await stage.look()
    await stage.processes.start(WECHAT)
    await stage.do("wait_window", 20.0)
    await stage.do("login_state")
    await stage.undo("log_out")
    await stage.look()


@plays("log_in", state="logged_out")
async def _log_in(stage: Stage) -> None:
    await stage.inject("log_in")
    await stage.do("login_state")
    await stage.do("click", "session:bob")
    await stage.inject("log_in")
    await stage.undo("log_in")
    await stage.look()


@pytest.mark.parametrize("name", PLAYED)
def test_a_fault_is_the_same(name: str) -> None:
    account = same(PLAYED[name], **GIVEN[name])
    assert account.kinds("fault.injected") != []
