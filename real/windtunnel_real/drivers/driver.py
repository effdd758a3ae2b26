"""A driver: what moves the pointer and presses keys on one display.

It knows pixels and keys only; windows are found by `x11/windows`, texts are made of keys and the
clipboard by `x11/typing`. Imports nothing of the project.
"""

from __future__ import annotations

from typing import Final, Literal, Protocol, runtime_checkable

DriverName = Literal["xtest", "xdotool-pipe", "xdotool"]
DRIVERS: Final[tuple[DriverName, ...]] = ("xtest", "xdotool-pipe", "xdotool")
"""XTEST through python-xlib; one `xdotool -` kept open; a process of `xdotool` per command."""


@runtime_checkable
class Driver(Protocol):
    """Input on one display. Each call is over when the X server has taken it.

    That proves nothing about the application. Each raises `DeadlineError` after `timeout` seconds
    (what was not sent by then is not sent later), `DisplayDiedError` when the server is gone and
    `InputError` for what the display does not know.
    """

    @property
    def name(self) -> DriverName:
        """Its name."""

    async def click(self, x: int, y: int, *, timeout: float) -> None:
        """Move the pointer there and click its first button."""

    async def key(self, name: str, count: int = 1, *, timeout: float) -> None:
        """Press and release a key by its X keysym name (`Return`, `ctrl+v`), `count` times."""

    async def type_keys(self, text: str, *, timeout: float) -> None:
        """Type a text of printable ASCII key by key; the keyboard's map is as `x11/keyboard` says.

        Raises `InputError`, before the first key, for a character that no key gives.
        """

    async def activate(self, window: int, *, timeout: float) -> None:
        """Map and raise a window and give it the focus; over when it has it.

        Raises `InputError` when there is no such window (any more).
        """

    async def close(self) -> None:
        """Let go of what it holds; nothing happens the second time."""
