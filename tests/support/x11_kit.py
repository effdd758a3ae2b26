"""What the tests of X11 share: servers, connections to them, and ways to hinder both."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.window_manager import WindowManager
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.owner import OnEvent

FAR_S: Final = 60.0
"""A deadline that only a failing test reaches."""
SHORT_S: Final = 0.3
"""A deadline that is meant to be reached."""


@contextmanager
def own_display() -> Iterator[Xvfb]:
    """Give a server that may be stopped and killed."""
    server = Xvfb.start(timeout=FAR_S)
    try:
        yield server
    finally:
        server.stop()


@asynccontextmanager
async def connected(
    address: DisplayAddress, on_event: OnEvent | None = None
) -> AsyncIterator[Connection]:
    """Give a connection, and close it."""
    connection = await Connection.open(address, FAR_S, on_event=on_event)
    try:
        yield connection
    finally:
        await connection.close()


@contextmanager
def managed(address: DisplayAddress) -> Iterator[WindowManager]:
    """Give a display a window manager."""
    wm = WindowManager.start(address, timeout=FAR_S)
    try:
        yield wm
    finally:
        wm.stop()


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Let a process stand still for as long as the block takes."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def set_layout(address: DisplayAddress, *arguments: str) -> None:
    """Change the layout of a display, as any other program may."""
    command = ["setxkbmap", "-option", "", *arguments]
    subprocess.run(command, env=address.environment(), check=True, timeout=FAR_S)


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(FAR_S):
        while True:
            found = condition()
            if found if isinstance(found, bool) else await found:
                return
            await asyncio.sleep(0.005)


def owners(address: DisplayAddress) -> list[str]:
    """Return the names of the threads that own connections to a display."""
    wanted = f"x11 {address.name}"
    return [thread.name for thread in threading.enumerate() if thread.name == wanted]
