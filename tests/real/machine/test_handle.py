"""ProcessHandle: that process and no other, watched by the loop, closed once."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess

import pytest

from children_kit import PATIENCE, SLEEP, by_hand, nobodys_display
from windtunnel_real.machine.handle import ProcessHandle


def test_there_is_none_for_a_process_that_is_gone() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    with pytest.raises(ProcessLookupError):
        ProcessHandle(process.pid)


def test_a_signal_reaches_the_process_and_nobody_once_it_is_gone() -> None:
    with by_hand(nobodys_display()) as process:
        handle = ProcessHandle(process.pid)
        assert not handle.over()
        handle.signal(signal.SIGTERM)
        assert handle.over(PATIENCE)
        assert process.wait() == -signal.SIGTERM
        handle.signal(signal.SIGKILL)
        assert handle.over()
        handle.close()


def test_how_a_child_ended_is_told_before_it_is_reaped() -> None:
    process = subprocess.Popen(["sh", "-c", "exit 7"])
    handle = ProcessHandle(process.pid)
    assert handle.over(PATIENCE)
    for _ in range(2):
        found = handle.look(os.WEXITED)
        assert found is not None
        assert (found.si_pid, found.si_code, found.si_status) == (process.pid, os.CLD_EXITED, 7)
    handle.close()
    assert process.wait() == 7


def test_a_child_that_runs_has_nothing_to_tell() -> None:
    with by_hand(nobodys_display()) as process:
        handle = ProcessHandle(process.pid)
        assert handle.look(os.WEXITED) is None
        handle.close()


def test_the_loop_tells_of_an_end_once() -> None:
    calls: list[int] = []

    async def main(process: subprocess.Popen[bytes]) -> None:
        handle = ProcessHandle(process.pid)
        over = asyncio.Event()

        def ended() -> None:
            calls.append(process.pid)
            over.set()

        handle.on_end(ended)
        process.kill()
        async with asyncio.timeout(PATIENCE):
            await over.wait()
        await asyncio.sleep(0.01)
        handle.close()

    with by_hand(nobodys_display()) as process:
        asyncio.run(main(process))
        assert calls == [process.pid]


@pytest.mark.parametrize("killed", [True, False])
def test_waiting_for_an_end_has_a_deadline(killed: bool) -> None:
    async def main(process: subprocess.Popen[bytes]) -> bool:
        handle = ProcessHandle(process.pid)
        if killed:
            process.kill()
        wait = PATIENCE if killed else 0.02
        try:
            return await handle.ended(asyncio.get_running_loop().time() + wait)
        finally:
            handle.close()

    with by_hand(nobodys_display()) as process:
        assert asyncio.run(main(process)) is killed


def test_one_that_is_closed_does_nothing_and_holds_nothing() -> None:
    before = set(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names
    with by_hand(nobodys_display(), SLEEP) as process:
        handle = ProcessHandle(process.pid)
        handle.close()
        handle.close()
        handle.signal(signal.SIGKILL)
        assert handle.over()
        assert process.poll() is None
        assert set(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208 - names
