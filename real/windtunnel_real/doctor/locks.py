"""Locks and sockets of X servers that are left in /tmp, and servers whose starter is gone.

Nothing of the project depends on them: a server of ours chooses a number that is free. They are
looked at for whoever starts one by number. Imports what a probe saw and the place of the sockets.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from windtunnel_real.doctor.seen import Seen, ok, warn

TEMP: Final = Path("/tmp")  # noqa: S108 - where every X server has its lock
PROC: Final = Path("/proc")
SERVERS: Final = frozenset(
    {"X", "Xorg", "Xvfb", "Xephyr", "Xnest", "Xvnc", "Xtigervnc", "Xwayland"}
)
"""Names of the processes that may hold a lock."""
_NAME: Final = re.compile(r"\.X(\d+)-lock")
_PATIENCE_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock of a display number at which nobody listens."""

    path: Path
    pid: int
    """The process that it names; 0 when it names none."""
    holder: str
    """That process's name; empty when it is gone."""


def dead_locks(temp: Path = TEMP, proc: Path = PROC) -> Iterator[Lock]:
    """Yield the locks whose server does not listen (any more), by their numbers."""
    found = [(match, path) for path in temp.iterdir() if (match := _NAME.fullmatch(path.name))]
    for match, path in sorted(found, key=lambda one: int(one[0][1])):
        if _listens(temp / ".X11-unix" / f"X{match[1]}"):
            continue
        pid = _pid(path)
        holder = _name(proc, pid)
        if holder not in SERVERS:
            yield Lock(path, pid, holder)


def stale(temp: Path = TEMP, proc: Path = PROC) -> Seen:
    """Look for locks whose process is gone."""
    found = [lock for lock in dead_locks(temp, proc) if not lock.holder]
    if not found:
        return ok("none")
    told = ", ".join(f"{lock.path} of process {lock.pid or '?'}, gone" for lock in found)
    return warn(told, _remove(found))


def reused(temp: Path = TEMP, proc: Path = PROC) -> Seen:
    """Look for locks that name a process which is no X server."""
    found = [lock for lock in dead_locks(temp, proc) if lock.holder]
    if not found:
        return ok("none")
    told = ", ".join(f"{lock.path} names {lock.pid}, now {lock.holder}" for lock in found)
    return warn(told, _remove(found))


def orphans(proc: Path = PROC) -> Seen:
    """Look for Xvfb servers that the first process has for a parent."""
    found = [pid for pid, name, parent in _processes(proc) if name == "Xvfb" and parent == 1]
    if not found:
        return ok("none")
    pids = " ".join(map(str, found))
    return warn(f"Xvfb {pids}: the parent is process 1", f"kill {pids}   # if nobody uses them")


def _listens(path: Path) -> bool:
    """Say whether a server listens at that socket file, or at its abstract twin."""
    for place in (str(path), f"\0{path}"):
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(_PATIENCE_S)
            try:
                asking.connect(place)
            except OSError:
                continue
            return True
    return False


def _pid(lock: Path) -> int:
    try:
        return int(lock.read_text(encoding="ascii", errors="replace"))
    except (OSError, ValueError):
        return 0


def _name(proc: Path, pid: int) -> str:
    try:
        return (proc / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _processes(proc: Path) -> Iterator[tuple[int, str, int]]:
    """Yield id, name and parent of each process that can be read."""
    for folder in sorted(proc.glob("[0-9]*"), key=lambda one: int(one.name)):
        try:
            stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it has ended meanwhile
        name, _, rest = stat.partition("(")[2].rpartition(")")
        yield int(folder.name), name, int(rest.split()[1])


def _remove(locks: list[Lock]) -> str:
    return f"rm {' '.join(str(lock.path) for lock in locks)}"
