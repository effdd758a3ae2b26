"""The real desktop: the port `Desktop` over an X display, by sight and hands.

Each command ends in a postcondition: the window is there, and the stand-in has answered that it
has worked off what reached it. It takes no lock: what keeps commands apart is the bridge's
business (UI-L1). Imports the ports and the parts of the machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from windtunnel.errors import BridgeError, Code
from windtunnel.machine.strokes import check_text, read_stroke
from windtunnel.ports import COMMAND_BOUND_S, Frame, LoginState, Region, WindowInfo
from windtunnel.wechat.tables import PICTURED
from windtunnel_real.machine.going import Going, Goings, no_window
from windtunnel_real.machine.hands import Hands
from windtunnel_real.machine.sight import Sight
from windtunnel_real.machine.told import NAME
from windtunnel_real.x11 import pointer
from windtunnel_real.x11.errors import WindowGoneError
from windtunnel_real.x11.windows import FoundWindow

Place = Callable[[str, float], Awaitable[tuple[int, int]]]
"""Where in the window a target lies, blind to what covers it; within so many seconds."""
Drain = Callable[[float], Awaitable[None]]
"""Waits until the application has worked off what reached it; within so many seconds."""

LOOK_UP_S: Final = COMMAND_BOUND_S


@dataclass(frozen=True, slots=True)
class RealDesktop:
    """A desktop of the real world; `missing_window` is how long it looks for a window, seconds.

    Raises as the port says: WINDOW_NOT_FOUND when the window is not there as the command begins,
    nor within that time, or when it is gone at its end.
    """

    goings: Goings
    sight: Sight
    hands: Hands
    place: Place
    drain: Drain
    missing_window: float

    async def activate(self, window: str) -> None:
        """Raise the window and give it the focus; over when it has it."""
        async with self.goings.begin("activate") as going:
            found = await self._ready(going)
            if window != NAME:
                raise BridgeError(Code.WINDOW_NOT_FOUND, f"there is no window of `{window}`")
            try:
                await self.hands.driver.activate(found.info.id, timeout=going.left())
            except WindowGoneError as error:
                raise no_window(going.command) from error
            await self._over(going)

    async def click(self, target: str) -> None:
        """Click a target of the window; see `windtunnel.ports.Desktop.click`."""
        async with self.goings.begin("click", target) as going:
            place = await self.aim(await self._ready(going), target, going.left())
            if place is None:
                raise BridgeError(
                    Code.TARGET_NOT_FOUND, f"nothing on the screen looks like `{target}`"
                )
            await self.hands.driver.click(*place, timeout=going.left())
            await pointer.released(self.sight.connection, going.left())
            await self._over(going)

    async def aim(self, window: FoundWindow, target: str, timeout: float) -> tuple[int, int] | None:
        """Return where on the display a target lies, or None for a picture that is not shown."""
        if target in PICTURED:
            return await self.sight.place_of(window, target, timeout)
        x, y = await self.place(target, timeout)
        return window.x + x, window.y + y

    async def key(self, name: str, count: int = 1) -> None:
        """Press a key `count` times, as one command; one that gives a character types it.

        Raises KEY_NOT_FOUND for what is no key; see `windtunnel.machine.strokes`.
        """
        async with self.goings.begin("key") as going:
            await self._ready(going)
            read_stroke(name)
            await self.hands.driver.key(name, count, timeout=going.left())
            await self._over(going)

    async def type_text(self, text: str) -> None:
        """Type a text into what has the focus; a line break in it is the key Return.

        Raises TEXT_NOT_TYPABLE for a lone surrogate or a NUL.
        """
        async with self.goings.begin("type_text") as going:
            await self._ready(going)
            check_text(text)
            await self.hands.typist.type_text(text, timeout=going.left())
            await self._over(going)

    async def paste_text(self, text: str) -> None:
        """Put a text into what has the focus, through the clipboard; raises as `type_text`."""
        async with self.goings.begin("paste_text") as going:
            await self._ready(going)
            check_text(text)
            await self.hands.typist.paste_text(text, timeout=going.left())
            await self._over(going)

    async def capture(self, region: Region | None = None) -> Frame:
        """Return a picture of a region, or of the whole display."""
        async with self.goings.begin("capture") as going:
            await self._ready(going)
            return await self.sight.frame(region, going.left())

    async def login_state(self) -> LoginState:
        """Return what a screenshot shows of the log-in state; `unknown` without a window."""
        async with self.goings.begin("login_state") as going:
            await self._pass(going)
            window = await self.sight.mapped(going.left())
            return (
                "unknown" if window is None else await self.sight.login_state(window, going.left())
            )

    async def window(self) -> WindowInfo | None:
        """Return the window, mapped or not: a look-up, no command."""
        found = await self.sight.window(LOOK_UP_S)
        return None if found is None else found.info

    async def wait_window(self, timeout: float) -> WindowInfo | None:
        """Return the window once it is mapped, or None after `timeout` seconds."""
        started = asyncio.get_running_loop().time()
        async with self.goings.begin("wait_window", bound=timeout + COMMAND_BOUND_S) as going:
            if not await going.command.passes(going.command.seconds(), timeout):
                return None
            left = timeout - (asyncio.get_running_loop().time() - started)
            if await self.sight.appears(left, going.left()) is None:
                return None
            with suppress(TimeoutError):  # a window of one that hangs is there all the same
                await self.drain(going.left())
            window = await self.sight.mapped(LOOK_UP_S)
            return None if window is None else window.info

    async def hold(self, seconds: float) -> None:
        """Keep the display busy for `seconds`."""
        async with self.goings.begin("hold") as going:
            await self._ready(going, seconds)
            await self._require_window(going)

    async def _ready(self, going: Going, seconds: float | None = None) -> FoundWindow:
        """Let the command's own time pass and return the window."""
        if await self.sight.mapped(going.left()) is None:
            if await self.sight.appears(self.missing_window, going.left()) is None:
                raise no_window(going.command)
            await self.drain(going.left())  # it is there, but may show nothing yet
        await self._pass(going, seconds)
        return await self._require_window(going)

    async def _pass(self, going: Going, seconds: float | None = None) -> None:
        """Let a command's own time pass, and meet what lies in wait for it."""
        command = going.command
        if not await command.passes(
            command.seconds() if seconds is None else seconds, going.left()
        ):
            raise command.given_up(COMMAND_BOUND_S)

    async def _over(self, going: Going) -> None:
        """Wait until the application has worked off the command."""
        await self.drain(going.left())
        await self._require_window(going)

    async def _require_window(self, going: Going) -> FoundWindow:
        window = await self.sight.mapped(going.left())
        if window is None:
            raise no_window(going.command)
        return window
