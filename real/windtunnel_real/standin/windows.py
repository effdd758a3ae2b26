"""The windows: the stand-in's own, and another program's popup over it.

Imports the layout, the canvas and the server.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final

from Xlib import X, Xatom, Xutil, error

from windtunnel_real.standin import drawing
from windtunnel_real.standin.canvas import Canvas
from windtunnel_real.standin.layout import ORIGIN, POPUP, WINDOW, Box
from windtunnel_real.standin.panels import Fill, Panel, label
from windtunnel_real.standin.server import Server

EVENTS: Final = (
    X.KeyPressMask
    | X.ButtonPressMask
    | X.ExposureMask
    | X.StructureNotifyMask
    | X.FocusChangeMask
    | X.PropertyChangeMask
    | X.VisibilityChangeMask
)


@dataclass(frozen=True, slots=True)
class Names:
    """What the window is called."""

    title: str = "微信"
    window_class: str = "wechat"


class MainWindow:
    """The window of the application: made when it comes up, mapped and unmapped as it is told."""

    def __init__(self, server: Server, names: Names) -> None:
        self._server = server
        self.names = names
        self.window: Any = server.root.create_window(
            *(*ORIGIN, WINDOW.width, WINDOW.height, 0, server.depth, X.InputOutput),
            event_mask=EVENTS,
        )
        self._describe()
        self.call(names)
        self.canvas = Canvas(server, self.window)

    def _describe(self) -> None:
        window, atom = self.window, self._server.atom
        window.set_wm_protocols([atom("WM_DELETE_WINDOW")])
        flags = Xutil.USPosition | Xutil.USSize | Xutil.PMinSize | Xutil.PMaxSize
        size = {"min_width": WINDOW.width, "min_height": WINDOW.height}
        most = {"max_width": WINDOW.width, "max_height": WINDOW.height}
        window.set_wm_normal_hints(flags=flags, **size, **most)
        window.set_wm_hints(flags=Xutil.InputHint, input=1)
        window.change_property(atom("_NET_WM_PID"), Xatom.CARDINAL, 32, [os.getpid()])

    def call(self, names: Names) -> None:
        """Set the title and the class (both its instance and its class)."""
        self.names = names
        atom, title = self._server.atom, names.title.encode()
        utf8 = atom("UTF8_STRING")
        self.window.set_wm_class(names.window_class, names.window_class)
        for name in ("_NET_WM_NAME", "_NET_WM_ICON_NAME"):
            self.window.change_property(atom(name), utf8, 8, title)
        for name in (Xatom.WM_NAME, Xatom.WM_ICON_NAME):
            self.window.change_property(name, utf8, 8, title)

    def map(self) -> None:
        """Ask to be shown, on top."""
        self.window.configure(stack_mode=X.Above)
        self.window.map()

    def unmap(self) -> None:
        """Be there no more."""
        self.window.unmap()

    def take_focus(self) -> None:
        """Ask for the keys."""
        self.window.set_input_focus(
            X.RevertToParent, X.CurrentTime, onerror=error.CatchError(error.BadMatch)
        )

    def corner(self) -> tuple[int, int]:
        """Return where its top left corner lies on the display."""
        found = self.window.translate_coords(self._server.root, 0, 0)
        return -found.x, -found.y


class Popup:
    """Another program's window over the main one, all but its title strip; it takes the focus.

    No window manager sees it. It comes to the top again whenever something covers it.
    """

    def __init__(self, server: Server, corner: tuple[int, int]) -> None:
        self._server = server
        x, y = corner[0] + POPUP.x, corner[1] + POPUP.y
        self.window: Any = server.root.create_window(
            *(x, y, POPUP.width, POPUP.height, 0, server.depth, X.InputOutput),
            event_mask=EVENTS,
            override_redirect=True,
        )
        self.window.set_wm_class("updater", "Updater")
        self.window.set_wm_name("Update")
        self._canvas = Canvas(server, self.window)
        self.window.map()
        self.take_focus()

    def take_focus(self) -> None:
        """Take the keys."""
        self.window.set_input_focus(
            X.RevertToParent, X.CurrentTime, onerror=error.CatchError(error.BadMatch)
        )

    def draw(self) -> None:
        """Show what it says."""
        whole = Box(0, 0, POPUP.width, POPUP.height)
        blue, size = (38, 92, 140), 280
        said = label(POPUP.width // 2 - 120, 220, "软件更新可用", 26, drawing.WHITE, blue, size)
        more = label(POPUP.width // 2 - 120, 270, "点击任意处关闭", 16, (200, 215, 230), blue, size)
        items = (Fill(whole, blue), said, more)
        self._canvas.paint((Panel(whole, items),))
        self._canvas.show(whole)

    def stay_above(self) -> None:
        """Come to the top."""
        self.window.configure(stack_mode=X.Above)

    def close(self) -> None:
        """Be gone."""
        self._canvas.free()
        self.window.destroy()
