"""The address of a display: its name, and what a program needs in order to reach it.

Several displays live in one process, so nothing here reads or writes the process's own DISPLAY
but for `as_environment`, which libraries that know no other way are opened under. Imports nothing
of the project.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ENVIRONMENT: Final = threading.Lock()
LOCALE: Final = "C.UTF-8"


@dataclass(frozen=True, slots=True)
class DisplayAddress:
    """Where a display is."""

    name: str
    """As DISPLAY has it: `:17`."""
    authority: Path | None = None
    """The file with its cookie, as XAUTHORITY has it; None: it needs none."""

    def environment(self, base: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of a program on this display: `base`, or the process's own."""
        found = dict(os.environ if base is None else base)
        found |= {"DISPLAY": self.name, "LC_ALL": LOCALE}
        found.pop("WAYLAND_DISPLAY", None)
        if self.authority is None:
            found.pop("XAUTHORITY", None)
        else:
            found["XAUTHORITY"] = str(self.authority)
        return found


@contextmanager
def as_environment(address: DisplayAddress) -> Iterator[None]:
    """Let DISPLAY and XAUTHORITY of the process name this display, for as long as a connect takes.

    For libraries that read them as they connect; one at a time.
    """
    names = ("DISPLAY", "XAUTHORITY")
    with _ENVIRONMENT:
        before = {name: os.environ.get(name) for name in names}
        wanted = address.environment({})
        try:
            _set({name: wanted.get(name) for name in names})
            yield
        finally:
            _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
