"""The port `Processes` in two worlds, and the window's identity that hangs on them."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from windtunnel.ports import Processes, ProcessSpec
from windtunnel.services.bridge.flows.qr_capture import CAPTURE
from worlds_kit import Account, Stage, same

pytestmark = pytest.mark.real

WECHAT = ProcessSpec("wechat", ("wechat",))
SLEEPER = ProcessSpec("sleeper", ("sleep", "60"))
NOBODY = 999_999_999
END_S = 5.0


class Seer:
    """The processes of a stage: each call is noted, numbers as the order they were seen in."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.port = stage.processes

    async def find(self, name: str) -> list[int]:
        found = list(await self.port.find(name))
        self.stage.seen.append((f"find {name}", [self.stage.pid(pid) for pid in found]))
        return found

    async def start(self, spec: ProcessSpec) -> int:
        pid = await self.port.start(spec)
        self.stage.seen.append((f"start {spec.name}", self.stage.pid(pid)))
        return pid

    async def see(self, what: str, call: Awaitable[Any]) -> Any:
        return await self.stage.see(what, call)


def kinds(account: Account) -> list[str]:
    return [event[0] for event in account.trace if event[0].startswith(("process.", "wechat."))]


def test_every_method_is_played() -> None:
    methods = {"find", "terminate", "kill", "start", "wait_exit", "run"}
    assert methods == {name for name in vars(Processes) if name[0] != "_"}


def test_who_is_found_and_who_is_not() -> None:
    async def body(stage: Stage) -> None:
        seer = Seer(stage)
        (wechat,) = await seer.find("wechat")
        for name in ("", "we", "wechats", "WeChat", "scrot"):
            assert await seer.find(name) == []
        assert await seer.start(WECHAT) == wechat, "it runs once at most"
        first, second = await seer.start(SLEEPER), await seer.start(SLEEPER)
        assert await seer.find("sleeper") == [first, second], "the oldest first"
        await seer.see("terminate", stage.processes.terminate(first))
        await seer.see("wait", stage.processes.wait_exit(first, END_S))
        await seer.find("sleeper")
        await seer.see("does not end", stage.processes.wait_exit(second, 0.05))
        await stage.inject("kill", target="sleeper")
        await seer.see("wait", stage.processes.wait_exit(second, END_S))
        await stage.inject("kill", target="sleeper")
        await seer.find("sleeper")

    account = same(body)
    assert kinds(account) == ["process.started"] * 2 + ["process.killed"] * 2


def test_nobody_is_sent_nothing() -> None:
    async def body(stage: Stage) -> None:
        port = stage.processes
        for pid in (NOBODY, 0, -1):
            await stage.see("kill", port.kill(pid))
            await stage.see("terminate", port.terminate(pid))
            assert await stage.see("wait", port.wait_exit(pid, 0.1)) is True
        await stage.look()

    assert kinds(same(body)) == []


@pytest.mark.parametrize("restores_login", [True, False])
def test_a_restarted_application_is_another_one(restores_login: bool) -> None:
    async def body(stage: Stage) -> None:
        seer, port = Seer(stage), stage.processes
        await stage.do("click", "session:bob")
        await stage.do("type_text", "a draft")
        await stage.do("window")
        for end in (port.terminate, port.kill):
            (old,) = await seer.find("wechat")
            await seer.see("end", end(old))
            await seer.see("wait", port.wait_exit(old, END_S))
            await stage.do("window")
            await stage.do("login_state")
            await stage.do("click", "input")
            await seer.find("wechat")
            assert await seer.start(WECHAT) != old
            await stage.do("wait_window", 20.0)
            await stage.do("window")
            await stage.do("login_state")
            await stage.look()
        await stage.do("type_text", "to nobody")

    account = same(body, restores_login=restores_login, missing_window=10_000_000)
    windows = [told for what, told in account.seen if what == "window()" and told is not None]
    assert len({window[0] for window in windows}) == 3
    states = [told for what, told in account.seen if what == "login_state()"]
    came_back = "logged_in" if restores_login else "qr"
    assert states == ["unknown", came_back] * 2


def test_a_second_start_shows_the_window() -> None:
    async def body(stage: Stage) -> None:
        await stage.do("click", "session:bob")
        await stage.inject("lose_window")
        await Seer(stage).start(WECHAT)
        await stage.do("wait_window", 5.0)
        await stage.look()
        await stage.do("type_text", "kept")
        await stage.look()

    account = same(body)
    assert account.kinds("text.misplaced") == []
    assert kinds(account) == ["wechat.gone", "wechat.shown"]


def test_a_program_is_run_to_its_end() -> None:
    async def body(stage: Stage) -> None:
        seer = Seer(stage)
        program = await stage.processes.run(CAPTURE)
        assert await seer.find("scrot") == [program.pid]
        assert await stage.see("output", program.output()) != b""
        await stage.see("status", program.wait())
        await stage.see("again", program.wait())
        program.kill()
        await seer.find("scrot")

    account = same(body)
    assert kinds(account) == ["process.started", "process.exited", "process.reaped"]


def test_a_program_that_hangs_is_killed() -> None:
    async def body(stage: Stage) -> None:
        await stage.inject("hang", target=["scrot"], times=1)
        program = await stage.processes.run(CAPTURE)
        await stage.see("terminate", stage.processes.terminate(program.pid))
        await stage.see("heedless", stage.processes.wait_exit(program.pid, 0.1))
        program.kill()
        assert await stage.see("output", program.output()) == b""
        await stage.see("ended", stage.processes.wait_exit(program.pid, END_S))
        await stage.see("status", program.wait())
        await stage.undo("hang")
        await stage.inject("fail", target=["scrot"], code="TIMEOUT")
        await stage.see("refused", stage.processes.run(CAPTURE))
        await stage.undo("fail")
        program = await stage.processes.run(CAPTURE)
        await stage.see("status", program.wait())

    account = same(body)
    assert kinds(account)[:3] == ["process.started", "process.killed", "process.reaped"]
    assert ("status", -9) in account.seen
