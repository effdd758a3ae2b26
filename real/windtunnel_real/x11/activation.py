"""Activation: a window mapped, raised and given the focus, with a window manager or without one.

Imports the connection, EWMH, focus and errors.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from windtunnel_real.errors import DeadlineError
from windtunnel_real.x11 import ewmh
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.focus import focus, focused
from windtunnel_real.x11.xlib import X, XDisplay

_LOOK_EVERY_S: Final = 0.002


async def activate(connection: Connection, window: int, timeout: float) -> None:
    """Give a window the focus; over when it has it, or a window within it.

    Raises `WindowGoneError` (an `InputError`), `DeadlineError` and `DisplayDiedError`.
    """
    what = f"activate window {window:#x}"
    deadline = time.monotonic() + timeout
    # Asked and looked at in one job: without a window manager that is all.
    done = await connection.call(lambda xdisplay: _ask(xdisplay, window), timeout, what)
    while not done:
        left = deadline - time.monotonic()
        if left <= 0:
            raise await _late(connection, what)
        await asyncio.sleep(min(_LOOK_EVERY_S, left))
        done = await connection.call(lambda xdisplay: _look(xdisplay, window), left, what)


def _ask(xdisplay: XDisplay, window: int) -> bool:
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
    return window in focused(xdisplay)


def _look(xdisplay: XDisplay, window: int) -> bool:
    if window in focused(xdisplay):
        return True
    xdisplay.create_resource_object("window", window).get_attributes()  # raises if it is gone
    return False


async def _late(connection: Connection, what: str) -> DeadlineError:
    holder = await connection.call(focus, 0.25, what)
    return DeadlineError(f"{what}: not done in time (the focus is with window {holder:#x})")
