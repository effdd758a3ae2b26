"""The log: what the stand-in tells of what it received and brought about; the oracle of a test.

A line is a JSON object: `at` (nanoseconds of the monotonic clock), `kind`, `resource`, `details`.
Imports nothing of the project but the trace's words.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from windtunnel.trace import NO_DETAILS

Line = Mapping[str, Any]
NAME: Final = "wechat"


class Log:
    """A recorder for the surface: lines wait until `tell`, which writes and hands them on.

    What a click hit instead of its target is kept in `missed` for the click's own line: the
    application cannot know what the click was meant for.
    """

    def __init__(self, file: Path | None) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._file = None if file is None else os.open(file, flags, 0o600)
        self.listener: Callable[[Line], None] | None = None
        self._waiting: list[dict[str, Any]] = []
        self.missed = ""

    def record(
        self,
        kind: str,
        op: str = "",  # noqa: ARG002 - the application does not know who clicks
        actor: str = "",  # noqa: ARG002 - the same
        class_: str = "",  # noqa: ARG002 - the same
        resource: str = "",
        outcome: str = "",  # noqa: ARG002 - the same
        details: Mapping[str, Any] = NO_DETAILS,
    ) -> None:
        """Take an event of the state machine."""
        if kind == "click.missed":
            self.missed = details["hit"]
            return
        self.note(kind, resource, **details)

    def note(self, kind: str, resource: str = NAME, **details: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Take a line; returns it, so that it can be completed before it is told."""
        line = {
            "at": time.monotonic_ns(),
            "kind": kind,
            "resource": resource,
            "details": details,
        }
        self._waiting.append(line)
        return line

    @property
    def has_lines(self) -> bool:
        """Whether lines wait to be told."""
        return bool(self._waiting)

    def tell(self) -> None:
        """Write the lines that wait, and hand them to the listener, in order."""
        lines, self._waiting = self._waiting, []
        if not lines:
            return
        if self._file is not None:
            text = "".join(as_line(line) for line in lines).encode(errors="backslashreplace")
            while text:
                text = text[os.write(self._file, text) :]
        if self.listener is not None:
            for line in lines:
                self.listener(line)


def as_line(value: Line) -> str:
    """Return a JSON object as a line of text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
