"""EWMH: what a window manager says of itself and its windows, if there is one that lives.

Imports properties.
"""

from __future__ import annotations

from typing import Final

from windtunnel_real.x11.properties import GONE, ask, first, numbers
from windtunnel_real.x11.xlib import X, XDisplay, event

_CHECK: Final = "_NET_SUPPORTING_WM_CHECK"
_PAGER: Final = 2
"""Who asks: "a pager or another program that acts for the user" (EWMH, source indication)."""


def manager(xdisplay: XDisplay) -> int:
    """Return the window by which the window manager shows that it lives, or 0.

    What a dead one has left on the root window names a window that is gone, or is another's now.
    """
    found = first(numbers(ask(xdisplay, xdisplay.screen().root.id, _CHECK)))
    if not found:
        return 0
    try:
        return found if first(numbers(ask(xdisplay, found, _CHECK))) == found else 0
    except GONE:
        return 0


def clients(xdisplay: XDisplay) -> tuple[int, ...]:
    """Return the windows that a living window manager manages, the oldest first; or none."""
    if not manager(xdisplay):
        return ()
    return numbers(ask(xdisplay, xdisplay.screen().root.id, "_NET_CLIENT_LIST"))


def ask_active(xdisplay: XDisplay, window: int) -> None:
    """Ask the window manager to raise a window, show it if it is iconified, and give it focus."""
    root = xdisplay.screen().root
    message = event.ClientMessage(
        window=window,
        client_type=xdisplay.get_atom("_NET_ACTIVE_WINDOW"),
        data=(32, (_PAGER, X.CurrentTime, 0, 0, 0)),
    )
    root.send_event(message, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
