"""The driver that has its commands done by xdotool; how xdotool is run is its runner's affair.

Imports its words and the errors of the real world.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Final, Protocol

from windtunnel_real.drivers.driver import DriverName
from windtunnel_real.drivers.xdotool_words import Words, click_words, key_words, type_words
from windtunnel_real.errors import DeadlineError, DisplayDiedError, InputError

POLL_S: Final = 0.005
"""Between two looks at who has the focus."""

_NO_MANAGER: Final = "_NET_ACTIVE_WINDOW"
"""`windowactivate` names it when nobody would answer to it: there is no window manager."""
_SERVER_GONE: Final = re.compile(r"fatal IO error|X connection to .* broken|Can't open display")
_NOT_SHOWN: Final = "BadMatch"
"""A window whose parent is not shown yet cannot have the focus."""
_NO_WINDOW: Final = re.compile(r"BadWindow|BadDrawable")


@dataclass(frozen=True, slots=True)
class Said:
    """What came of a command."""

    output: str
    complaints: str
    """What xdotool wrote to its standard error."""
    ended: str = ""
    """How xdotool ended where that is no success (`exit code 1`, `signal 9`), else empty."""


class Runner(Protocol):
    """What runs commands of xdotool on one display."""

    async def run(self, words: Words, *, timeout: float) -> Said:
        """Run a command to its end.

        Raises `DeadlineError` after `timeout` seconds (xdotool is killed and reaped then, as when
        the caller is cancelled) and `DisplayStartError` when there is no xdotool.
        """

    async def close(self) -> None:
        """Let go of what it holds; nothing happens the second time."""


class XdotoolDriver:
    """Input by xdotool. `delay_ms` is its pause between keys and after a click, in milliseconds.

    None leaves xdotool its own: 12 ms for a key, 100 ms for a click.
    """

    def __init__(self, name: DriverName, runner: Runner, *, delay_ms: int | None) -> None:
        self._name: DriverName = name
        self._runner = runner
        self._delay_ms = delay_ms

    @property
    def name(self) -> DriverName:
        """Its name."""
        return self._name

    async def click(self, x: int, y: int, *, timeout: float) -> None:
        """Move the pointer there and click its first button; errors as of `Driver`."""
        await self._do(click_words(x, y, self._delay_ms), timeout)

    async def key(self, name: str, count: int = 1, *, timeout: float) -> None:
        """Press and release a key, `count` times; errors as of `Driver`."""
        await self._do(key_words(name, count, self._delay_ms), timeout)

    async def type_keys(self, text: str, *, timeout: float) -> None:
        """Type a text of printable ASCII; errors as of `Driver`."""
        until = _now() + timeout
        for words in type_words(text, self._delay_ms):
            await self._do(words, until - _now())

    async def activate(self, window: int, *, timeout: float) -> None:
        """Map and raise a window and give it the focus; errors as of `Driver`.

        A window manager is asked to, where there is one.
        """
        try:
            async with asyncio.timeout(timeout):
                await self._activate(window, timeout)
        except TimeoutError:
            raise DeadlineError(
                f"window {window:#x} did not get the focus in {timeout:g} s"
            ) from None

    async def close(self) -> None:
        """Let go of xdotool."""
        await self._runner.close()

    async def _do(self, words: Words, timeout: float) -> None:
        said = await self._runner.run(words, timeout=timeout)
        if said.ended or said.complaints:
            raise trouble(said, words)

    async def _activate(self, window: int, timeout: float) -> None:
        asked = ("windowmap", str(window), "windowactivate", str(window))
        said = await self._runner.run(asked, timeout=timeout)
        managed = _NO_MANAGER not in said.complaints
        if managed and said.ended:
            raise trouble(said, asked)
        given = managed or await self._give_focus(window, timeout)
        while not (given and await self._focused(window, timeout)):
            await asyncio.sleep(POLL_S)
            given = given or await self._give_focus(window, timeout)

    async def _give_focus(self, window: int, timeout: float) -> bool:
        words = ("windowraise", str(window), "windowfocus", str(window))
        said = await self._runner.run(words, timeout=timeout)
        if _NOT_SHOWN in said.complaints:
            return False
        if said.ended or said.complaints:
            raise trouble(said, words)
        return True

    async def _focused(self, window: int, timeout: float) -> bool:
        # Of a toolkit's window a child may have the focus: `getwindowfocus` alone goes up from
        # there to the window that a window manager knows, and fails where there is none.
        for words in (("getwindowfocus", "-f"), ("getwindowfocus",)):
            said = await self._runner.run(words, timeout=timeout)
            if _SERVER_GONE.search(said.complaints):
                raise trouble(said, words)
            if said.output.strip() == str(window):
                return True
        return False


def trouble(said: Said, words: Words) -> DisplayDiedError | InputError:
    """Return the error that xdotool's complaints about a command are."""
    complaints = " ".join(said.complaints.split())
    what = f"xdotool {words[0]}"
    if _SERVER_GONE.search(complaints):
        return DisplayDiedError(f"{what}: the display is gone: {complaints}")
    if _NO_WINDOW.search(complaints):
        return InputError(f"{what} {words[1]}: there is no such window: {complaints}")
    if complaints:
        return InputError(f"{what}: {complaints}")
    return InputError(
        f"{what}: xdotool ended in the middle ({said.ended}); whether it was done is not known"
    )


def ending(code: int | None) -> str:
    """Return how a process ended, for `Said.ended`."""
    if code is not None and code < 0:
        return f"signal {-code}"
    return f"exit code {code}" if code else ""


def _now() -> float:
    return asyncio.get_running_loop().time()
