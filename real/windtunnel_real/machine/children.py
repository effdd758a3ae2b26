"""The children: what was started on one display, from start to reaping, and what is watched there.

Each start and end is in the trace. Imports the display's address, the programs and the handle.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal

from windtunnel.errors import WorldError
from windtunnel.trace import Trace
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import DeadlineError
from windtunnel_real.machine.handle import ProcessHandle
from windtunnel_real.programs.our_packages import with_our_packages
from windtunnel_real.programs.starting import start_program

_HELD_S: Final = 10.0
"""Seconds that a program may need until it is held."""
_LOOK_S: Final = 0.001

logger = logging.getLogger("windtunnel.processes")

State = Literal["live", "zombie", "reaped"]


@dataclass(slots=True, eq=False)
class Child:
    """One process that was started here, or is watched."""

    name: str
    """What it was started as; of a watched one, its name at that time."""
    handle: ProcessHandle
    process: subprocess.Popen[bytes] | None = None
    """None: it is no child of this process."""
    is_waited: bool = False
    """Whether its starter has to wait for it: it is a zombie until then."""
    on_end: Callable[[Child], None] | None = None
    """Called when it has ended, before everybody else is told."""
    state: State = "live"
    status: int = 0
    """The exit status, once it has ended; negative for a signal."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its end is in the trace."""
    sent: int = 0
    """The last deadly signal that it was sent from here."""

    @property
    def pid(self) -> int:
        """Its number."""
        return self.handle.pid

    def signal(self, number: int) -> None:
        """Send it a signal; nothing happens when it has ended."""
        if number in {signal.SIGKILL, signal.SIGTERM}:
            self.sent = number
        self.handle.signal(number)

    async def held(self) -> None:
        """Wait until one that was started `held` is, or has ended.

        Raises `DeadlineError` after 10 s.
        """
        deadline = time.monotonic() + _HELD_S
        while self.state == "live" and self.handle.look(os.WSTOPPED | os.WEXITED) is None:
            if time.monotonic() > deadline:
                raise DeadlineError(f"{self.name} ({self.pid}) was not held within {_HELD_S:g} s")
            await asyncio.sleep(_LOOK_S)  # a stop is told by SIGCHLD alone

    def note_end(self) -> None:
        """Take note of how it ended.

        The kernel tells that of a child only; another one that was sent no deadly signal from here
        counts as ended by itself.
        """
        self.status = -self.sent
        if self.process is not None and (found := self.handle.look(os.WEXITED)) is not None:
            by_itself = found.si_code == os.CLD_EXITED
            self.status = found.si_status if by_itself else -found.si_status
        self.state = "zombie"

    def reap(self) -> None:
        """Take its exit status from the kernel."""
        if self.process is not None:
            self.process.poll()
        self.handle.close()
        self.state = "reaped"


Hook = Callable[[str, int], None]


def _nothing(_name: str, _pid: int) -> None:
    """Nobody cares."""


class Children:
    """What runs on one display by our hand, by number; the loop that runs watches it.

    `on_start` and `on_end` are told of each (name, pid), after it is recorded. `errors` is the
    descriptor that gets the error output of what has no other place for it, -3 (DEVNULL): nobody.
    """

    def __init__(
        self,
        trace: Trace,
        address: DisplayAddress,
        on_start: Hook = _nothing,
        on_end: Hook = _nothing,
        *,
        errors: int = subprocess.DEVNULL,
    ) -> None:
        self._trace = trace
        self._address = address
        self._on_start = on_start
        self._on_end = on_end
        self._errors = errors
        self._children: dict[int, Child] = {}
        self._stopped = False

    def start(
        self,
        name: str,
        argv: Sequence[str],
        *,
        is_waited: bool = False,
        held: bool = False,
        stdout: int = subprocess.DEVNULL,
        stderr: int | None = None,
    ) -> Child:
        """Start a program that is found by `name`, in the running loop.

        `held`: it is stopped before its first step, see `Child.held`. Raises `WorldError` when the
        program is not there, and after `stop_all`.
        """
        errors = self._errors if stderr is None else stderr
        child = self._start(name, argv, stdout, errors, held=held)
        child.is_waited = is_waited
        self._record("process.started", child)
        self._on_start(name, child.pid)
        return child

    def add(self, name: str, argv: Sequence[str]) -> Child:
        """Start a program as one that has run since before the run began: nobody is told."""
        return self._start(name, argv, subprocess.DEVNULL, self._errors, held=False)

    def _start(
        self, name: str, argv: Sequence[str], stdout: int, stderr: int, *, held: bool
    ) -> Child:
        if self._stopped:
            raise WorldError(f"{name} cannot be started: the world is taken down")
        environment = with_our_packages(self._address.environment())
        process = start_program(argv, environment, stdout=stdout, stderr=stderr, held=held)
        return self._follow(Child(name, ProcessHandle(process.pid), process))

    def watch(self, handle: ProcessHandle, name: str) -> Child:
        """Take note of the end of a process that was started by somebody else.

        How it ended nobody tells: killed, if a signal that kills was sent to it from here.
        """
        return self._follow(Child(name, handle))

    def get(self, pid: int) -> Child | None:
        """Return a child, or what is watched, that is live or a zombie."""
        return self._children.get(pid)

    def names(self) -> Mapping[int, str]:
        """Return what lives of what was started here: number → name."""
        return {
            pid: child.name
            for pid, child in self._children.items()
            if child.process is not None and child.state == "live"
        }

    def reap(self, child: Child) -> int:
        """Take the exit status of a child that is over."""
        if child.state == "zombie":
            self._bury(child)
            self._record("process.reaped", child)
        return child.status

    def stop_all(self, patience: float = 5.0) -> None:
        """End whatever was started here and what that has started, and reap it.

        Blocks for `patience` seconds at most; no hook is called, and nothing can be started any
        more. What is only watched lives on.
        """
        self._stopped = True
        started = [each for each in self._children.values() if each.process is not None]
        for child in started:
            _kill_group(child)
        deadline = time.monotonic() + patience
        for child in started:
            if not child.handle.over(max(0.0, deadline - time.monotonic())):
                logger.error("%s (%d) was killed and does not end", child.name, child.pid)
            elif child.state == "live":
                self._ended(child)
            if child.state == "zombie":
                self._bury(child)
        for child in self._children.values():
            child.handle.close()
        self._children.clear()

    def _follow(self, child: Child) -> Child:
        self._children[child.pid] = child
        child.handle.on_end(lambda: self._ended(child))
        return child

    def _ended(self, child: Child) -> None:
        child.note_end()
        if not child.is_waited:
            self._bury(child)
        self._record("process.killed" if child.status < 0 else "process.exited", child)
        if child.on_end is not None:
            child.on_end(child)
        child.over.set()
        if not self._stopped:
            self._on_end(child.name, child.pid)

    def _bury(self, child: Child) -> None:
        child.reap()
        del self._children[child.pid]

    def _record(self, kind: str, child: Child) -> None:
        self._trace.record(kind, resource=child.name, details={"pid": child.pid})


def _kill_group(child: Child) -> None:
    """Kill a child that is not reaped with its whole group, which has its number until then."""
    child.signal(signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
