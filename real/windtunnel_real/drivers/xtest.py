"""The driver that sends input by the XTEST extension, over a connection that is open.

Each command is one job: what is held is let go of, all is sent, and the server has taken it when
the job ends. Imports the connection, the keyboard and activation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

from windtunnel_real.drivers.driver import DriverName
from windtunnel_real.errors import DeadlineError, DisplayDiedError, InputError
from windtunnel_real.x11 import activation
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.keyboard import Keyboard
from windtunnel_real.x11.keymap import Stroke
from windtunnel_real.x11.xlib import X, XDisplay

_GIVE_BACK_S: Final = 1.0


class XTestDriver:
    """Implements `Driver`. The connection is its maker's to close."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keyboard = Keyboard()

    @property
    def name(self) -> DriverName:
        """Its name."""
        return "xtest"

    async def click(self, x: int, y: int, *, timeout: float) -> None:
        """Move the pointer there and click its first button."""

        def job(xdisplay: XDisplay, _: Keyboard) -> None:
            xdisplay.xtest_fake_input(X.MotionNotify, x=x, y=y)
            xdisplay.xtest_fake_input(X.ButtonPress, 1)
            xdisplay.xtest_fake_input(X.ButtonRelease, 1)

        await self._do(job, timeout, f"click at {x},{y}")

    async def key(self, name: str, count: int = 1, *, timeout: float) -> None:
        """Press and release a key, or a chord, `count` times."""

        def job(xdisplay: XDisplay, keyboard: Keyboard) -> None:
            _press(xdisplay, [keyboard.chord(xdisplay, name)] * count)

        await self._do(job, timeout, f"key {name}")

    async def type_keys(self, text: str, *, timeout: float) -> None:
        """Type a text of printable ASCII.

        Raises `InputError` too when the keyboard's map was changed while it was typed: what arrived
        is not known then.
        """

        def job(xdisplay: XDisplay, keyboard: Keyboard) -> None:
            strokes = keyboard.text(xdisplay, text)
            _press(xdisplay, strokes)
            xdisplay.sync()
            if keyboard.changed(xdisplay, text, strokes):
                raise InputError(f"the keyboard's map was changed while {text!r} was typed")

        await self._do(job, timeout, f"type {len(text)} characters")

    async def activate(self, window: int, *, timeout: float) -> None:
        """Map and raise a window and give it the focus; over when it has it."""
        await activation.activate(self._connection, window, timeout)

    async def release_keys(self, *, timeout: float) -> None:
        """Let go of every key, button and lock, whoever holds it."""
        await self._do(lambda _, __: None, timeout, "release keys")

    async def close(self) -> None:
        """Leave the keyboard as it was found; nothing happens the second time."""
        with suppress(DeadlineError, DisplayDiedError, InputError):
            await self._connection.call(
                self._keyboard.give_back, _GIVE_BACK_S, "give the keyboard back"
            )

    async def _do(
        self, job: Callable[[XDisplay, Keyboard], None], timeout: float, what: str
    ) -> None:
        def whole(xdisplay: XDisplay) -> None:
            self._keyboard.take_over(xdisplay)
            job(xdisplay, self._keyboard)

        await self._connection.call(whole, timeout, what)


def _press(xdisplay: XDisplay, strokes: Iterable[Stroke]) -> None:
    # A key that several strokes in a row want held stays down between them.
    held: tuple[int, ...] = ()
    for stroke in strokes:
        _hold(xdisplay, held, stroke.held)
        held = stroke.held
        xdisplay.xtest_fake_input(X.KeyPress, stroke.keycode)
        xdisplay.xtest_fake_input(X.KeyRelease, stroke.keycode)
    _hold(xdisplay, held, ())


def _hold(xdisplay: XDisplay, before: tuple[int, ...], now: tuple[int, ...]) -> None:
    for keycode in reversed(before):
        if keycode not in now:
            xdisplay.xtest_fake_input(X.KeyRelease, keycode)
    for keycode in now:
        if keycode not in before:
            xdisplay.xtest_fake_input(X.KeyPress, keycode)
