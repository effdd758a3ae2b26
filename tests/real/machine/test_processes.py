"""RealProcesses: found by name, ended, started, waited for; a program of the world runs once."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from children_kit import (
    PATIENCE,
    SLEEP,
    STUBBORN,
    Site,
    by_hand,
    lives,
    named,
    nobodys_display,
    play,
    python,
    site,
    soon,
    status,
    until,
)
from windtunnel.errors import BridgeError, WorldError
from windtunnel.machine import commands
from windtunnel.ports import Processes, ProcessSpec
from windtunnel.units import SECOND
from windtunnel_real.machine import processes as module

WECHAT = ProcessSpec("wechat", ("wechat",))
XVFB = ProcessSpec("xvfb", SLEEP)
NEVER = 2**22 + 1
"""A number that no process of Linux has."""


def test_is_the_port() -> None:
    assert isinstance(site().processes, Processes)


def test_what_runs_is_found_by_its_exact_name() -> None:
    async def body(site: Site) -> None:
        of = site.processes
        wechat = await of.start(WECHAT)
        assert await of.find("wechat") == [wechat]
        assert await of.find("we") == []
        first, second = await of.start(XVFB), await of.start(XVFB)
        assert sorted(await of.find("xvfb")) == sorted([first, second])

    play(body)


@pytest.mark.parametrize(("way", "code"), [("terminate", -15), ("kill", -9)])
def test_a_signal_works_as_it_is_sent(way: str, code: int) -> None:
    seen: list[int] = []

    async def body(site: Site) -> None:
        seen.append(pid := await site.processes.start(XVFB))
        child = site.children.get(pid)
        assert child is not None
        await until(lambda: (status(pid)["Name"]) == "sleep")
        for each in (pid, pid, NEVER):
            await getattr(site.processes, way)(each)
        assert await site.processes.find("xvfb") == []
        assert child.status == code
        assert [kind for kind, _, _ in site.told] == ["started", "killed"]

    assert play(body).told == [("started", "xvfb", seen[0]), ("killed", "xvfb", seen[0])]


def test_one_that_is_stopped_can_be_killed() -> None:
    async def body(site: Site) -> None:
        pid = await site.processes.start(XVFB)
        os.kill(pid, signal.SIGSTOP)
        await until(lambda: status(pid)["State"].startswith("T"))
        await site.processes.kill(pid)
        assert await site.processes.find("xvfb") == []
        assert site.told[-1] == ("killed", "xvfb", pid)

    play(body)


def test_asking_one_that_does_not_heed_it_ends_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "END_NOTED_S", 0.05)

    async def body(site: Site) -> None:
        pid = await site.processes.start(ProcessSpec("app", ("sh", "-c", STUBBORN)))
        await until(lambda: int(status(pid)["SigIgn"], 16) & (1 << signal.SIGTERM - 1))
        await site.processes.terminate(pid)
        assert await site.processes.find("app") == [pid]
        assert site.commands[1] == ("terminate", "processes", "done")
        monkeypatch.setattr(module, "END_NOTED_S", PATIENCE)
        await site.processes.kill(pid)
        assert await site.processes.find("app") == []

    play(body)


def test_a_program_of_the_world_is_not_started_twice() -> None:
    async def body(site: Site) -> None:
        pid = await site.processes.start(WECHAT)
        assert site.shown == []
        assert await site.processes.start(WECHAT) == pid
        assert await site.processes.launch(WECHAT) == pid
        assert len(site.shown) == 2
        assert site.told == [("started", "wechat", pid)]
        await site.processes.kill(pid)
        again = await asyncio.gather(*(site.processes.start(WECHAT) for _ in range(5)))
        assert len(set(again)) == 1
        assert again[0] != pid
        assert len(site.shown) == 6

    play(body)


def test_nor_beside_one_that_somebody_started_by_hand(tmp_path: Path) -> None:
    async def body(site: Site) -> None:
        with by_hand(site.address, named(tmp_path, "wechat")) as process:
            assert await site.processes.start(WECHAT) == process.pid
        assert site.told == []
        assert len(site.shown) == 1

    play(body)


@pytest.mark.parametrize(
    ("killed_after", "timeout", "exited"),
    [(0.05, PATIENCE, True), (None, 0.05, False), (0, PATIENCE, True), (PATIENCE, 0.02, False)],
)
def test_waiting_for_an_end(killed_after: float | None, timeout: float, exited: bool) -> None:
    async def body(site: Site) -> None:
        pid = await site.processes.start(XVFB)
        if killed_after is not None:
            asyncio.get_running_loop().call_later(killed_after, os.kill, pid, signal.SIGKILL)
        waits = [site.processes.wait_exit(pid, timeout) for _ in range(2)]
        assert await asyncio.gather(*waits) == [exited, exited]
        assert lives(pid) is not exited

    play(body)


def test_waiting_for_what_is_gone_or_never_was_is_over_at_once() -> None:
    async def body(site: Site) -> None:
        pid = await site.processes.start(XVFB)
        await site.processes.kill(pid)
        for each in (pid, NEVER, 0, -1):
            assert await site.processes.wait_exit(each, PATIENCE)

    play(body)


def test_waiting_for_a_program_that_is_over_and_not_yet_reaped() -> None:
    async def body(site: Site) -> None:
        program = await site.processes.run(ProcessSpec("true", ("true",)))
        await program.output()
        assert await site.processes.wait_exit(program.pid, 0.0)
        await program.wait()

    play(body)


@pytest.mark.parametrize("on_it", [True, False], ids=["on the display", "elsewhere"])
@pytest.mark.parametrize("killed", [True, False])
def test_waiting_for_one_that_somebody_else_started(on_it: bool, killed: bool) -> None:
    async def body(site: Site) -> None:
        address = site.address if on_it else nobodys_display()
        with by_hand(address) as process:
            if killed:
                asyncio.get_running_loop().call_later(0.02, process.kill)
            timeout = PATIENCE if killed else 0.02
            assert await site.processes.wait_exit(process.pid, timeout) is killed
            told = [("exited", "sleep", process.pid)] if killed and on_it else []
            assert site.told == told

    play(body)


def test_one_on_the_display_is_ended_whoever_started_it_and_that_is_noted() -> None:
    async def body(site: Site) -> None:
        with by_hand(site.address) as process:
            assert await site.processes.find("sleep") == [process.pid]
            await site.processes.kill(process.pid)
            assert await site.processes.find("sleep") == []
            assert process.wait() == -9
            assert site.told == [("killed", "sleep", process.pid)]
            assert site.calls == [("end", "sleep", process.pid)]

    play(body)


@pytest.mark.parametrize("way", ["kill", "terminate"])
def test_nothing_outside_is_ever_sent_a_signal(way: str) -> None:
    async def body(site: Site) -> None:
        with by_hand(nobodys_display()) as process:
            for pid in (process.pid, os.getpid(), os.getppid(), 1, 0, -1):
                await getattr(site.processes, way)(pid)
            assert lives(process.pid)
        assert [end[2] for end in site.commands] == ["done"] * 6

    assert play(body).told == []


def test_a_neighbours_processes_are_neither_found_nor_ended() -> None:
    """Two cells in one process, as two workers have them."""

    async def body(here: Site) -> None:
        there = site()
        try:
            ours = await here.processes.start(WECHAT)
            theirs = await there.processes.start(WECHAT)
            assert await here.processes.find("wechat") == [ours]
            assert await there.processes.find("wechat") == [theirs]
            await here.processes.kill(theirs)
            assert lives(theirs)
            await here.processes.kill(ours)
            assert await there.processes.find("wechat") == [theirs]
        finally:
            there.children.stop_all()

    play(body)


def test_a_number_that_another_process_has_by_now_means_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernel would have to go once round its numbers: here `find` saw an older process."""

    async def body(site: Site) -> None:
        ours = await site.processes.start(XVFB)
        with by_hand(site.address) as process:
            assert set(await site.processes.find("sleep")) >= {process.pid}
            await site.processes.find("xvfb")
            site.processes._seen = {pid: then - 1 for pid, then in site.processes._seen.items()}
            for pid in (ours, process.pid):
                await site.processes.kill(pid)
                assert lives(pid)
                assert await site.processes.wait_exit(pid, PATIENCE)

    play(body)


def test_a_program_that_is_missing_ends_the_run_with_the_way_to_it() -> None:
    async def body(site: Site) -> None:
        spec = ProcessSpec("scrot", ("scrot-that-is-not-here",), "display")
        for call in (site.processes.start, site.processes.run):
            with pytest.raises(WorldError, match="scrot-that-is-not-here on the PATH: install"):
                await call(spec)
        assert site.commands == [("start", "processes", "failed"), ("run", "display", "failed")]

    assert play(body).told == []


def test_every_call_is_a_command_on_the_processes() -> None:
    async def body(site: Site) -> None:
        await site.processes.start(WECHAT)
        (pid,) = await site.processes.find("wechat")
        await site.processes.terminate(pid)
        await site.processes.kill(pid)
        await site.processes.wait_exit(pid, PATIENCE)

    names = ("start", "find", "terminate", "kill", "wait_exit")
    assert play(body).commands == [(name, "processes", "done") for name in names]


@pytest.mark.parametrize("how", [{"code": "STOPPED"}, {"hangs": True}])
def test_what_a_fault_breaks_has_no_effect(
    how: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "COMMAND_BOUND_S", 0.05)
    monkeypatch.setattr(commands.Command.take, "__defaults__", (None, 0.05))

    async def body(site: Site) -> None:
        pid = await site.processes.start(WECHAT)
        site.lay("kill", "start", **how)
        for call in (site.processes.kill(pid), site.processes.start(XVFB)):
            with pytest.raises(BridgeError, match=str(how.get("code", "TIMEOUT"))):
                await call
        assert await site.processes.find("wechat") == [pid]

    played = play(body)
    assert [kind for kind, _, _ in played.told] == ["started"]
    assert [end[2] for end in played.commands] == ["done", "failed", "failed", "done"]


def test_a_slow_kill_is_sent_at_once() -> None:
    async def body(site: Site) -> None:
        pid = await site.processes.start(WECHAT)
        site.lay("kill", slower=SECOND // 5)
        began = time.monotonic_ns()
        await site.processes.kill(pid)
        assert time.monotonic_ns() - began >= SECOND // 5

    times = {event.kind: event.time for event in play(body).trace}
    assert times["command.ended"] - times["process.killed"] >= SECOND // 10


def test_a_command_takes_the_time_that_a_scenario_gives_it() -> None:
    async def body(site: Site) -> None:
        await site.processes.start(WECHAT)

    by_kind = {event.kind: event for event in play(body, start=SECOND // 10).trace}
    began = by_kind["command.started"].time
    assert by_kind["process.started"].time - began >= SECOND // 10


def test_a_wait_that_hangs_ends_at_its_own_bound() -> None:
    async def body(site: Site) -> None:
        site.lay("wait_exit", hangs=True)
        assert not await site.processes.wait_exit(NEVER, 0.02)

    play(body)


CELL = """
import asyncio, sys
sys.path[:0] = sys.argv[1:]
from children_kit import site
from windtunnel.ports import ProcessSpec

async def main():
    here = site()
    await here.processes.start(ProcessSpec("wechat", ()))
    program = await here.processes.run(ProcessSpec("app", ("sleep", "1000")))
    print(*(await here.processes.find("wechat")), program.pid, flush=True)
    await asyncio.sleep(1000)

asyncio.run(main())
"""


def test_a_run_that_is_killed_leaves_nothing() -> None:
    with subprocess.Popen(python(CELL) + tuple(sys.path), stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        pids = [int(pid) for pid in run.stdout.readline().split()]
        assert [lives(pid) for pid in pids] == [True, True]
        run.kill()
    soon(lambda: not any(lives(pid) for pid in pids))
