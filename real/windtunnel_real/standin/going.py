"""Going: text that is typed key by key, put into the surface as what was typed in one go.

The state machine takes a text as a whole (a name that is typed in one go is somebody's), a keyboard
gives letters. A go ends at any other key, click or word over the control socket, and after a
silence. Imports the state machine and the log.
"""

from __future__ import annotations

import time
from typing import Any, Final

from windtunnel.acting import Acting
from windtunnel.wechat.keys import focus_of, insert
from windtunnel.wechat.surface import Surface
from windtunnel_real.standin.log import Log

SILENCE_S: Final = 1.0
"""After so many seconds without a letter the next one begins another go."""
BOXES: Final = frozenset({"search", "input", "comment"})
_KEPT: Final = ("search", "result", "box", "choice", "comment", "drafts")
"""What of the screen a text may change; none of it is changed in place."""


class Going:
    """The text of the go that is under way, `""` between two."""

    def __init__(self, surface: Surface, log: Log, who: Acting) -> None:
        self._surface = surface
        self._log = log
        self._who = who
        self._text = ""
        self._place = ""
        self._before: dict[str, Any] = {}
        self._last = 0.0

    def type(self, letters: str) -> None:
        """Put letters into what has the focus."""
        screen = self._surface.screen
        if not self._text:
            self._place = focus_of(self._surface)
            self._before = {name: getattr(screen, name) for name in _KEPT}
        self._text += letters
        self._last = time.monotonic()
        if self._is_taken():
            for name, value in self._before.items():
                setattr(screen, name, value)
            insert(self._surface, self._text, self._who)

    def end(self) -> None:
        """End the go; what nothing took is recorded as misplaced now, as one text."""
        text, taken = self._text, self._is_taken()
        self._text = ""
        if text:
            self._log.note("text", text=text, place=self._place, pasted=False)
            if not taken:
                insert(self._surface, text, self._who)

    def left(self) -> float | None:
        """Return the seconds until the go is over by silence; None between two."""
        if not self._text:
            return None
        return max(0.0, self._last + SILENCE_S - time.monotonic())

    def _is_taken(self) -> bool:
        row = self._surface.screen.dialog_row
        return self._place in BOXES or (self._place == "dialog" and row is not None and row.box)
