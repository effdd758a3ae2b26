"""One xdotool kept open: in order, each command acknowledged, and started again when it is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from receiver_kit import Receiver, receiver
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.xdotool import Runner, XdotoolDriver
from windtunnel_real.drivers.xdotool_pipe import XdotoolPipe, pipe_driver
from windtunnel_real.errors import DeadlineError, InputError
from xdotool_kit import PATIENCE_S, SHORT_S, children, runs, stopped

KEY = ("key", "--delay", "0", "--window", "0", "a")


@pytest.fixture(scope="module")
def module_box(xvfb: Xvfb) -> Iterator[Receiver]:
    with receiver(xvfb.address) as made:
        yield made


@pytest.fixture
def box(module_box: Receiver) -> Receiver:
    module_box.take()
    return module_box


def test_one_process_for_all_and_none_before_the_first(box: Receiver) -> None:
    async def use() -> set[int | None]:
        pipe = XdotoolPipe(box.address)
        runner: Runner = pipe
        assert pipe.pid is None
        pids: set[int | None] = set()
        for _ in range(50):
            await runner.run(KEY, timeout=PATIENCE_S)
            pids.add(pipe.pid)
            assert children("xdotool") == {pipe.pid}
        await runner.close()
        await runner.close()
        return pids

    assert len(asyncio.run(use())) == 1
    assert box.take() == "a" * 50
    assert not children("xdotool")


def test_each_command_has_its_own_output_and_complaints(box: Receiver) -> None:
    async def use() -> None:
        pipe = XdotoolPipe(box.address)
        for number in range(20):
            wrong = await pipe.run((f"nothing{number}",), timeout=PATIENCE_S)
            right = await pipe.run(("getwindowfocus", "-f"), timeout=PATIENCE_S)
            assert f"Unknown command: nothing{number}\n" in wrong.complaints
            assert (right.output, right.complaints, right.ended) == (f"{box.id}\n", "", "")
        await pipe.close()

    asyncio.run(use())


def test_many_at_once_are_done_one_after_the_other(box: Receiver) -> None:
    async def use() -> None:
        driver = pipe_driver(box.address)
        texts = [f"<{number:03}>" for number in range(50)]
        await asyncio.gather(*(driver.type_keys(text, timeout=PATIENCE_S) for text in texts))
        await driver.close()
        assert box.take() == "".join(texts)

    asyncio.run(use())


def test_one_that_died_between_two_commands_is_started_again(box: Receiver) -> None:
    async def use() -> None:
        pipe = XdotoolPipe(box.address)
        for number in range(20):
            await pipe.run(KEY, timeout=PATIENCE_S)
            assert pipe.pid is not None
            os.kill(pipe.pid, signal.SIGKILL)
            # Noticed by the loop or not: it was told nothing, so nothing can be lost or done twice.
            while runs(pipe.pid):
                time.sleep(0.001)  # noqa: ASYNC251 - the loop is not to notice
            if number % 2:
                opened = pipe._open
                assert opened is not None
                await opened.process.wait()
        await pipe.run(KEY, timeout=PATIENCE_S)
        await pipe.close()

    asyncio.run(use())
    assert box.take() == "a" * 21
    assert not children("xdotool")


def test_one_that_dies_in_the_middle_is_told_and_started_again(box: Receiver) -> None:
    async def use() -> None:
        pipe = XdotoolPipe(box.address)
        driver = XdotoolDriver("xdotool-pipe", pipe, delay_ms=0)
        await driver.key("b", timeout=PATIENCE_S)
        assert pipe.pid is not None
        with stopped(pipe.pid):
            task = asyncio.ensure_future(driver.key("c", timeout=PATIENCE_S))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            os.kill(pipe.pid, signal.SIGKILL)
            with pytest.raises(InputError, match=r"signal 9.*not known"):
                await task
        await driver.key("d", timeout=PATIENCE_S)
        await driver.close()

    asyncio.run(use())
    assert box.take() == "bd"
    assert not children("xdotool")


@pytest.mark.parametrize("cancel", [False, True])
def test_one_that_hangs_is_killed_and_what_waits_behind_is_done(
    box: Receiver, cancel: bool
) -> None:
    async def use() -> None:
        pipe = XdotoolPipe(box.address)
        await pipe.run(KEY, timeout=PATIENCE_S)
        limit = PATIENCE_S if cancel else SHORT_S
        task = asyncio.ensure_future(pipe.run(("sleep", "3600"), timeout=limit))
        await asyncio.sleep(0)
        behind = asyncio.ensure_future(pipe.run(KEY, timeout=PATIENCE_S))
        await asyncio.sleep(0)
        if cancel:
            task.cancel()
        with pytest.raises(asyncio.CancelledError if cancel else DeadlineError):
            await task
        await behind
        assert children("xdotool") == {pipe.pid}
        await pipe.close()

    asyncio.run(use())
    assert box.take() == "aa"
    assert not children("xdotool")


def test_who_waits_behind_one_that_hangs_has_a_deadline_too(box: Receiver) -> None:
    async def use() -> None:
        pipe = XdotoolPipe(box.address)
        task = asyncio.ensure_future(pipe.run(("sleep", "3600"), timeout=PATIENCE_S))
        await asyncio.sleep(0)
        with pytest.raises(DeadlineError):
            await pipe.run(KEY, timeout=SHORT_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await pipe.close()

    asyncio.run(use())
    assert box.take() == ""


def test_complaints_that_nobody_reads_block_nobody(box: Receiver, tmp_path: Path) -> None:
    fake = tmp_path / "xdotool"
    fake.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('getmouse'):\n"
        "        print(line.split()[-1] + 'WINDOW=1', flush=True)\n"
        "    else:\n"
        "        sys.stderr.write('x' * 300_000)\n"
        "        sys.stderr.flush()\n"
    )
    fake.chmod(0o755)

    async def use() -> None:
        pipe = XdotoolPipe(box.address, program=str(fake))
        for _ in range(3):
            said = await pipe.run(KEY, timeout=PATIENCE_S)
            assert said.complaints == "x" * 300_000
        await pipe.close()

    asyncio.run(use())


def test_nothing_is_left_open(box: Receiver) -> None:
    async def use() -> None:
        for _ in range(5):
            pipe = XdotoolPipe(box.address)
            await pipe.run(KEY, timeout=PATIENCE_S)
            await pipe.close()

    asyncio.run(use())
    before = len(list(Path("/proc/self/fd").iterdir()))
    asyncio.run(use())
    assert len(list(Path("/proc/self/fd").iterdir())) == before


ORPHANER = """
import asyncio, sys
from pathlib import Path
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.xdotool_pipe import XdotoolPipe

async def main():
    pipe = XdotoolPipe(DisplayAddress(sys.argv[1], Path(sys.argv[2])))
    await pipe.run(("getmouselocation",), timeout=60)
    task = asyncio.ensure_future(pipe.run(("sleep", "3600"), timeout=3600))
    await asyncio.sleep(0)
    print(pipe.pid, flush=True)
    await task

asyncio.run(main())
"""


def test_it_ends_with_its_parent_even_when_it_hangs(box: Receiver) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", ORPHANER, box.address.name, str(box.address.authority)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + PATIENCE_S
    while runs(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not runs(pid)
