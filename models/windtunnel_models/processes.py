"""The processes of the simulated machine: found, ended and started by name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from windtunnel.ports import ProcessSpec
from windtunnel.trace import Trace
from windtunnel.units import from_seconds
from windtunnel_models.access import AccessLog

RESOURCE: Final = "processes"
FIRST_PID: Final = 1000


class SimProcesses:
    """A table of live processes; numbers are never used again."""

    def __init__(self, trace: Trace, accesses: AccessLog, running: Sequence[str] = ()) -> None:
        self._trace = trace
        self._accesses = accesses
        self._next = FIRST_PID
        self._names: dict[int, str] = {}
        self._ended: dict[int, asyncio.Event] = {}
        for name in running:
            self._add(name)

    def _add(self, name: str) -> int:
        pid = self._next
        self._next += 1
        self._names[pid] = name
        return pid

    async def find(self, name: str) -> Sequence[int]:
        """Return the numbers of the live processes of that name, the oldest first."""
        self._accesses.report(RESOURCE, "read")
        return [pid for pid, running in self._names.items() if running == name]

    async def terminate(self, id: int) -> None:  # noqa: A002 - the port's published name
        """End a process; the simulated WeChat obeys SIGTERM at once."""
        self._end(id)

    async def kill(self, id: int) -> None:  # noqa: A002 - the port's published name
        """End a process at once."""
        self._end(id)

    def _end(self, pid: int) -> None:
        self._accesses.report(RESOURCE, "write")
        name = self._names.pop(pid, None)
        if name is not None:
            self._trace.record("process.killed", resource=name, details={"pid": pid})
            if pid in self._ended:
                self._ended.pop(pid).set()

    async def start(self, spec: ProcessSpec) -> int:
        """Start a process and return its number."""
        self._accesses.report(RESOURCE, "write")
        pid = self._add(spec.name)
        self._trace.record("process.started", resource=spec.name, details={"pid": pid})
        return pid

    async def wait_exit(self, id: int, timeout: float) -> bool:  # noqa: A002 - the port
        """Return whether the process has ended within `timeout` seconds."""
        self._accesses.report(RESOURCE, "read")
        if id not in self._names:
            return True
        if from_seconds(timeout) <= 0:
            return False
        ended = self._ended.setdefault(id, asyncio.Event())
        try:
            async with asyncio.timeout(timeout):
                await ended.wait()
        except TimeoutError:
            return False
        return True
