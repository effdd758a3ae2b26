"""A start: what is started ends with the process, not with the thread, that started it."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from children_kit import PATIENCE, SLEEP, lives, status, until
from display_kit import is_gone, run_python, wait_until
from windtunnel_real.errors import MissingProgramError
from windtunnel_real.programs.ending import end_program
from windtunnel_real.programs.starting import Started, start_program

HERE = dict(os.environ)
FOUND_HERE = HERE | {"PYTHONPATH": os.pathsep.join(sys.path)}


@contextmanager
def started(*argv: str, held: bool = False) -> Iterator[Started]:
    process = start_program(argv, HERE, held=held)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_it_outlives_the_thread_that_asked_for_it() -> None:
    programs: list[Started] = []
    thread = threading.Thread(target=lambda: programs.append(start_program(SLEEP, HERE)))
    thread.start()
    thread.join()
    (program,) = programs
    try:
        comm = Path(f"/proc/{program.pid}/comm")
        wait_until(lambda: comm.read_text() == "sleep\n", "the program itself runs")
        assert program.poll() is None
    finally:
        end_program(program)


def test_a_session_of_its_own_keeps_the_terminals_signals_away() -> None:
    with started(*SLEEP) as process:
        assert os.getsid(process.pid) == process.pid != os.getsid(0)


def test_one_that_is_held_takes_no_step_until_it_may(tmp_path: Path) -> None:
    async def main() -> None:
        with started("touch", str(tmp_path / "stepped"), held=True) as process:
            await until(lambda: status(process.pid).get("State", "")[:1] == "T")
            process.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.05)
            assert not (tmp_path / "stepped").exists()
            assert lives(process.pid)
        with started("touch", str(tmp_path / "stepped"), held=True) as process:
            await until(lambda: status(process.pid).get("State", "")[:1] == "T")
            process.send_signal(signal.SIGCONT)
            assert await asyncio.to_thread(process.wait, PATIENCE) == 0
            assert (tmp_path / "stepped").exists()

    asyncio.run(main())


def test_what_it_writes_goes_where_it_is_told_and_files_are_passed_on(tmp_path: Path) -> None:
    heard, said = os.pipe()
    script = f"echo out; echo err >&2; echo more >/dev/fd/{said}"
    with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
        program = start_program(
            ["sh", "-c", script],
            HERE,
            stdout=out.fileno(),
            stderr=err.fileno(),
            pass_fds=[said],
        )
    os.close(said)
    with open(heard) as pipe:  # noqa: PTH123 - it has no path
        assert pipe.read() == "more\n"
    assert program.wait(PATIENCE) == 0
    assert (tmp_path / "out").read_text() + (tmp_path / "err").read_text() == "out\nerr\n"


PARENT = """
import os
from windtunnel_real.programs.starting import start_program
pids = [start_program(["sleep", "1000"], dict(os.environ), held=held).pid for held in (0, 1)]
print(*pids, flush=True)
input()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None])
def test_nothing_outlives_its_process_whatever_ends_that(how: signal.Signals | None) -> None:
    """One that runs and one that is stopped: neither can be asked, both are gone."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        env=FOUND_HERE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        comm = Path(f"/proc/{pids[0]}/comm")
        wait_until(lambda: comm.read_text() == "sleep\n", "the program itself runs")
        assert [lives(pid) for pid in pids] == [True, True]
        if how is None:
            parent.stdin.close()
        else:
            parent.send_signal(how)
        parent.wait(PATIENCE)
    wait_until(lambda: all(is_gone(pid) for pid in pids), "they end with their parent")


FORKING = """
import os, warnings
from windtunnel_real.programs.ending import end_program
from windtunnel_real.programs.starting import start_program
def play():
    program = start_program(["sleep", "1000"], dict(os.environ))
    end_program(program)
    return program.returncode
assert play() == -15
warnings.simplefilter("ignore")
forked = os.fork()
if not forked:
    os._exit(0 if play() == -15 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]) == 0
"""


def test_a_fork_starts_programs_of_its_own() -> None:
    run_python(FORKING)


def test_what_cannot_be_started_is_raised_where_it_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(MissingProgramError):
        start_program(["no-such"], HERE)
    with pytest.raises(OSError, match="file descriptor"):
        start_program(SLEEP, HERE, stdout=10**6)
    with started(*SLEEP) as process:  # and the thread that starts them goes on
        assert lives(process.pid)


def test_one_that_nobody_waits_for_any_more_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asked is interrupted between the start and its answer."""
    pids: list[int] = []
    goes_on = threading.Event()
    real = subprocess.Popen

    def slow(*args: object, **named: object) -> object:
        process = real(*args, **named)  # type: ignore[call-overload] # passed on
        pids.append(process.pid)
        goes_on.wait(PATIENCE)
        return process

    monkeypatch.setattr(subprocess, "Popen", slow)
    asks = threading.Thread(target=_ask)
    asks.start()
    wait_until(lambda: pids, "it is started")
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(asks.ident or 0), ctypes.py_object(KeyboardInterrupt)
    )
    goes_on.set()
    asks.join(PATIENCE)
    wait_until(lambda: is_gone(pids[0]), "it is ended")


def _ask() -> None:
    try:
        start_program(SLEEP, HERE)
        time.sleep(PATIENCE)
    except KeyboardInterrupt:
        return
