"""An end: how a program that was started is ended and reaped, and what it left to be read.

Imports the start.
"""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Final

from windtunnel_real.programs.starting import Started

_PATIENCE: Final = 2.0
_TAIL_BYTES: Final = 16384
_TAIL_LINES: Final = 8


def end_program(program: Started, *, patience: float = _PATIENCE) -> None:
    """Ask a program to end, kill it after `patience` seconds, and reap it.

    One that is stopped (SIGSTOP) is woken to hear it.
    """
    for number in (signal.SIGTERM, signal.SIGCONT):
        program.send_signal(number)
    try:
        program.wait(patience)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()


def how_it_ended(program: Started) -> str:
    """Say in words how a program ended, or that it has not."""
    code = program.poll()
    if code is None:
        return "it still runs"
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def last_lines(errors: Path, *, without: tuple[str, ...] = ()) -> str:
    """Return the last lines of an error output, few enough for a message; none when it is gone.

    Lines that end as one in `without` are left out.
    """
    try:
        with errors.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    lines = [line for line in text.splitlines() if not (without and line.endswith(without))]
    return "\n".join(lines[-_TAIL_LINES:])
