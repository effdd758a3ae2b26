"""What the tests of xdotool's runners share: how they are made, and who still lives."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.drivers.xdotool import XdotoolDriver
from windtunnel_real.drivers.xdotool_pipe import pipe_driver
from windtunnel_real.drivers.xdotool_process import process_driver

PATIENCE_S: Final = 60.0
"""Far more than anything takes: a limit, no expectation."""
SHORT_S: Final = 0.3
"""For what is meant to be given up."""


def by_process(address: DisplayAddress) -> XdotoolDriver:
    return process_driver(address, delay_ms=0)


MAKERS: Final[dict[str, Callable[[DisplayAddress], XdotoolDriver]]] = {
    "xdotool-pipe": pipe_driver,
    "xdotool": by_process,
}


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so; what another process does tells no event."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.002)


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Let a process stand still for as long as the block takes."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def children(name: str) -> set[int]:
    """Return the children of this process with that name, those included that were not reaped."""
    found: set[int] = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        found |= {int(pid) for pid in listed.read_text().split() if _name(int(pid)) == name}
    return found


def runs(pid: int) -> bool:
    """Say whether a process goes on; one that ended and was not reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
