"""The port `Desktop`: a display that is driven by pointer and keys, and what it shows.

It records `command.started` and `command.ended` for each call that it makes on behalf of somebody
(`windtunnel.acting`), under the name that the flow gives it, else under its own. Imports nothing of
the project.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol, runtime_checkable

LoginState = Literal["logged_in", "logged_out", "qr", "unknown"]

COMMAND_BOUND_S: Final = 5.0
"""Seconds after which any one command of a desktop is given up with TIMEOUT."""


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of the display, in pixels from the top left corner."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A captured picture: `width` × `height` pixels, 4 bytes each (B, G, R, unused), row by row."""

    width: int
    height: int
    pixels: bytes


@dataclass(frozen=True, slots=True)
class WindowInfo:
    """The application's window. Its identity is (pid, start time, id): ids are used again."""

    id: int
    pid: int
    started_ns: int
    title: str
    mapped: bool
    focused: bool


@runtime_checkable
class Desktop(Protocol):
    """A desktop that is driven by pointer and keys. Each call is one command.

    Every call but `window` raises `BridgeError` with code TIMEOUT after `COMMAND_BOUND_S`, and
    with WINDOW_NOT_FOUND when the application's window is gone (UI-F2). Keys go to whatever has
    the focus, clicks to whatever lies at that place.
    """

    async def activate(self, window: str) -> None:
        """Raise the window of that class and give it the focus."""

    async def click(self, target: str) -> None:
        """Click a named target of the window, such as `search` or `send`.

        Raises TARGET_NOT_FOUND for a target that is looked for by its picture and is not shown.
        """

    async def key(self, name: str, count: int = 1) -> None:
        """Press and release a key by its X keysym name (`Return`, `ctrl+v`), `count` times.

        Raises KEY_NOT_FOUND for a name that no keyboard knows.
        """

    async def type_text(self, text: str) -> None:
        """Type a text into what has the focus, in any script; a line break is the key Return.

        Raises TEXT_NOT_TYPABLE, before anything is typed, for a NUL or a lone surrogate.
        """

    async def paste_text(self, text: str) -> None:
        """Put a text in through the clipboard, as it is; raises TEXT_NOT_TYPABLE."""

    async def capture(self, region: Region | None = None) -> Frame:
        """Return a picture of a region, or of the whole display."""

    async def login_state(self) -> LoginState:
        """Return the log-in state as a screenshot shows it; `unknown` without a window."""

    async def window(self) -> WindowInfo | None:
        """Return the application's window, or None: a look-up, no command (UI-C2)."""

    async def wait_window(self, timeout: float) -> WindowInfo | None:
        """Return the window once it is there, or None after `timeout` seconds."""

    async def hold(self, seconds: float) -> None:
        """Keep the display busy for so long and do nothing to it."""
