"""Real processes to try things on: a display's name that nobody has, and what was started for it.

No server is behind the name: programs are told of a display, and those here do not look at it.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windtunnel.acting import Acting, acting
from windtunnel.canonical import check_event
from windtunnel.machine.ambushes import Ambush, Ambushes
from windtunnel.machine.commands import Commands
from windtunnel.machine.latencies import Latencies
from windtunnel.streams import stream
from windtunnel.trace import Trace
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.machine.children import Children
from windtunnel_real.machine.processes import RealProcesses
from windtunnel_real.machine.scope import Scope

PATIENCE = 60.0
"""Seconds in which something is expected at all, on a machine that has other work."""
SLEEP = ("sleep", "1000")
STUBBORN = "trap '' TERM; echo ready >&2; exec sleep 1000"
NO_TIMES: Mapping[str, int] = {}
_numbers = itertools.count()


def nobodys_display(authority: Path | None = None) -> DisplayAddress:
    """Return a name that no other test has, in this process or beside it."""
    return DisplayAddress(f":{os.getpid()}{next(_numbers):03}", authority)


async def until(condition: Callable[[], Any]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came to be so"
        await asyncio.sleep(0.002)


def soon(condition: Callable[[], Any]) -> None:
    """Wait until something is so, where no loop runs or it may stand still."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came to be so"
        time.sleep(0.001)


def status(pid: int) -> Mapping[str, str]:
    """Return what the kernel says of a process; nothing of one that is gone."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
        return dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    return {}


def lives(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    return status(pid).get("State", "Z")[0] not in "ZX"


@dataclass
class Site:
    """One display and what runs on it."""

    address: DisplayAddress
    trace: Trace
    children: Children
    scope: Scope
    processes: RealProcesses
    ambushes: Ambushes
    calls: list[tuple[str, str, int]] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)

    @property
    def told(self) -> list[tuple[str, str, int]]:
        """(kind, name, number) of what the trace has of processes."""
        return [
            (event.kind.removeprefix("process."), event.resource, event.details["pid"])
            for event in self.trace
            if event.kind.startswith("process.")
        ]

    @property
    def commands(self) -> list[tuple[str, str, str]]:
        """(command, resource, outcome) of the commands that ended."""
        ends = self.trace.of("command.ended")
        return [(end.details["command"], end.resource, end.outcome) for end in ends]

    def lay(self, *targets: str, **how: Any) -> Ambush:
        """Let a fault wait for commands."""
        ambush = Ambush(frozenset(targets), lambda op: None, **how)
        self.ambushes.lay(ambush)
        return ambush


def site(address: DisplayAddress | None = None, latencies: Mapping[str, int] = NO_TIMES) -> Site:
    """Return a display with nothing on it; it has one program of its own, `wechat`."""
    address = address or nobodys_display()
    trace = Trace(time.monotonic_ns)
    ambushes = Ambushes()
    calls: list[tuple[str, str, int]] = []
    children = Children(
        trace,
        address,
        lambda name, pid: calls.append(("start", name, pid)),
        lambda name, pid: calls.append(("end", name, pid)),
    )
    scope = Scope(address, children)
    times = Latencies(latencies, {}, stream(0, "latency"), otherwise=0.0)
    commands = Commands(trace, times, ambushes, asyncio.sleep)
    shown: list[int] = []

    async def show() -> None:
        shown.append(len(shown))

    programs = {"wechat": lambda: SLEEP}
    processes = RealProcesses(commands, children, scope, programs, show)
    return Site(address, trace, children, scope, processes, ambushes, calls, shown)


def play(body: Callable[[Site], Awaitable[None]], **latencies: int) -> Site:
    """Run `body` on a site of its own; what it leaves running is ended, and was noted rightly."""
    played = site(latencies=latencies)

    async def main() -> None:
        acting.set(Acting("op", "send_text"))
        async with asyncio.timeout(3 * PATIENCE):
            await body(played)

    try:
        asyncio.run(main())
    finally:
        played.trace.close()
        pids = [pid for kind, _, pid in played.told if kind == "started"]
        played.children.stop_all()
    assert [pid for pid in pids if lives(pid)] == []
    for event in played.trace:
        check_event(event)
    return played


@contextmanager
def by_hand(
    address: DisplayAddress, argv: tuple[str, ...] = SLEEP, **variables: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Have somebody else start a program on a display; it is ended and reaped.

    It is there: while the kernel loads a program, that has no environment for an instant.
    """
    environment = {**address.environment(), **variables}
    process = subprocess.Popen(argv, env=environment)
    try:
        soon(Path(f"/proc/{process.pid}/environ").read_bytes)
        yield process
    finally:
        process.kill()
        process.wait()


def named(folder: Path, name: str) -> tuple[str, ...]:
    """Return what runs for long under a name of our choice."""
    program = folder / name
    if not program.is_symlink():
        program.symlink_to("/bin/sleep")
    return (str(program), "1000")


def python(text: str) -> tuple[str, ...]:
    """Return what runs a piece of Python."""
    return (sys.executable, "-c", text)
