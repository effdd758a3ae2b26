"""The process table: what runs on the simulated machine, from start to reaping.

Imports the trace and the log of accesses. Numbers are never used again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from windtunnel.trace import Trace
from windtunnel_models.access import AccessLog

FIRST_PID: Final = 1000
SIGKILL: Final = 9
SIGTERM: Final = 15

State = Literal["live", "zombie", "reaped"]
STEPS: Final[Mapping[State, State]] = {"live": "zombie", "zombie": "reaped"}
"""State of a process → the one that may follow."""


@dataclass(slots=True, eq=False)
class Process:
    """One process."""

    pid: int
    name: str
    is_child: bool = False
    """Whether its starter has to wait for it: it is a zombie until then."""
    heeds_terminate: bool = True
    state: State = "live"
    status: int = 0
    """The exit status, once it has ended; negative for a signal."""
    on_end: Callable[[Process], None] | None = None
    """Called when it has ended, before everybody else is told."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it has ended."""


Hook = Callable[[Process], None]


def _nothing(_process: Process) -> None:
    """Nobody cares."""


@dataclass(slots=True)
class ProcessTable:
    """The processes by number; `on_start` and `on_end` are told of each, after it is recorded."""

    log: AccessLog
    trace: Trace
    on_start: Hook = _nothing
    on_end: Hook = _nothing
    _processes: dict[int, Process] = field(default_factory=dict)
    _next: int = FIRST_PID

    RESOURCE: ClassVar[str] = "processes"

    def add(self, name: str, *, is_child: bool = False) -> Process:
        """Put a process into the table that has run since before the run began."""
        self.log.report(self.RESOURCE, "write")
        process = Process(self._next, name, is_child)
        self._next += 1
        self._processes[process.pid] = process
        return process

    def start(self, name: str, *, is_child: bool = False) -> Process:
        """Start a process."""
        process = self.add(name, is_child=is_child)
        self._record("process.started", process)
        self.on_start(process)
        return process

    def exit(self, process: Process, status: int = 0) -> None:
        """Let a process end by itself, if it lives."""
        self._end(process, status, "process.exited")

    def signal(self, pid: int, signal: int) -> None:
        """Let a process get SIGKILL or SIGTERM; nothing happens if it does not live or heed it."""
        self.log.report(self.RESOURCE, "write")
        process = self._processes.get(pid)
        if process is not None and (signal == SIGKILL or process.heeds_terminate):
            self._end(process, -signal, "process.killed")

    def reap(self, process: Process) -> int:
        """Take the exit status of a process that is over."""
        self.log.report(self.RESOURCE, "write")
        if process.state == "zombie":
            self._step(process)
            self._record("process.reaped", process)
        return process.status

    def live(self, name: str) -> Iterator[Process]:
        """Iterate over the live processes of a name, the oldest first."""
        self.log.report(self.RESOURCE, "read")
        return (
            each for each in self._processes.values() if each.name == name and each.state == "live"
        )

    def get(self, pid: int) -> Process | None:
        """Return a process that is live or a zombie."""
        self.log.report(self.RESOURCE, "read")
        return self._processes.get(pid)

    def _end(self, process: Process, status: int, kind: str) -> None:
        if process.state != "live":
            return
        self.log.report(self.RESOURCE, "write")
        process.status = status
        self._step(process)
        if not process.is_child:
            self._step(process)  # adopted by the system, which reaps at once
        self._record(kind, process)
        if process.on_end is not None:
            process.on_end(process)
        process.over.set()
        self.on_end(process)

    def _step(self, process: Process) -> None:
        process.state = STEPS[process.state]
        if process.state == "reaped":
            del self._processes[process.pid]

    def _record(self, kind: str, process: Process) -> None:
        self.trace.record(kind, resource=process.name, details={"pid": process.pid})
