"""Input: clicks and keys of the display, turned into calls of the state machine.

Imports the state machine, what lies where, keys, pasting and the log.
"""

from __future__ import annotations

from typing import Any

from windtunnel.acting import Acting
from windtunnel.wechat.clicks import click
from windtunnel.wechat.keys import focus_of, insert, press
from windtunnel.wechat.surface import Surface
from windtunnel_real.standin.going import Going
from windtunnel_real.standin.hits import hit, said_of
from windtunnel_real.standin.keys import stroke
from windtunnel_real.standin.layout import POPUP
from windtunnel_real.standin.log import Log
from windtunnel_real.standin.pasting import Pasting
from windtunnel_real.standin.rows import Rows
from windtunnel_real.standin.server import Server


class Input:
    """What comes in from pointer, keyboard and clipboard; each is logged as it is received."""

    def __init__(self, server: Server, surface: Surface, rows: Rows, log: Log) -> None:
        self._server = server
        self._surface = surface
        self._rows = rows
        self._log = log
        self._who = Acting("", "")
        self.going = Going(surface, log, self._who)
        self.pasting = Pasting(server)

    def click(self, event: Any, *, on_popup: bool) -> None:  # noqa: ANN401 - python-xlib has no types
        """Take a press of the first button."""
        self.going.end()
        x, y = event.event_x, event.event_y
        if on_popup:
            x, y = x + POPUP.x, y + POPUP.y
        target = hit(self._surface, self._rows, x, y)
        self._log.missed = ""
        line = self._log.note("click", target=target, x=x, y=y)
        click(self._surface, target, self._who)
        line["details"]["hit"] = said_of(target, self._log.missed)

    def key(self, event: Any, *, on_popup: bool) -> None:  # noqa: ANN401 - python-xlib has no types
        """Take a key press; the window that got it has the focus."""
        if self._surface.screen.raised == on_popup:
            self.going.end()
            self._surface.screen.raised = not on_popup
        pressed = stroke(self._server.keysym, event.detail, event.state)
        if pressed is None:
            return
        if pressed.text:
            self.going.type(pressed.text)
            return
        self.going.end()
        self._log.note("key", key=pressed.name, place=focus_of(self._surface))
        if pressed.name == "ctrl+v":
            self.pasting.ask(event.window, event.time)
        else:
            press(self._surface, pressed.name, self._who)

    def paste(self, text: str) -> None:
        """Take the text that was asked for."""
        self._surface.screen.clipboard = text
        place = focus_of(self._surface)
        self._log.note("text", text=text, place=place, pasted=True)
        insert(self._surface, text, self._who)

    def lose_paste(self) -> None:
        """Note that the clipboard's owner did not give its text."""
        self._log.note("text.lost", place=focus_of(self._surface))
