"""WeChat: the simulated application, from the start of its process to its end.

Each process begins afresh: no session open, no draft, no dialog (UI-F3 holds while one lives).
Imports simpy's environment through the loop, and the surface that its window is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any, Final

from windtunnel.ports import WindowInfo
from windtunnel.wechat.surface import Surface
from windtunnel_models.loop.environment import SimEnvironment

NAME: Final = "wechat"
TITLE: Final = "微信"
WINDOW_ID: Final = 0x1400003
"""A restarted application gets the same window id: identity is (pid, start time, id)."""


class WeChat:
    """The application: at most one process (`pid`, 0 for none), at most one window.

    A process shows its window `start_up` ns after its start. With `restores_login` it is logged in
    where the one before it was, else it shows the QR code.
    """

    def __init__(
        self, env: SimEnvironment, surface: Surface, start_up: int, *, restores_login: bool = True
    ) -> None:
        self._env = env
        self.surface = surface
        self.screen = surface.screen
        self._start_up = start_up
        self._restores_login = restores_login
        self.pid = 0
        self._started_ns = 0
        self._has_come_up = False
        self.shown = asyncio.Event()
        """Set while the window is there."""

    # ------------------------------------------------------------------ the process

    def run_from_the_start(self, pid: int) -> None:
        """Be there, window and all, as the run begins."""
        self.pid, self._has_come_up = pid, True
        self.screen.start_afresh(self.surface.database.account)
        self._map()

    def launched(self, pid: int) -> None:
        """A process of its name was started; its window follows."""
        self.pid, self._started_ns, self._has_come_up = pid, self._env.now, False
        self._env.process(self._come_up(pid))

    def launched_again(self) -> None:
        """Start it while it runs: it shows the window it has."""
        self.show_window()
        self.screen.raised = self.screen.window

    def ended(self) -> None:
        """Its process is over: the window goes with it."""
        pid, self.pid, self._has_come_up = self.pid, 0, False
        self._unmap(pid)
        self.screen.start_afresh("unknown")

    def _come_up(self, pid: int) -> Generator[Any, Any, None]:
        yield self._env.timeout(self._start_up)
        if self.pid == pid:
            self._has_come_up = True
            was_in = self.surface.database.account == "logged_in"
            self.screen.start_afresh("logged_in" if self._restores_login and was_in else "qr")
            self.show_window()
            self.surface.note_login(self.screen.login)

    # ------------------------------------------------------------------ the window

    def show_window(self) -> None:
        """Map the window that the running process has, if it is not; nothing else changes."""
        if self._has_come_up and not self.screen.window:
            self._map()
            self._record("wechat.shown", {"pid": self.pid})

    def lose_window(self) -> None:
        """Unmap the window; the process lives on."""
        self._unmap(self.pid)

    def window(self) -> WindowInfo | None:
        """Return the window, mapped or not, or None before and without a process."""
        self.surface.screen.log.report("processes", "read")
        if not self._has_come_up:
            return None
        screen = self.screen
        focused = screen.window and screen.raised
        return WindowInfo(WINDOW_ID, self.pid, self._started_ns, TITLE, screen.window, focused)

    def _map(self) -> None:
        self.screen.window = self.screen.raised = True
        self.shown.set()

    def _unmap(self, pid: int) -> None:
        self.shown.clear()
        if self.screen.window:
            self.screen.window = self.screen.raised = False
            self._record("wechat.gone", {"pid": pid})

    def _record(self, kind: str, details: dict[str, Any]) -> None:
        self.surface.trace.record(kind, resource=NAME, details=details)
