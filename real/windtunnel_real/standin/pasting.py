"""Pasting: asking for the text in the clipboard, and getting it, in one piece or in many (INCR).

Imports the server.
"""

from __future__ import annotations

import time
from typing import Any, Final

from Xlib import X

from windtunnel_real.standin.server import Server

LIMIT_S: Final = 3.0
"""Seconds after which an owner that says nothing (any more) is given up."""
_MOST: Final = 1 << 28
_PROPERTY: Final = "WINDTUNNEL_PASTE"


class Pasting:
    """At most one paste at a time: `ask`, then `take` each event until there is a text."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._window: Any = None
        self._property = 0
        self._time = 0
        self._pieces: list[bytes] | None = None
        self._last = 0.0

    @property
    def is_under_way(self) -> bool:
        """Whether a text is awaited."""
        return self._window is not None

    def ask(self, window: Any, at: int) -> None:  # noqa: ANN401 - python-xlib has no types
        """Ask the owner of the clipboard for its text, at the time of the key's event."""
        self._window, self._time, self._pieces = window, at, None
        self._property = self._server.atom(_PROPERTY)
        self._last = time.monotonic()
        window.delete_property(self._property)
        window.convert_selection(
            self._server.atom("CLIPBOARD"), self._server.atom("UTF8_STRING"), self._property, at
        )

    def take(self, event: Any) -> str | None:  # noqa: ANN401 - python-xlib has no types
        """Look at an event; return the text if this was the end of it, `""` if there is none."""
        if self._window is None:
            return None
        if event.type == X.SelectionNotify and event.time == self._time and self._pieces is None:
            return self._first() if event.property else self._end(b"")
        if (
            event.type == X.PropertyNotify
            and self._pieces is not None
            and event.atom == self._property
            and event.state == X.PropertyNewValue
        ):
            return self._more(self._pieces)
        return None

    def give_up(self) -> bool:
        """Give up if the owner has been silent for too long; tells whether it has."""
        if self._window is None or self.left():
            return False
        self._window = None
        return True

    def left(self) -> float:
        """Return the seconds that the owner still has."""
        return max(0.0, self._last + LIMIT_S - time.monotonic())

    def _read(self) -> Any | None:  # noqa: ANN401 - python-xlib has no types
        self._last = time.monotonic()
        return self._window.get_property(self._property, X.AnyPropertyType, 0, _MOST, delete=True)

    def _first(self) -> str | None:
        found = self._read()
        if found is None:
            return self._end(b"")
        if found.property_type == self._server.atom("INCR"):
            self._pieces = []
            return None
        return self._end(bytes(found.value))

    def _more(self, pieces: list[bytes]) -> str | None:
        found = self._read()
        if found is None or not found.value:
            return self._end(b"".join(pieces))
        pieces.append(bytes(found.value))
        return None

    def _end(self, text: bytes) -> str:
        self._window = None
        return text.decode(errors="replace")
