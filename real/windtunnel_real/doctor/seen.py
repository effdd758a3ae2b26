"""What a probe saw, and how bad it is. Imports nothing of the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "bad", "unseen"]
"""Fine; worth knowing; the real world cannot run; not looked at, for the reason that is told."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one probe saw."""

    state: State
    text: str
    mend: str | None = None
    """The line that mends it, where the probe knows a better one than its kind has."""


def ok(text: str) -> Seen:
    """Return that all is well."""
    return Seen("ok", text)


def warn(text: str, mend: str | None = None) -> Seen:
    """Return that something is worth knowing, and does not keep the real world from running."""
    return Seen("warn", text, mend)


def bad(text: str, mend: str | None = None) -> Seen:
    """Return that the real world cannot run."""
    return Seen("bad", text, mend)


def unseen(why: str) -> Seen:
    """Return that nothing could be seen."""
    return Seen("unseen", why)
