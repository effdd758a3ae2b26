"""The server of a display: its screen, how it was started, and who manages its windows.

Imports what a probe saw, and the display's own ways.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.link import SOCKET_FOLDER, Link, Screen, display_number
from windtunnel_real.display.window_manager import WindowManager, is_managed
from windtunnel_real.display.xvfb import DPI
from windtunnel_real.doctor.seen import Seen, bad, ok, unseen, warn
from windtunnel_real.errors import DisplayStartError

ROOM: Final = (1280, 800)
"""Pixels that the stand-in's window, and those of most programs, fit into."""
_PATIENCE_S: Final = 3.0
_MM_OF_INCH: Final = 25.4
_CREDENTIALS: Final = struct.Struct("3i")


def size(screen: Screen) -> Seen:
    """Look whether windows fit."""
    text = f"{screen.width}×{screen.height} pixels"
    fits = screen.width >= ROOM[0] and screen.height >= ROOM[1]
    return ok(text) if fits else bad(f"{text}; {ROOM[0]}×{ROOM[1]} are needed")


def density(screen: Screen) -> Seen:
    """Look at the dots per inch that the server tells toolkits."""
    if not screen.width_mm:
        return warn("the server tells no size in millimetres")
    dots = round(screen.width * _MM_OF_INCH / screen.width_mm)
    return (ok if abs(dots - DPI) <= 1 else warn)(str(dots))


def reset(name: str, folder: Path = Path(SOCKET_FOLDER), proc: Path = Path("/proc")) -> Seen:
    """Look whether the server was told to stay as it is when its last client leaves."""
    pid = _pid(folder / f"X{display_number(name)}")
    try:
        words = (proc / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return unseen(f"the server's process ({pid or 'unknown'}) cannot be read")
    if b"-noreset" in words:
        return ok("started with -noreset")
    return warn(f"its server ({pid}) was not started with -noreset; we stay connected")


def managed(address: DisplayAddress) -> Seen:
    """Look whether somebody's window manager runs on a display that was there."""
    with closing(Link.open(address, timeout=_PATIENCE_S)) as link:
        found = is_managed(link, timeout=_PATIENCE_S)
    if not found:
        return ok("none: windows are raised and focused by us")
    return warn("one is there; its bindings are not known to us")


def openbox(address: DisplayAddress, find: Callable[[str], str | None]) -> Seen:
    """Start openbox on a display of ours, and end it."""
    if find("openbox") is None:
        return unseen("openbox is missing; runs without a window manager can be made")
    began = time.monotonic()
    try:
        manager = WindowManager.start(address, timeout=_PATIENCE_S)
    except DisplayStartError as error:
        return warn(str(error))
    took = time.monotonic() - began
    manager.stop()
    return ok(f"none; openbox can be had in {took * 1000:.0f} ms")


def _pid(path: Path) -> int:
    """Return the process that listens at a display's socket, 0 where that cannot be told."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(_PATIENCE_S)
        for place in (str(path), f"\0{path}"):
            try:
                asking.connect(place)
                told = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            except OSError:
                continue
            return int(_CREDENTIALS.unpack(told)[0])
    return 0
