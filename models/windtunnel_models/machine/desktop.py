"""The simulated desktop: the port `Desktop` over the screen, the application and the profile.

It takes no lock: what keeps commands apart is the bridge's business (UI-L1). Imports the ports and
the models of the screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final

from windtunnel.errors import BridgeError, Code
from windtunnel.machine.commands import Command, Commands
from windtunnel.machine.strokes import check_text, read_stroke
from windtunnel.ports import COMMAND_BOUND_S, Frame, LoginState, Region, WindowInfo
from windtunnel.units import SECOND
from windtunnel.wechat.clicks import click
from windtunnel.wechat.keys import insert, press, type_text
from windtunnel_models.access import AccessLog
from windtunnel_models.wechat.application import NAME, WeChat
from windtunnel_models.wechat.picture import picture

RESOURCE: Final = "display"
PASTE: Final = "ctrl+v"


class SimDesktop:
    """A desktop of the simulated world; `missing_window` is how long it looks for a window, ns.

    Raises as the port says: WINDOW_NOT_FOUND when the window is not there as the command begins,
    nor within that time, or when it is gone at its end; a command has no effect then.
    """

    def __init__(
        self, commands: Commands, wechat: WeChat, missing_window: int, log: AccessLog
    ) -> None:
        self._commands = commands
        self._wechat = wechat
        self._surface = wechat.surface
        self._screen = wechat.screen
        self._log = log
        self._missing_window = missing_window / SECOND

    def _begin(self, port: str) -> Command:
        if self._log.listener is not None:
            self._log.report(RESOURCE, "write")
        return Command(self._commands, port, RESOURCE)

    def _take(self, command: Command, seconds: float | None = None) -> Awaitable[None]:
        """Return what lets a command's time pass; `_require_window` has to follow."""
        if self._screen.window:
            return command.take(seconds)
        return self._look_and_take(command, seconds)

    async def _look_and_take(self, command: Command, seconds: float | None) -> None:
        time = asyncio.get_running_loop().time
        begun = time()
        if await self._appears(self._missing_window):
            await command.take(seconds, max(0.0, COMMAND_BOUND_S - (time() - begun)))

    def _require_window(self, command: Command) -> None:
        """Raise WINDOW_NOT_FOUND if the window is not there as a command ends."""
        if not self._screen.window:
            raise BridgeError(Code.WINDOW_NOT_FOUND, f"{command.name} found no window of WeChat")

    async def _appears(self, timeout: float) -> bool:
        """Wait for the window."""
        try:
            async with asyncio.timeout(timeout):
                await self._wechat.shown.wait()
        except TimeoutError:
            return self._screen.window
        return True

    async def activate(self, window: str) -> None:
        """Raise the window; it then has the display's focus, unless a popup keeps it.

        Raises WINDOW_NOT_FOUND for every other window than WeChat's.
        """
        with self._begin("activate") as command:
            await self._take(command)
            self._require_window(command)
            if window != NAME:
                raise BridgeError(Code.WINDOW_NOT_FOUND, f"there is no window of `{window}`")
            self._screen.raised = True

    async def click(self, target: str) -> None:
        """Click a target of the window; see `windtunnel.ports.Desktop.click`."""
        with self._begin("click") as command:
            await self._take(command)
            self._require_window(command)
            click(self._surface, target, command.who)

    async def key(self, name: str, count: int = 1) -> None:
        """Press a key `count` times, as one command; one that gives a character types it.

        Raises KEY_NOT_FOUND for what is no key; see `windtunnel.machine.strokes`.
        """
        with self._begin("key") as command:
            await self._take(command)
            self._require_window(command)
            stroke = read_stroke(name)
            if stroke.text:
                insert(self._surface, stroke.text * count, command.who)
                return
            for _ in range(count):
                if stroke.name == PASTE:  # whatever has the focus: a text may go astray
                    insert(self._surface, self._screen.clipboard, command.who)
                else:
                    press(self._surface, stroke.name, command.who)

    async def type_text(self, text: str) -> None:
        """Type a text into what has the focus; a line break in it is the key Return.

        Raises TEXT_NOT_TYPABLE for a lone surrogate or a NUL.
        """
        with self._begin("type_text") as command:
            await self._take(command)
            self._require_window(command)
            check_text(text)
            type_text(self._surface, text, command.who)

    async def paste_text(self, text: str) -> None:
        """Put a text into what has the focus, through the clipboard; raises as `type_text`."""
        with self._begin("paste_text") as command:
            await self._take(command)
            self._require_window(command)
            check_text(text)
            self._screen.clipboard = text
            insert(self._surface, text, command.who)

    async def capture(self, region: Region | None = None) -> Frame:
        """Return a picture: it differs where what lies on the display does."""
        with self._begin("capture") as command:
            await self._take(command)
            self._require_window(command)
            return picture(self._screen, region)

    async def login_state(self) -> LoginState:
        """Return what a screenshot shows of the log-in state; `unknown` without a window."""
        with self._begin("login_state") as command:
            await command.take()
            return self._screen.login if self._screen.window else "unknown"

    async def window(self) -> WindowInfo | None:
        """Return the window, mapped or not; no command, and no time passes."""
        return self._wechat.window()

    async def wait_window(self, timeout: float) -> WindowInfo | None:
        """Return the window once it is mapped, or None after `timeout` seconds."""
        started = asyncio.get_running_loop().time()
        with self._begin("wait_window") as command:
            if not await command.passes(command.seconds(), timeout):
                return None
            left = timeout - (asyncio.get_running_loop().time() - started)
            return self._wechat.window() if await self._appears(left) else None

    async def hold(self, seconds: float) -> None:
        """Keep the display busy for `seconds`."""
        with self._begin("hold") as command:
            await self._take(command, seconds)
            self._require_window(command)
