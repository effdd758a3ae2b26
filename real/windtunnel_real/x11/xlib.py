"""python-xlib, as the rest of the package sees it: it has no types, so its objects are `Any` here.

The one place that imports Xlib. Imports nothing of the project.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import Xlib.display
import Xlib.error
from Xlib import XK, X, Xatom, Xutil
from Xlib.ext import xfixes, xtest
from Xlib.protocol import event, request, rq

XDisplay: TypeAlias = Any
"""An open `Xlib.display.Display`, in its owner thread."""
XWindow: TypeAlias = Any
"""An `Xlib.xobject.drawable.Window`."""
XEvent: TypeAlias = Any
"""An `Xlib.protocol.rq.Event`."""
XRequest: TypeAlias = Any
"""An `Xlib.protocol.rq.Request` or `ReplyRequest`."""

display = Xlib.display
error = Xlib.error

__all__ = [
    "XK",
    "X",
    "XDisplay",
    "XEvent",
    "XRequest",
    "XWindow",
    "Xatom",
    "Xutil",
    "display",
    "error",
    "event",
    "request",
    "rq",
    "xfixes",
    "xtest",
]
