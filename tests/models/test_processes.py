"""SimProcesses: found by name, ended once, waited for; numbers are never used again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.canonical import check_event
from windtunnel.ports import Processes, ProcessSpec
from windtunnel.trace import Event, Trace
from windtunnel_models import run as run_simulated
from windtunnel_models.access import AccessLog, Mode
from windtunnel_models.processes import FIRST_PID, SimProcesses

WECHAT = ProcessSpec("wechat", ("wechat",))


def play(
    body: Callable[[SimProcesses], Coroutine[Any, Any, None]], log: AccessLog | None = None
) -> list[Event]:
    trace = Trace(lambda: round(asyncio.get_running_loop().time() * 1e9))
    run_simulated(body(SimProcesses(trace, log or AccessLog(), ("wechat", "xvfb"))))
    for event in trace:
        check_event(event)
    return list(trace)


def test_is_the_port() -> None:
    assert isinstance(SimProcesses(Trace(lambda: 0), AccessLog()), Processes)


def test_what_runs_at_the_start_is_found_by_its_exact_name() -> None:
    async def body(processes: SimProcesses) -> None:
        assert await processes.find("wechat") == [FIRST_PID]
        assert await processes.find("xvfb") == [FIRST_PID + 1]
        assert await processes.find("we") == []
        another = await processes.start(WECHAT)
        assert await processes.find("wechat") == [FIRST_PID, another]

    events = play(body)
    assert [(event.kind, event.resource) for event in events] == [("process.started", "wechat")]


@pytest.mark.parametrize("way", ["terminate", "kill"])
def test_ending_happens_once_and_what_is_not_there_is_let_be(way: str) -> None:
    async def body(processes: SimProcesses) -> None:
        end = getattr(processes, way)
        await end(FIRST_PID)
        await end(FIRST_PID)
        await end(99)
        assert await processes.find("wechat") == []

    events = play(body)
    assert [(event.kind, event.details) for event in events] == [
        ("process.killed", {"pid": FIRST_PID})
    ]


@pytest.mark.parametrize(
    ("killed_at", "timeout", "exited", "until"),
    [(1, 5, True, 1), (5, 1, False, 1), (None, 0, False, 0), (0, 0, True, 0), (0, 5, True, 0)],
)
def test_waiting_for_an_end(
    killed_at: float | None, timeout: float, exited: bool, until: float
) -> None:
    async def body(processes: SimProcesses) -> None:
        loop = asyncio.get_running_loop()
        killing = None
        if killed_at == 0:
            await processes.kill(FIRST_PID)
        elif killed_at is not None:
            killing = asyncio.ensure_future(kill_at(processes, killed_at))
        waits = [processes.wait_exit(FIRST_PID, timeout) for _ in range(2)]
        assert await asyncio.gather(*waits) == [exited, exited]
        assert loop.time() == until
        if killing is not None:
            await killing

    play(body)


async def kill_at(processes: SimProcesses, seconds: float) -> None:
    await asyncio.sleep(seconds)
    await processes.kill(FIRST_PID)


@given(st.lists(st.booleans(), max_size=20))
def test_numbers_are_never_used_again(starts: list[bool]) -> None:
    async def body(processes: SimProcesses) -> None:
        seen = {FIRST_PID, FIRST_PID + 1}
        for start in starts:
            if start:
                pid = await processes.start(WECHAT)
                assert pid not in seen
                seen.add(pid)
            elif running := await processes.find("wechat"):
                await processes.terminate(running[0])

    play(body)


def test_each_step_reports_its_access() -> None:
    log = AccessLog()
    seen: list[tuple[str, Mode]] = []
    log.listener = lambda resource, mode: seen.append((resource, mode))

    async def body(processes: SimProcesses) -> None:
        await processes.find("wechat")
        await processes.start(WECHAT)
        await processes.terminate(FIRST_PID)
        await processes.kill(FIRST_PID)
        await processes.wait_exit(FIRST_PID, 1)

    play(body, log)
    modes: list[Mode] = ["read", "write", "write", "write", "read"]
    assert seen == [("processes", mode) for mode in modes]
