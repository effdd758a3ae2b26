"""Activation: a window mapped, raised and given the focus, with a window manager or without one.

Imports the connection, EWMH, focus and errors.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Final

from windtunnel_real.errors import DeadlineError
from windtunnel_real.x11 import ewmh
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.focus import focus, focused
from windtunnel_real.x11.xlib import X, XDisplay

_LOOK_EVERY_S: Final = 0.002
_LOOK_S: Final = 0.25
"""What one look is given at least, when the time is nearly over."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a look has seen."""

    done: bool
    holder: int
    """The window that has the focus."""


async def activate(connection: Connection, window: int, timeout: float) -> None:
    """Give a window the focus; over when it has it, or a window within it.

    Raises `WindowGoneError` (an `InputError`), `DisplayDiedError`, and `DeadlineError`, up to
    0.25 s late when the server stops answering meanwhile.
    """
    what = f"activate window {window:#x}"
    deadline = time.monotonic() + timeout
    # Asked and looked at in one job: without a window manager that is all.
    seen = await connection.call(lambda xdisplay: _ask(xdisplay, window), timeout, what)
    while not seen.done:
        left = deadline - time.monotonic()
        if left <= 0:
            raise DeadlineError(
                f"{what}: not done in time (the focus is with window {seen.holder:#x})"
            )
        await asyncio.sleep(min(_LOOK_EVERY_S, left))
        seen = await connection.call(
            lambda xdisplay: _look(xdisplay, window), max(left, _LOOK_S), what
        )


def _ask(xdisplay: XDisplay, window: int) -> _Seen:
    resource = xdisplay.create_resource_object("window", window)
    attributes = resource.get_attributes()
    if ewmh.manager(xdisplay) and not attributes.override_redirect:
        if attributes.map_state == X.IsUnmapped:
            resource.map()
        ewmh.ask_active(xdisplay, window)
    else:
        resource.map()
        resource.configure(stack_mode=X.Above)
        resource.set_input_focus(X.RevertToParent, X.CurrentTime)
    return _look(xdisplay, window)


def _look(xdisplay: XDisplay, window: int) -> _Seen:
    if window in focused(xdisplay):
        return _Seen(done=True, holder=window)
    xdisplay.create_resource_object("window", window).get_attributes()  # raises if it is gone
    return _Seen(done=False, holder=focus(xdisplay))
