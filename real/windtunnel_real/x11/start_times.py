"""Start times of processes: with its number what a process is told apart by. Imports nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_NS: Final = 1_000_000_000
_STARTTIME: Final = 19
"""Field 22 of proc_pid_stat(5), counted from 0 behind the name and its closing bracket."""


def started_ns(pid: int) -> int:
    """Return when a process was started, in nanoseconds since the machine was; 0 if it is gone.

    Its resolution is a clock tick (10 ms).
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    ticks = int(stat.rpartition(")")[2].split()[_STARTTIME])
    return ticks * _NS // os.sysconf("SC_CLK_TCK")
