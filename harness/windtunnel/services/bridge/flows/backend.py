"""The backend: the desktop's commands, each under the UI lock (UI-L1).

A backend without a lock is how the wirings before the change drive the display where they take
none (UI-C1). Imports ports and the lock.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from windtunnel.ports import Desktop, Frame, LoginState, Region, WindowInfo
from windtunnel.services.bridge.flows.ui_lock import UILock

A = TypeVar("A")
R = TypeVar("R")


def _nobody(_nanoseconds: int) -> None:
    """Tell nobody of a wait."""


class Backend:
    """A `Desktop` that takes the lock for each command; raises what the port raises.

    Most methods only return the coroutine of `_locked`: one less to go through at each step.
    """

    __slots__ = ("_desktop", "lock")

    def __init__(self, desktop: Desktop, lock: UILock | None) -> None:
        self._desktop = desktop
        self.lock = lock

    async def _locked(self, command: Callable[[A], Awaitable[R]], argument: A) -> R:
        lock = self.lock
        if lock is None:
            return await command(argument)
        await lock.acquire()
        try:
            return await command(argument)
        finally:
            lock.release()

    def activate(self, window: str) -> Coroutine[Any, Any, None]:
        """Raise the window of that class and give it the focus."""
        return self._locked(self._desktop.activate, window)

    def click(self, target: str) -> Coroutine[Any, Any, None]:
        """Click a named target; raises TARGET_NOT_FOUND."""
        return self._locked(self._desktop.click, target)

    def key(self, name: str, count: int = 1) -> Coroutine[Any, Any, None]:
        """Press a key `count` times."""
        desktop = self._desktop
        return self._locked(lambda _: desktop.key(name, count), None)

    def type_text(self, text: str) -> Coroutine[Any, Any, None]:
        """Type a text into what has the focus."""
        return self._locked(self._desktop.type_text, text)

    def paste_text(self, text: str) -> Coroutine[Any, Any, None]:
        """Put a text in through the clipboard."""
        return self._locked(self._desktop.paste_text, text)

    def capture(self, region: Region | None = None) -> Coroutine[Any, Any, Frame]:
        """Return a picture of a region, or of the whole display."""
        return self._locked(self._desktop.capture, region)

    async def login_state(self, waited: Callable[[int], object] = _nobody) -> LoginState:
        """Return the log-in state as a screenshot shows it.

        `waited(ns)` is told, before the look, how long the lock took (UI-C4).
        """
        if self.lock is None:
            return await self._desktop.login_state()
        async with self.lock as nanoseconds:
            waited(nanoseconds)
            return await self._desktop.login_state()

    async def window(self) -> WindowInfo | None:
        """Return the application's window or None: a look-up, which never waits (UI-C2)."""
        return await self._desktop.window()

    def wait_window(self, timeout: float) -> Coroutine[Any, Any, WindowInfo | None]:
        """Return the window once it is there, or None after `timeout` seconds."""
        return self._locked(self._desktop.wait_window, timeout)

    def hold(self, seconds: float) -> Coroutine[Any, Any, None]:
        """Keep the display busy for so long and do nothing to it."""
        return self._locked(self._desktop.hold, seconds)
