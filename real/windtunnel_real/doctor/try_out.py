"""The try-out: a small window of ours is shown, captured and clicked on.

Imports what a probe saw, the connection and the pictures.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from windtunnel.errors import WindtunnelError
from windtunnel.ports import Frame, Region
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.doctor.seen import Seen, bad, ok, unseen, warn
from windtunnel_real.errors import DisplayStartError
from windtunnel_real.pictures.capture import Capture
from windtunnel_real.pictures.scrot import scrot
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.xlib import X, XDisplay, XEvent, XWindow, xtest

PLACE: Final = Region(40, 40, 32, 32)
"""Where the window is shown, for a moment."""
COLOUR: Final = 0x2F80ED
_PIXEL: Final = COLOUR.to_bytes(3, "little")
_BUTTON: Final = 1
_PATIENCE_S: Final = 3.0
_POLL_S: Final = 0.01


@dataclass(frozen=True, slots=True)
class Trial:
    """A display with our window on it."""

    connection: Connection
    window: XWindow
    clicks: asyncio.Queue[bool]
    """One entry for each press that the window got: whether it was marked as synthetic."""


@asynccontextmanager
async def window_shown(address: DisplayAddress) -> AsyncIterator[Trial]:
    """Show the window for as long as the block takes."""
    loop = asyncio.get_running_loop()
    clicks: asyncio.Queue[bool] = asyncio.Queue()

    def heard(_: XDisplay, event: XEvent) -> None:
        if event.type == X.ButtonPress:
            loop.call_soon_threadsafe(clicks.put_nowait, bool(event.send_event))

    connection = await Connection.open(address, _PATIENCE_S, on_event=heard)
    try:
        window = await connection.call(_show, _PATIENCE_S, "a window")
        yield Trial(connection, window, clicks)
    finally:
        await connection.close()  # and the window with it


async def shared_memory(trial: Trial) -> Seen:
    """Look whether memory is shared with the server."""
    try:
        async with _capture(trial) as opened:
            return ok("with the server") if opened.shared else warn("none: pictures are sent")
    except DisplayStartError:  # told with the picture
        return unseen("no picture can be taken")


async def capture(trial: Trial) -> Seen:
    """Look whether a picture of the whole display is none of one colour, and shows the window."""
    async with _capture(trial) as opened:
        began = time.monotonic()
        await opened.take(timeout=_PATIENCE_S)
        took = time.monotonic() - began
        if await _until(lambda: _shows(opened)):
            return ok(f"shows what is there, {took * 1000:.1f} ms")
        return bad("does not show the window that is there")


async def by_scrot(trial: Trial) -> Seen:
    """Look whether scrot's picture shows the window; nothing depends on it but the option."""
    if shutil.which("scrot") is None:
        return unseen("scrot is missing")
    began = time.monotonic()
    try:
        whole = await scrot(trial.connection.address, timeout=_PATIENCE_S)
    except (WindtunnelError, OSError) as error:
        return warn(str(error))
    took = time.monotonic() - began
    if not shown_in(cut(whole, PLACE)):
        return warn("does not show the window that is there")
    return ok(f"shows what is there, {took * 1000:.0f} ms")


async def click(trial: Trial) -> Seen:
    """Look whether a click by XTEST reaches the window, as one of a person."""
    began = time.monotonic()
    await trial.connection.call(_click, _PATIENCE_S, "a click")
    try:
        synthetic = await asyncio.wait_for(trial.clicks.get(), _PATIENCE_S)
    except TimeoutError:
        return bad(f"none arrives within {_PATIENCE_S:g} s")
    if synthetic:
        return bad("it is marked as synthetic")
    return ok(f"arrives in {(time.monotonic() - began) * 1000:.1f} ms, as a person's")


PROBES: Final[Mapping[str, Callable[[Trial], Awaitable[Seen]]]] = {
    "shared-memory": shared_memory,
    "capture": capture,
    "scrot-file": by_scrot,
    "click": click,
}
"""Id of a kind → its probe."""


def shown_in(frame: Frame) -> bool:
    """Say whether a picture of the window's place shows its colour throughout."""
    return frame.pixels == (_PIXEL + frame.pixels[3:4]) * (frame.width * frame.height)


def cut(frame: Frame, region: Region) -> Frame:
    """Return a part of a picture; the region lies within it."""
    starts = range(
        4 * (region.y * frame.width + region.x),
        4 * ((region.y + region.height) * frame.width + region.x),
        4 * frame.width,
    )
    rows = [frame.pixels[start : start + 4 * region.width] for start in starts]
    return Frame(region.width, region.height, b"".join(rows))


@asynccontextmanager
async def _capture(trial: Trial) -> AsyncIterator[Capture]:
    opened = await Capture.open(trial.connection.address, _PATIENCE_S)
    try:
        yield opened
    finally:
        await opened.close()


async def _shows(opened: Capture) -> bool:
    return shown_in(await opened.take(PLACE, timeout=_PATIENCE_S))


async def _until(condition: Callable[[], Awaitable[bool]]) -> bool:
    """Wait until a condition holds: a manager may show windows a little later."""
    deadline = time.monotonic() + _PATIENCE_S
    while not await condition():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(_POLL_S)
    return True


def _show(display: XDisplay) -> XWindow:
    window = display.screen().root.create_window(
        PLACE.x, PLACE.y, PLACE.width, PLACE.height, 0, X.CopyFromParent,
        background_pixel=COLOUR,
        event_mask=X.ButtonPressMask,
        override_redirect=True,  # whatever manages windows leaves it where it is
    )  # fmt: skip
    window.map()
    window.raise_window()
    return window


def _click(display: XDisplay) -> None:
    """Click into the middle, and put the pointer back where it was."""
    before = display.screen().root.query_pointer()
    middle = (PLACE.x + PLACE.width // 2, PLACE.y + PLACE.height // 2)
    xtest.fake_input(display, X.MotionNotify, x=middle[0], y=middle[1])
    xtest.fake_input(display, X.ButtonPress, _BUTTON)
    xtest.fake_input(display, X.ButtonRelease, _BUTTON)
    xtest.fake_input(display, X.MotionNotify, x=before.root_x, y=before.root_y)
