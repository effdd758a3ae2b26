"""The pointer: whether what was clicked is out, or somebody holds it back.

Imports the connection, errors and python-xlib.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from windtunnel_real.errors import DeadlineError
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.xlib import X, XDisplay

_LOOK_EVERY_S: Final = 0.002
_LOOK_S: Final = 0.25
"""What one look is given at least, when the time is nearly over."""
_BUTTONS: Final = X.Button1Mask | X.Button2Mask | X.Button3Mask | X.Button4Mask | X.Button5Mask


async def released(connection: Connection, timeout: float) -> None:
    """Wait until no button is down: then a click that was sent is with whom it is for.

    A window manager with mouse bindings grabs a button synchronously: from the press on the server
    holds back what the pointer does until the manager has looked at it, the release first of all,
    and lets keys pass meanwhile (Xlib, `XGrabButton`, `XAllowEvents`). Raises `DeadlineError`, up
    to 0.25 s late when the server stops answering meanwhile, and `DisplayDiedError`.
    """
    what = "wait for the pointer's buttons"
    deadline = time.monotonic() + timeout
    left = timeout
    while await connection.call(_is_down, max(left, _LOOK_S), what):
        left = deadline - time.monotonic()
        if left <= 0:
            raise DeadlineError(
                f"{what}: not done in time (one is down still: a person's hand, or a window "
                "manager that does not let the click go)"
            )
        await asyncio.sleep(min(_LOOK_EVERY_S, left))


def _is_down(xdisplay: XDisplay) -> bool:
    return bool(xdisplay.screen().root.query_pointer().mask & _BUTTONS)
