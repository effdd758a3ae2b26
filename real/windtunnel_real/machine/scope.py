"""The scope: which processes belong to one display, and which of them live.

Cells that run side by side have a display each, and must not see or end one another's processes.
All is read from /proc. Imports the address of a display.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from windtunnel.units import SECOND
from windtunnel_real.display.address import DisplayAddress

PROC: Final = Path("/proc")
_TICK: Final = SECOND // os.sysconf("SC_CLK_TCK")
"""Nanoseconds of the unit in which the kernel tells a start."""
_DEAD: Final = frozenset("ZXx")
_STATE: Final = 0
_STARTED: Final = 19
"""Places of fields in /proc/PID/stat behind the name."""
_LOCAL: Final = re.compile(r"(?:unix)?:(\d+)(?:\.\d+)?")


@dataclass(frozen=True, slots=True, order=True)
class Running:
    """A live process; the oldest comes first."""

    started: int
    """Nanoseconds since the machine was started, in steps of 10 ms."""
    pid: int
    name: str


class Own(Protocol):
    """What was started from here."""

    def names(self) -> Mapping[int, str]:
        """Return the name that each was started by, by number."""


class Scope:
    """The processes of one display: those told to use it, and `own`.

    What does not let us read its environment is not ours, nor is this process itself; nor, for an
    instant, is what the kernel is just loading, which has a name and no environment. A process has
    the name that the kernel has for it, as for `pgrep -x` (the first 15 bytes, so that a longer
    name finds nothing); one of `own` has besides the name it was started by.
    """

    def __init__(
        self,
        address: DisplayAddress,
        own: Own | None = None,
        proc: Path = PROC,
    ) -> None:
        self._address = address
        self._own = own
        self._proc = proc

    def live(self, name: str) -> list[Running]:
        """Return the live processes of exactly that name, the oldest first."""
        own = self._names()
        found = {pid for pid in own if own[pid] == name}
        found |= {
            pid
            for pid in self._pids()
            if self._name(pid) == name and (pid in own or self._is_ours(pid))
        }
        return sorted(each for pid in found if (each := self._look(pid, name)) is not None)

    def get(self, pid: int) -> Running | None:
        """Return the live process of that number, if it is of this display."""
        own = self._names().get(pid)
        if own is None and not self._is_ours(pid):
            return None
        return self._look(pid, self._name(pid) if own is None else own)

    def _names(self) -> Mapping[int, str]:
        return {} if self._own is None else self._own.names()

    def _pids(self) -> Iterator[int]:
        names = os.listdir(self._proc)  # noqa: PTH208 - hundreds of names, not paths
        return (int(name) for name in names if name.isdecimal())

    def _is_ours(self, pid: int) -> bool:
        told = _variables(self._read(pid, "environ"))
        authority = self._address.authority
        return (
            pid != os.getpid()
            and _display(told.get("DISPLAY", "")) == _display(self._address.name)
            and (authority is None or told.get("XAUTHORITY") == str(authority))
        )

    def _look(self, pid: int, name: str) -> Running | None:
        # The name stands in brackets and may hold some itself.
        fields = self._read(pid, "stat").rpartition(")")[2].split()
        if len(fields) <= _STARTED or fields[_STATE] in _DEAD:
            return None
        return Running(int(fields[_STARTED]) * _TICK, pid, name)

    def _name(self, pid: int) -> str:
        return self._read(pid, "comm").removesuffix("\n")

    def _read(self, pid: int, file: str) -> str:
        """Return what the kernel says of a process; nothing of one that is gone or not ours."""
        try:
            with open(f"{self._proc}/{pid}/{file}", "rb") as opened:  # noqa: PTH123 - a hot path
                return os.fsdecode(opened.read())
        except OSError:
            return ""


def _variables(environ: str) -> dict[str, str]:
    """Return the variables of an environment; of two of one name the first, as programs do."""
    pairs = (each.partition("=") for each in reversed(environ.split("\0")))
    return {name: value for name, _, value in pairs}


def _display(name: str) -> str:
    """Return a display's name without its screen: `:17.0` and `unix:17` are `:17`."""
    local = _LOCAL.fullmatch(name)
    return f":{int(local[1])}" if local else name
