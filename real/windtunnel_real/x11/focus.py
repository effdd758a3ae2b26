"""The focus: the window that keys go to. Its functions belong into jobs. Imports properties."""

from __future__ import annotations

from windtunnel_real.x11.properties import GONE
from windtunnel_real.x11.xlib import X, XDisplay


def focus(xdisplay: XDisplay) -> int:
    """Return the window that has the focus; 0: none, 1: whatever is under the pointer."""
    found = xdisplay.get_input_focus().focus
    return int(getattr(found, "id", found))


def focused(xdisplay: XDisplay) -> frozenset[int]:
    """Return the window that has the focus and all it lies in, but the root window."""
    lineage: list[int] = []
    window = focus(xdisplay)
    root = int(xdisplay.screen().root.id)
    while window not in (X.NONE, X.PointerRoot, root):
        lineage.append(window)
        try:
            parent = xdisplay.create_resource_object("window", window).query_tree().parent
        except GONE:
            return frozenset()
        window = int(getattr(parent, "id", parent))
    return frozenset(lineage)
