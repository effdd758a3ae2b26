"""The real machine: it comes up as given, starts what it is told to, and takes it all down."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from children_kit import until
from display_kit import is_gone, wait_until
from run_kit import desktop_of, machine_of, run, world_of
from windtunnel.errors import WorldError
from windtunnel.ports import Desktop, Processes, ProcessSpec, Records
from windtunnel.units import SECOND
from windtunnel.world import RunEnd
from windtunnel_real.machine import machine
from windtunnel_real.machine.machine import RealFigures
from windtunnel_real.world import RealWorld

AUTOSTART = {"min": SECOND // 2, "max": SECOND // 2}


def test_it_has_all_ports() -> None:
    async def body(world: RealWorld) -> None:
        assert isinstance(world.ports.desktop, Desktop)
        assert isinstance(world.ports.processes, Processes)
        assert isinstance(world.ports.records, Records)

    assert run(world_of(), body) == RunEnd("finished")


@pytest.mark.parametrize("state", ["logged_in", "logged_out", "qr"])
def test_it_comes_up_as_given_and_nothing_is_told_of_that(state: str) -> None:
    async def body(world: RealWorld) -> None:
        seen = await machine_of(world).application.ask("state")
        assert (seen["account"], seen["window"]) == (state, True)
        assert machine_of(world).told.account == state
        assert [event.kind for event in world.trace] == []

    assert run(world_of(state=state), body) == RunEnd("finished")


def test_a_session_may_be_open_from_the_start() -> None:
    async def body(world: RealWorld) -> None:
        assert (await machine_of(world).application.ask("state"))["session"] == "张三"

    assert run(world_of(session="张三"), body) == RunEnd("finished")


def test_without_a_process_there_is_no_window_until_somebody_starts_it() -> None:
    async def body(world: RealWorld) -> None:
        assert not machine_of(world).runs("wechat")
        assert await desktop_of(world).window() is None
        assert not await machine_of(world).kill_all("wechat")
        assert world.ports.processes is not None
        pid = await world.ports.processes.start(ProcessSpec("wechat", ("wechat",)))
        assert machine_of(world).runs("wechat")
        window = await desktop_of(world).wait_window(60)
        assert window is not None
        assert window.pid == pid == machine_of(world).application.pid

    assert run(world_of(running=False), body) == RunEnd("finished")


def test_start_up_is_waited_for_by_a_second_process_alone() -> None:
    async def body(world: RealWorld) -> None:
        loop = asyncio.get_running_loop()
        assert await desktop_of(world).wait_window(0) is not None
        await machine_of(world).kill_all("wechat")
        await until(lambda: not machine_of(world).application.pid)
        began = loop.time()
        await machine_of(world).processes.launch(ProcessSpec("wechat", ("wechat",)))
        assert await desktop_of(world).wait_window(60) is not None
        assert loop.time() - began >= 0.8

    assert run(world_of(start_up=8 * SECOND // 10), body) == RunEnd("finished")


def test_what_is_killed_is_brought_back_by_the_autostart() -> None:
    async def body(world: RealWorld) -> None:
        before = machine_of(world).application.pid
        os.kill(before, signal.SIGKILL)
        await until(lambda: machine_of(world).application.pid not in {0, before})
        assert await desktop_of(world).wait_window(60) is not None

    world = world_of(autostart=AUTOSTART)
    assert run(world, body) == RunEnd("finished")
    killed, started = world.trace.of("process.killed", "process.started")
    assert started.time - killed.time >= SECOND // 4
    assert RealFigures().autostart is not None


def test_friend_requests_come_when_they_are_due() -> None:
    async def body(world: RealWorld) -> None:
        assert world.ports.records is not None
        assert list(await world.ports.records.friend_requests()) == ["bob"]
        asked = world.trace.of
        await until(lambda: [e for e in asked("friend.requested") if e.resource == "eve"])
        assert list(await world.ports.records.friend_requests()) == ["bob", "eve"]

    requests = [{"at": 0, "from": "bob"}, {"at": SECOND, "from": "eve"}]
    assert run(world_of(friend_requests=requests), body) == RunEnd("finished")


def test_what_was_started_ends_with_the_run_whatever_it_is() -> None:
    pids: list[int] = []

    async def body(world: RealWorld) -> None:
        assert world.ports.processes is not None
        stubborn = ("sh", "-c", "trap '' TERM; sleep 1000 & wait")
        pids.append(await world.ports.processes.start(ProcessSpec("stubborn", stubborn)))
        pids.append(await world.ports.processes.start(ProcessSpec("sleep", ("sleep", "1000"))))
        os.kill(pids[1], signal.SIGSTOP)

    assert run(world_of(), body) == RunEnd("finished")
    wait_until(lambda: all(is_gone(pid) for pid in pids), "they are gone")


def test_a_stand_in_that_does_not_come_up_is_told_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, first: bool) -> tuple[str, ...]:
        return ("sh", "-c", "echo no font today >&2; exit 1")

    monkeypatch.setattr(machine, "standin_command", broken)
    monkeypatch.setattr(machine, "OPEN_S", 2.0)

    async def body(_world: RealWorld) -> None:
        raise AssertionError("it never begins")

    with pytest.raises(WorldError, match=r"shows no window after 2 s; it wrote: no font today"):
        run(world_of(), body)


def test_its_files_are_its_users_alone() -> None:
    async def body(world: RealWorld) -> None:
        assert mode(machine_of(world)._files.data) == 0o700

    assert run(world_of(), body) == RunEnd("finished")


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777
