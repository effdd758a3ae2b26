"""Properties of windows, asked for before they are waited for: many in one round trip.

Imports python-xlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from windtunnel_real.x11.xlib import X, XDisplay, XRequest, error, request

_MOST: Final = 4096
"""Of a property, in units of four bytes: more is not read."""

GONE: Final = (error.BadWindow, error.BadDrawable)
"""What a request about a window ends with that is not there any more."""


def ask(xdisplay: XDisplay, window: int, name: str) -> XRequest:
    """Ask for a property of any type, and do not wait for it."""
    return request.GetProperty(
        display=xdisplay.display,
        defer=True,
        delete=False,
        window=window,
        property=xdisplay.get_atom(name),
        type=X.AnyPropertyType,
        long_offset=0,
        long_length=_MOST,
    )


def numbers(asked: XRequest) -> tuple[int, ...]:
    """Return a property of numbers, empty where there is none; waits. Raises one of `GONE`."""
    asked.reply()
    if not asked.property_type or asked.value[0] == 8:  # noqa: PLR2004 - bits of a unit
        return ()
    return tuple(int(number) for number in asked.value[1])


def text(asked: XRequest, utf8: int) -> str:
    """Return a property as text, empty where there is none; waits. Raises one of `GONE`.

    `utf8` is the atom UTF8_STRING; a text of another type is taken for Latin-1.
    """
    asked.reply()
    if not asked.property_type or asked.value[0] != 8:  # noqa: PLR2004 - bits of a unit
        return ""
    encoding = "utf-8" if asked.property_type == utf8 else "latin-1"
    return bytes(asked.value[1]).decode(encoding, "replace")


def first(values: Sequence[int]) -> int:
    """Return the first of them, or 0."""
    return values[0] if values else 0
