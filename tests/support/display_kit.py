"""What tests of a real display share: waiting, stopping a process, a client, false programs.

In a folder on the path, since test modules cannot import one another.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from Xlib.display import Display

from windtunnel_real.display.address import DisplayAddress, as_environment

PATIENCE: Final = 60.0
"""Seconds after which a condition that has to come true never will, on a machine under load."""


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Wait until a condition holds; `what` is said when it does not."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"in vain: {what}"
        time.sleep(0.002)


def state_of(pid: int) -> str:
    """Give the state letter of a process, as /proc has it; none when there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_gone(pid: int) -> bool:
    """Say whether a process has ended, reaped or not."""
    return state_of(pid) in ("", "Z", "X")


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Hold a process with SIGSTOP: it is there, and does nothing."""
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_until(lambda: state_of(pid) == "T", f"process {pid} stops")
        yield
    finally:
        if not is_gone(pid):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def client(address: DisplayAddress) -> Iterator[Any]:
    """Connect to a display as a program would, with python-xlib."""
    with as_environment(address):
        display = Display()
    try:
        yield display
    finally:
        display.close()


def false_program(folder: Path, name: str, script: str) -> Path:
    """Write a shell script that passes for a program; put its folder first on the PATH."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def run_python(code: str, *arguments: str, before: tuple[str, ...] = ()) -> str:
    """Run code in an interpreter of its own that finds what this one does; give what it prints."""
    done = subprocess.run(
        [*before, sys.executable, "-W", "error", "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def own_mounts() -> tuple[str, ...]:
    """Give the command that runs another with mounts and abstract sockets of its own.

    Needs root or user namespaces; a machine that has neither reports the test as not run.
    """
    for flags in ("-mn", "-rmn"):
        command = ("unshare", flags)
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    pytest.skip("NOT RUN: this machine lets us have no namespace (unshare -rmn true)")
