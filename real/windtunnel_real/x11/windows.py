"""Windows of an application: found by class and process, with what they are and where.

Imports the connection, EWMH, focus, properties and start times, and the port's `WindowInfo`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from windtunnel.ports import WindowInfo
from windtunnel_real.x11 import ewmh
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.focus import focused
from windtunnel_real.x11.properties import GONE, ask, first, numbers, text
from windtunnel_real.x11.start_times import started_ns
from windtunnel_real.x11.xlib import X, XDisplay, request

_DEPTH: Final = 3
"""How deep an application's window may lie: below the root, a frame, a frame's inner part."""
_LOOK_EVERY_S: Final = 0.01
_LOOK_S: Final = 0.25
"""What one look is given at least, when the time for waiting is nearly over."""


@dataclass(frozen=True, slots=True)
class FoundWindow:
    """A window, and its inner part's place on the display in pixels."""

    info: WindowInfo
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which windows are looked for."""

    window_class: str
    """Either part of WM_CLASS, as it is written."""
    pids: Collection[int] | None = None
    """By `_NET_WM_PID`; None: any, and windows without one."""


async def find(
    connection: Connection,
    window_class: str,
    timeout: float,
    *,
    pids: Collection[int] | None = None,
) -> tuple[FoundWindow, ...]:
    """Return the windows of a class, mapped or not; those of a living window manager by age.

    Windows that no manager has to do with (menus, tips) are none of them. One that vanishes
    meanwhile is not there. Raises `DeadlineError` and `DisplayDiedError`.
    """
    wanted = Wanted(window_class, pids)
    return await connection.call(
        lambda xdisplay: look(xdisplay, wanted), timeout, f"find the window {window_class!r}"
    )


async def wait_for(
    connection: Connection,
    window_class: str,
    timeout: float,
    *,
    mapped: bool = True,
    pids: Collection[int] | None = None,
) -> FoundWindow | None:
    """Return the first window of a class once it is there (and mapped), or None.

    Raises `DeadlineError`, up to 0.25 s late, when the server does not answer, and
    `DisplayDiedError`.
    """
    deadline = time.monotonic() + timeout
    while True:
        left = deadline - time.monotonic()
        for found in await find(connection, window_class, max(left, _LOOK_S), pids=pids):
            if found.info.mapped or not mapped:
                return found
        if left <= 0:
            return None
        await asyncio.sleep(min(_LOOK_EVERY_S, left))


def look(xdisplay: XDisplay, wanted: Wanted) -> tuple[FoundWindow, ...]:
    """Return the windows that are wanted; for jobs.

    A window manager lists what it manages, and nothing that waits to be mapped: if none of that is
    wanted, all windows are gone through.
    """
    having = _having(xdisplay, ewmh.clients(xdisplay), wanted)
    having = having or _having(xdisplay, _tree(xdisplay), wanted)
    if not having:
        return ()
    in_focus = focused(xdisplay)
    seen = (_see(xdisplay, window, in_focus) for window in having)
    found = (one for one in seen if one is not None)
    return tuple(one for one in found if wanted.pids is None or one.info.pid in wanted.pids)


def _having(xdisplay: XDisplay, windows: Sequence[int], wanted: Wanted) -> list[int]:
    classes = _classes(xdisplay, windows)
    return [window for window in windows if wanted.window_class in classes.get(window, ())]


def _classes(xdisplay: XDisplay, windows: Sequence[int]) -> dict[int, tuple[str, ...]]:
    asked = {window: ask(xdisplay, window, "WM_CLASS") for window in windows}
    utf8 = xdisplay.get_atom("UTF8_STRING") if asked else 0
    found: dict[int, tuple[str, ...]] = {}
    for window, one in asked.items():
        try:
            found[window] = tuple(part for part in text(one, utf8).split("\0") if part)
        except GONE:
            continue
    return found


def _tree(xdisplay: XDisplay) -> tuple[int, ...]:
    # What has a class is an application's own: nothing in it is another application's window.
    layer: list[int] = list(_children(xdisplay, [int(xdisplay.screen().root.id)]))
    found: list[int] = []
    for _ in range(_DEPTH):
        classes = _classes(xdisplay, layer)
        found += [window for window in layer if classes.get(window)]
        layer = list(_children(xdisplay, [w for w in layer if not classes.get(w, ("",))]))
    return tuple(found)


def _children(xdisplay: XDisplay, windows: Sequence[int]) -> Iterator[int]:
    asked = [
        request.QueryTree(display=xdisplay.display, defer=True, window=window) for window in windows
    ]
    for one in asked:
        try:
            one.reply()
        except GONE:
            continue
        yield from (int(child.id) for child in one.children)


def _see(xdisplay: XDisplay, window: int, in_focus: frozenset[int]) -> FoundWindow | None:
    try:
        return _details(xdisplay, window, in_focus)
    except GONE:
        return None


def _details(xdisplay: XDisplay, window: int, in_focus: frozenset[int]) -> FoundWindow | None:
    asked = {
        name: ask(xdisplay, window, name) for name in ("_NET_WM_PID", "_NET_WM_NAME", "WM_NAME")
    }
    resource = xdisplay.create_resource_object("window", window)
    attributes, geometry = resource.get_attributes(), resource.get_geometry()
    if attributes.override_redirect:
        return None
    place = xdisplay.screen().root.translate_coords(resource, 0, 0)
    utf8 = xdisplay.get_atom("UTF8_STRING")
    pid = first(numbers(asked["_NET_WM_PID"]))
    info = WindowInfo(
        id=window,
        pid=pid,
        started_ns=started_ns(pid) if pid else 0,
        title=text(asked["_NET_WM_NAME"], utf8) or text(asked["WM_NAME"], utf8),
        mapped=attributes.map_state == X.IsViewable,
        focused=window in in_focus,
    )
    return FoundWindow(info, int(place.x), int(place.y), int(geometry.width), int(geometry.height))
