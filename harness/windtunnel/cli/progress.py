"""Progress: one line on a terminal that is rewritten as cells finish, and nothing elsewhere."""

from __future__ import annotations

import os
import shutil
import time
from typing import Final, TextIO

_INTERVAL: Final = 0.1
"""Seconds between two writings."""


class Progress:
    """The line. `stream.isatty()` alone decides: a colour setting makes no terminal of a file."""

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream = stream
        self._total = total
        self._shown = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._written = float("-inf")
        self._width = 0

    def show(self, done: int, not_passed: int) -> None:
        """Say how many cells are done and how many of these did not pass."""
        now = time.monotonic()
        if not self._shown or now - self._written < _INTERVAL:
            return
        self._written = now
        troubled = f", {not_passed} not passed" if not_passed else ""
        self._put(f"{done} of {self._total} cells{troubled}")

    def clear(self) -> None:
        """Take the line away."""
        if self._width:
            self._put("")
            self._stream.write("\r")
            self._stream.flush()

    def _put(self, text: str) -> None:
        line = text[: shutil.get_terminal_size().columns - 1]
        self._stream.write(f"\r{line:<{self._width}}")
        self._stream.flush()
        self._width = len(line)
