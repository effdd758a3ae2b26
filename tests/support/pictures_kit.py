"""Things to take pictures of: a canvas on a display, frames made by hand, programs named scrot."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st
from Xlib import X, error, protocol
from Xlib.display import Display

from windtunnel.ports import Frame, Region
from windtunnel_real.display.address import DisplayAddress, as_environment
from windtunnel_real.display.xvfb import Xvfb

GUARDED = ("setpriv", "--pdeathsig", "KILL")
"""Before a command: it is gone with this process, however that ends."""
FAR_S = 60.0
"""A deadline that is reached by a test that fails only."""


class Canvas:
    """The root window of a display, drawn on with python-xlib over a connection of its own."""

    def __init__(self, address: DisplayAddress) -> None:
        with as_environment(address):
            # python-xlib keeps the events of extensions for all displays in one table, and breaks
            # where one server numbers them in another way than the last one did.
            protocol.display.Display.event_classes = protocol.event.event_class.copy()
            self.display: Any = Display()
        self.root: Any = self.display.screen().root
        self._gc: Any = self.root.create_gc(foreground=0)

    def fill(self, colour: int, x: int, y: int, width: int, height: int) -> None:
        self._gc.change(foreground=colour)
        self.root.fill_rectangle(self._gc, x, y, width, height)
        self.display.sync()

    def clear(self, colour: int = 0) -> None:
        shape = self.root.get_geometry()
        self.fill(colour, 0, 0, shape.width, shape.height)

    def scatter(self, seed: int, count: int = 200) -> None:
        """Fill rectangles of any colours at any place."""
        random = Random(seed)
        shape = self.root.get_geometry()
        for _ in range(count):
            x, y = random.randrange(shape.width), random.randrange(shape.height)
            self.fill(random.randrange(1 << 24), x, y, random.randrange(1, 200), 20)

    def put(self, frame: Frame, x: int, y: int) -> None:
        """Put a frame on it, its unused bytes as they are."""
        self.root.put_image(
            self._gc, x, y, frame.width, frame.height, X.ZPixmap, 24, 0, frame.pixels
        )
        self.display.sync()

    def seen(self, region: Region) -> bytes:
        """Return the pixels of a region as python-xlib reads them, the unused bytes 0."""
        image = self.root.get_image(
            region.x, region.y, region.width, region.height, X.ZPixmap, 0xFFFFFFFF
        )
        pixels = bytearray(image.data)
        pixels[3::4] = bytes(region.width * region.height)
        return bytes(pixels)

    def close(self) -> None:
        with suppress(error.ConnectionClosedError):
            self.display.close()


@contextmanager
def canvas_on(address: DisplayAddress) -> Iterator[Canvas]:
    canvas = Canvas(address)
    try:
        yield canvas
    finally:
        canvas.close()


@contextmanager
def own_xvfb() -> Iterator[Xvfb]:
    """Run a server that the test may stop, kill or leave blank."""
    server = Xvfb.start((320, 200), timeout=FAR_S)
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def bare_xvfb(*arguments: str, screen: str = "320x200x24") -> Iterator[DisplayAddress]:
    """Run a server with arguments that are not ours."""
    read, write = os.pipe()
    with os.fdopen(read) as told:
        server = subprocess.Popen(
            [*GUARDED, "Xvfb", "-displayfd", str(write), "-screen", "0", screen, *arguments],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        try:
            yield DisplayAddress(":" + told.readline().strip())
        finally:
            server.kill()
            server.wait()


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process (SIGSTOP) for the length of the block."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds; fails when it never does."""
    end = time.monotonic() + FAR_S
    while not condition():
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.002)


def made(width: int, height: int, *colours: int) -> Frame:
    """Make a frame of these colours, row by row, and again from the first."""
    pixels = b"".join(
        colours[place % len(colours)].to_bytes(4, "little") for place in range(width * height)
    )
    return Frame(width, height, pixels)


@st.composite
def frames(
    draw: st.DrawFn, *, longest: int = 12, pixels: st.SearchStrategy[int] | None = None
) -> Frame:
    """Any frame, of any pixels or of those given."""
    width, height = draw(st.integers(1, longest)), draw(st.integers(1, longest))
    kind = st.integers(0, 0xFFFFFF) if pixels is None else pixels
    found = draw(st.lists(kind, min_size=width * height, max_size=width * height))
    return made(width, height, *found)


def cut(frame: Frame, region: Region) -> Frame:
    """Return a part of a frame: slowly, and sure to be right."""
    rows = []
    for y in range(region.y, region.y + region.height):
        start = (y * frame.width + region.x) * 4
        rows.append(frame.pixels[start : start + region.width * 4])
    return Frame(region.width, region.height, b"".join(rows))


def program(folder: Path, body: str, name: str = "scrot") -> Path:
    """Write a Python program into a folder, for the PATH to find."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{textwrap.dedent(body)}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
