"""Our folders for temporary files: gone when their use is over, and swept later if we were killed.

The name carries the process that a folder belongs to, when that was started and in which namespace
its number counts, so that a folder whose owner is dead can be told from one that is in use,
whatever number is given away again. Imports nothing of the project.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PREFIX: Final = "windtunnel-run"


def make_folder(parent: Path | None = None) -> Path:
    """Make a folder for this user alone, in `parent` or where temporary files lie.

    What dead processes left there is swept first. Raises `OSError`.
    """
    where = Path(tempfile.gettempdir()) if parent is None else parent
    for left in leftovers(where):
        remove_folder(left)
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}-{'-'.join(map(str, _owner()))}-", dir=where))


def remove_folder(folder: Path) -> None:
    """Remove a folder and what is in it, as far as that can be done."""
    shutil.rmtree(folder, ignore_errors=True)


def leftovers(where: Path) -> Iterator[Path]:
    """Yield our folders in `where` whose process is gone; of another namespace nobody can tell."""
    here = _namespace()
    for folder in where.glob(f"{PREFIX}-*-*-*-*"):
        owner = folder.name.removeprefix(f"{PREFIX}-").split("-")[:3]
        if all(part.isdecimal() for part in owner):
            namespace, pid, since = map(int, owner)
            if namespace == here and started(pid) != since:
                yield folder


def started(pid: int) -> int:
    """Return when a process was started, in clock ticks since the boot; 0 when there is none.

    One that has ended is none, though nobody has reaped it: some parents never do.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    state, *numbers = stat.rpartition(")")[2].split()
    return 0 if state in "ZX" else int(numbers[18])


def _owner() -> tuple[int, int, int]:
    return _namespace(), os.getpid(), started(os.getpid())


def _namespace() -> int:
    """Return the number of the namespace in which this process has its number."""
    return Path("/proc/self/ns/pid").stat().st_ino
