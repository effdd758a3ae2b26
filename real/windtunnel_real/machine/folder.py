"""The folder of a run: its temporary files, gone with it, and swept later if it was killed.

Its name carries the process it belongs to and when that was started, so that a folder whose owner
is dead can be told from one that is in use, whatever number is given away again. Imports nothing
of the project.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PREFIX: Final = "windtunnel-run"


def make_folder() -> Path:
    """Make a folder for this process's run, for its user alone; sweep what others left behind."""
    for left in leftovers():
        shutil.rmtree(left, ignore_errors=True)
    pid = os.getpid()
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}-{pid}-{started(pid)}-"))


def leftovers() -> Iterator[Path]:
    """Yield the folders of runs whose process is gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}-*-*-*"):
        owner = folder.name.removeprefix(f"{PREFIX}-").split("-")[:2]
        if all(part.isdigit() for part in owner) and started(int(owner[0])) != int(owner[1]):
            yield folder


def started(pid: int) -> int:
    """Return when a process was started, in clock ticks since the boot; 0 when there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[19])
