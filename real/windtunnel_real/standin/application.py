"""The application: the state machine behind a real window, from its coming up on.

What a process starts with is as in the simulation. Imports the state machine, the windows, the
scene, the input, the records and the log.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from Xlib import X

from windtunnel.wechat.accesses import NoAccesses
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel_real.standin.input import Input
from windtunnel_real.standin.layout import ORIGIN
from windtunnel_real.standin.log import Log
from windtunnel_real.standin.records import Records
from windtunnel_real.standin.rows import Rows
from windtunnel_real.standin.scene import scene
from windtunnel_real.standin.server import Server
from windtunnel_real.standin.windows import MainWindow, Names, Popup

SHOWING_S: Final = 3.0
"""Seconds that a window manager has to show the window, or to take it away."""
POPUP_MARK: Final = "popup"
"""Name of the file in the data folder that `Birth.popup_mark` is."""
_OWN_FOCUS: Final = frozenset({X.NotifyNormal, X.NotifyWhileGrabbed})
_OF_A_POINTER: Final = frozenset({X.NotifyPointer, X.NotifyInferior})
_INPUT: Final = frozenset({X.KeyPress, X.ButtonPress})


@dataclass(frozen=True, slots=True)
class Birth:
    """How a process begins."""

    names: Names = field(default_factory=Names)
    restores_login: bool = True
    """Whether it is logged in where the one before it was; else it shows the QR code."""
    first: bool = False
    """Whether it is there as a run begins: logged in or not as the account is, and no news."""
    session: str = ""
    """Whose session is open from the start; for the first one only."""
    popup_mark: Path | None = None
    """A file that is there while the popup is: another program's window outlives this process."""


class Application:
    """The application on one display. One thread has it, and calls `handle`, `settle`, `paint`."""

    def __init__(self, server: Server, records: Records, log: Log, birth: Birth) -> None:
        self.server = server
        self.records = records
        self.log = log
        self.birth = birth
        self.screen = Screen(NoAccesses())
        self.surface = Surface(self.screen, records.database, log)
        self.rows = Rows(self.surface)
        self.input = Input(server, self.surface, self.rows, log)
        self.window: MainWindow | None = None
        self.popup: Popup | None = None
        self.slower_s = 0.0
        """How much longer each key and click takes, in seconds."""
        self.hangs_s = 0.0
        """For how many seconds `hang` is to last."""
        self._quiet = birth.first
        self._held: deque[Any] = deque()
        self._on: dict[int, Callable[[Any], None]] = {
            X.ButtonPress: self._clicked,
            X.KeyPress: self._pressed,
            X.Expose: self._exposed,
            X.MapNotify: self._mapped,
            X.UnmapNotify: self._unmapped,
            X.FocusIn: self._focused,
            X.FocusOut: self._focused,
            X.VisibilityNotify: self._covered,
            X.MappingNotify: server.refresh_keys,
            X.ClientMessage: self._told,
        }

    # ------------------------------------------------------------------ its life

    def come_up(self) -> None:
        """Make the window and show it: the process has started up."""
        account = self.records.database.account
        if self.birth.first:
            self.screen.start_afresh(account)
            if account == "logged_in" and self.birth.session:
                self.screen.open_session(self.birth.session)
                self.screen.leave_boxes()
        else:
            stays = self.birth.restores_login and account == "logged_in"
            self.screen.start_afresh("logged_in" if stays else "qr")
        mark = self.birth.popup_mark
        self.screen.popup = mark is not None and mark.exists()
        self.window = MainWindow(self.server, self.birth.names)
        self.paint()
        self.show()

    def show(self) -> None:
        """Show the window, on top and with the focus; nothing happens before it has come up."""
        if self.window is not None:
            self.window.map()
            if self.screen.window:
                self.window.take_focus()
                self.screen.raised = True

    def hide(self) -> None:
        """Take the window away; the process lives on."""
        if self.window is not None:
            self.window.unmap()

    def rename(self, **names: str) -> None:
        """Change the window's `title` or `window_class`."""
        self.birth = replace(self.birth, names=replace(self.birth.names, **names))
        if self.window is not None:
            self.window.call(self.birth.names)

    # ------------------------------------------------------------------ what its loop does

    def handle(self) -> int:
        """Handle what has come from the display; returns how many events that were."""
        count = 0
        while True:
            pasting = self.input.pasting.is_under_way
            event = self._held.popleft() if self._held and not pasting else self.server.next_event()
            if event is None:
                return count
            count += 1
            if pasting and event.type in _INPUT:
                # What follows on a paste is meant for what it leaves.
                self._held.append(event)
            else:
                self._take(event)
                self.settle()

    def settle(self) -> None:
        """Write down what has changed, then tell of it, and have the popup there or not."""
        if self.log.has_lines:
            self.records.save()
            self.log.tell()
        if self.screen.popup == (self.popup is None):
            self._open_or_close_popup()

    def paint(self) -> bool:
        """Show what has changed on the window; tells whether anything has."""
        if self.window is None:
            return False
        title = self.birth.names.title
        return self.window.canvas.paint(scene(self.surface, self.rows, title))

    def drain(self) -> None:
        """Handle every event that the display had for it by now, and show what comes of them."""
        while True:
            self.server.sync()
            handled = self.handle()
            if self.input.pasting.is_under_way:
                self._wait(self.input.pasting.left())
                self.expire()
                continue
            self.input.going.end()
            self.settle()
            if not self.paint() and not handled:
                return

    def until_shown(self, *, shown: bool) -> bool:
        """Handle events until the window is there, or is not; False if that takes too long."""
        deadline = time.monotonic() + SHOWING_S
        while self.screen.window != shown:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if not self.handle():
                self._wait(left)
        return True

    def expire(self) -> None:
        """Give up what has been awaited for too long."""
        if self.input.pasting.give_up():
            self.input.lose_paste()
        if self.input.going.left() == 0:
            self.input.going.end()
        self.settle()

    def hang(self) -> None:
        """Do nothing for as long as was asked for, or until SIGCONT comes."""
        if self.hangs_s:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCONT})
            signal.sigtimedwait({signal.SIGCONT}, self.hangs_s)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCONT})
            self.hangs_s = 0.0

    def next_expiry(self) -> float | None:
        """Return the seconds until `expire` has something to do; None: nothing is awaited."""
        if self.input.pasting.is_under_way:
            return self.input.pasting.left()
        return self.input.going.left()

    def _wait(self, seconds: float) -> None:
        if not self.server.sync():
            select.select([self.server], [], [], seconds)

    # ------------------------------------------------------------------ events

    def _take(self, event: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        if event.type in _INPUT and self.slower_s:
            time.sleep(self.slower_s)
        if self.input.pasting.is_under_way:
            text = self.input.pasting.take(event)
            if text is not None:
                self.input.paste(text)
        react = self._on.get(event.type)
        if react is not None:
            react(event)

    def _is_on_popup(self, event: Any) -> bool:  # noqa: ANN401 - python-xlib has no types
        return self.window is None or event.window.id != self.window.window.id

    def _clicked(self, event: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        if event.detail == X.Button1:
            self.input.click(event, on_popup=self._is_on_popup(event))

    def _pressed(self, event: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        self.input.key(event, on_popup=self._is_on_popup(event))

    def _exposed(self, event: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        if event.count:
            return
        if not self._is_on_popup(event) and self.window is not None:
            self.window.canvas.show()
        elif self.popup is not None:
            self.popup.draw()

    def _mapped(self, event: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        if self._is_on_popup(event) or self.window is None or self.screen.window:
            return
        self.screen.window = self.screen.raised = True
        self.window.take_focus()
        if not self._quiet:
            self.log.note("wechat.shown", pid=os.getpid())
            self.surface.note_login(self.screen.login)
        self._quiet = False

    def _unmapped(self, event: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        if not self._is_on_popup(event) and self.screen.window:
            self.screen.window = self.screen.raised = False
            self.log.note("wechat.gone", pid=os.getpid())

    def _focused(self, event: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        if self._is_on_popup(event) or event.mode not in _OWN_FOCUS:
            return
        if event.detail not in _OF_A_POINTER:
            self.input.going.end()
            self.screen.raised = self.screen.window and event.type == X.FocusIn

    def _covered(self, event: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        is_covered = event.state != X.VisibilityUnobscured
        if self.popup is not None and event.window.id == self.popup.window.id and is_covered:
            self.popup.stay_above()

    def _told(self, event: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        """Be closed as people close it: the window goes, the process stays."""
        if event.data[1][0] == self.server.atom("WM_DELETE_WINDOW"):
            self.hide()

    def _open_or_close_popup(self) -> None:
        mark = self.birth.popup_mark
        if self.popup is None:
            if mark is not None:
                mark.touch()
            corner = ORIGIN if self.window is None else self.window.corner()
            self.popup = Popup(self.server, corner)
            return
        if mark is not None:
            mark.unlink(missing_ok=True)
        self.popup.close()
        self.popup = None
        if self.window is not None and self.screen.raised:
            self.window.take_focus()
