"""WeChatProcess: the restart and the autofix, step by step, and how they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError, Code
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.flows.flows import FLOWS
from windtunnel.services.bridge.flows.wechat_process import WeChatProcess

Run = Callable[[Coroutine[Any, Any, None]], None]


def process(world: Any, told: list[str]) -> WeChatProcess:
    return WeChatProcess(
        world.processes, Backend(world.desktop, None), lambda: told.append("killed")
    )


@pytest.mark.spec("UI-F1", "UI-C1")
def test_a_restart_kills_waits_starts_and_returns_the_new_pid(run: Run, world: Any) -> None:
    world.processes.pids["wechat"] = [100, 101]
    told: list[str] = []

    async def main() -> None:
        assert await process(world, told).restart() == 201

    run(main())
    assert world.processes.log == [
        *(("kill", 100), ("kill", 101), ("wait_exit", 100, 5.0), ("wait_exit", 101, 5.0)),
        ("start", "wechat"),
    ]
    assert world.desktop.log == [("wait_window", 10.0)]
    assert told == ["killed"]


@pytest.mark.spec("UI-F1")
def test_the_commands_have_the_flows_names(run: Run, world: Any) -> None:
    names: list[str] = []

    async def gate(who: Acting) -> None:
        names.append(who.command)

    async def main() -> None:
        acting.set(Acting("op", "restart", gate=gate))
        await process(world, []).restart()

    run(main())
    # Whom to kill is asked first, under the port's own name.
    assert names == ["", *(step.name for step in FLOWS["restart"])]


@pytest.mark.spec("UI-C1", "UI-F2")
@pytest.mark.parametrize("autostart", [1.0, 7.0, None])
def test_an_autofix_starts_only_what_the_autostart_has_not(
    run: Run, world: Any, autostart: float | None
) -> None:
    world.processes.autostart_s = autostart

    async def main() -> None:
        assert await process(world, []).autofix() == 201
        took = 2.0 if autostart == 1.0 else 2.1
        assert asyncio.get_running_loop().time() == pytest.approx(took)

    run(main())
    started = [] if autostart == 1.0 else [("start", "wechat")]
    assert world.processes.log == [("kill", 100), *started]


def test_a_process_that_does_not_end_is_a_time_out(run: Run, world: Any) -> None:
    world.processes.immortal = True

    async def main() -> None:
        with pytest.raises(BridgeError, match="did not end") as caught:
            await process(world, []).restart()
        assert caught.value.code == Code.TIMEOUT

    run(main())


@pytest.mark.parametrize("name", ["restart", "autofix"])
def test_no_window_after_the_start_is_window_not_found(run: Run, world: Any, name: str) -> None:
    async def no_window(timeout: float) -> None:
        return None

    world.desktop.wait_window = no_window

    async def main() -> None:
        with pytest.raises(BridgeError) as caught:
            await getattr(process(world, []), name)()
        assert caught.value.code == Code.WINDOW_NOT_FOUND

    run(main())


@pytest.mark.spec("UI-W6")
@pytest.mark.parametrize("name", ["restart", "autofix"])
def test_it_tells_of_a_kill_whose_command_fails(run: Run, world: Any, name: str) -> None:
    told: list[str] = []

    async def kill(pid: int) -> None:
        raise BridgeError(Code.TIMEOUT, "sent, and then not over in time")

    world.processes.kill = kill

    async def main() -> None:
        with pytest.raises(BridgeError):
            await getattr(process(world, told), name)()

    run(main())
    assert told == ["killed"]


def test_nothing_to_kill_is_started_all_the_same(run: Run, world: Any) -> None:
    world.processes.pids["wechat"] = []
    told: list[str] = []

    async def main() -> None:
        assert await process(world, told).restart() == 201

    run(main())
    assert told == []
    assert world.processes.log == [("start", "wechat")]
