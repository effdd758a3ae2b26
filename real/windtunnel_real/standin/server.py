"""The server: the stand-in's own connection to its display, with types.

What python-xlib gives has none: it is `Any` here, and nowhere else but in the window, the canvas
and the pasting, which are made of it. Imports the errors.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Final

from Xlib import X, error
from Xlib.display import Display

from windtunnel_real.errors import DisplayDiedError, DisplayStartError

GONE: Final = (error.ConnectionClosedError, OSError)


class Server:
    """A connection to an X server. Everything else of python-xlib is reached through `display`.

    Raises `DisplayStartError` where it cannot connect, and `DisplayDiedError` from any call once
    the server is gone.
    """

    def __init__(self, name: str | None = None) -> None:
        try:
            self.display: Any = Display(name)
        except (error.DisplayError, OSError) as failed:
            where = name or os.environ.get("DISPLAY") or "DISPLAY, which is not set"
            raise DisplayStartError(
                f"the stand-in cannot reach the display {where}: {failed}"
            ) from failed
        self.display.set_error_handler(_note_error)
        self.root: Any = self.display.screen().root
        self.depth: int = self.display.screen().root_depth
        if self.depth != 24:  # noqa: PLR2004 - the depth that the tiles are made for
            raise DisplayStartError(f"the stand-in needs a display of depth 24, not {self.depth}")
        self.most_bytes: int = self.display.display.info.max_request_length * 4 - 64

    def fileno(self) -> int:
        """Return the descriptor that is readable when something has come."""
        number: int = self.display.fileno()
        return number

    def atom(self, name: str) -> int:
        """Return the number of a name; the second time without asking the server."""
        number: int = self.display.intern_atom(name)
        return number

    def next_event(self) -> Any | None:  # noqa: ANN401 - see above
        """Return the next event that has come, or None: it does not wait."""
        try:
            if self.display.pending_events():
                return self.display.next_event()
        except GONE as gone:
            raise _died(gone) from gone
        return None

    def sync(self) -> bool:
        """Wait until the server has done what was asked; tells whether there are events to handle.

        Whoever waits for the descriptor does this first, and not on its own: python-xlib's `flush`
        may leave the last bytes unsent, and what it reads meanwhile makes nothing readable.
        """
        try:
            self.display.sync()
            return bool(self.display.pending_events())
        except GONE as gone:
            raise _died(gone) from gone

    def keysym(self, code: int, index: int) -> int:
        """Return the symbol of a key; 0 for none."""
        symbol: int = self.display.keycode_to_keysym(code, index)
        return symbol

    def refresh_keys(self, event: Any) -> None:  # noqa: ANN401 - see above
        """Read the keys' symbols again, as a MappingNotify asks for."""
        if event.request == X.MappingKeyboard:
            self.display.refresh_keyboard_mapping(event)


def _died(gone: BaseException) -> DisplayDiedError:
    return DisplayDiedError(f"the stand-in's display is gone: {gone}")


def _note_error(failed: BaseException, _request: object) -> None:
    """Go on: somebody's window or property was gone before it was asked about."""
    sys.stderr.write(f"stand-in: X error {failed}\n")
