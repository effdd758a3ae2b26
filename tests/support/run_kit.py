"""Runs of a real world to look at from outside: how one ends, and what it leaves behind."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from display_kit import is_gone, wait_until
from windtunnel.acting import Acting, acting
from windtunnel.ports import Desktop
from windtunnel.world import Limits, RunEnd, WorldOptions, WorldSpec
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.machine.machine import RealMachine
from windtunnel_real.world import RealWorld

Body = Callable[[RealWorld], Coroutine[Any, Any, None]]
NO_FRAMES = WorldOptions(frames="none")


def world_of(
    *, options: WorldOptions = NO_FRAMES, limits: Limits | None = None, **wechat: Any
) -> RealWorld:
    """Make a world in which nothing brings the application back, unless `wechat` says so."""
    given = {"wechat": {"autostart": None, **wechat}, "latencies": {}}
    return RealWorld(WorldSpec(given=given, limits=limits or Limits(), options=options))


def run(world: RealWorld, body: Body) -> RunEnd:
    """Run `body(world)`; nothing that was started for it is left."""
    pids: list[int] = []

    async def main() -> None:
        acting.set(Acting("op", "send_text"))
        pids.extend((server_of(world), machine_of(world).application.pid))
        await body(world)

    try:
        return world.run(main)
    finally:
        wait_until(lambda: all(is_gone(pid) for pid in pids if pid), "nothing is left running")


def machine_of(world: RealWorld) -> RealMachine:
    """Return what is behind the ports."""
    assert world.machine is not None, "it runs"
    return world.machine


def desktop_of(world: RealWorld) -> Desktop:
    """Return the port."""
    assert world.ports.desktop is not None, "it runs"
    return world.ports.desktop


def server_of(world: RealWorld) -> int:
    """Return the process of the world's own X server; 0 where it has none of its own."""
    display = machine_of(world).display
    return display.pid if isinstance(display, Xvfb) else 0


def folders() -> list[str]:
    """Return our folders that lie where temporary files do."""
    return sorted(each.name for each in Path(tempfile.gettempdir()).glob("windtunnel-*"))


@contextmanager
def own_place() -> Iterator[None]:
    """Let temporary files lie in a place of one test alone; none of ours is left there.

    Its path is short, as that of a socket must be.
    """
    before, tempfile.tempdir = tempfile.tempdir, None
    tempfile.tempdir = where = tempfile.mkdtemp(prefix="wt-")
    try:
        yield
        assert folders() == []
    finally:
        tempfile.tempdir = before
        shutil.rmtree(where)


@dataclass(frozen=True)
class Found:
    """A process as /proc tells of it."""

    pid: int
    command: str


def processes_with(variable: str, value: str) -> list[Found]:
    """Return the live processes that have a variable of their environment set so.

    All of the machine are looked at, which is made up for by a pause.
    """
    time.sleep(0.05)
    wanted = f"{variable}={value}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if wanted in environment and int(folder.name) != os.getpid():
            found.append(Found(int(folder.name), command.strip()))
    return found
