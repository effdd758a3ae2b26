"""The note: how services report what they did, by the kinds of event that are a system's own.

Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Note = Callable[[str, str, Mapping[str, Any]], None]
"""Called with a kind (`lock.waited`), the operation's id or `""`, and the details of the kind."""


def ignore(kind: str, op: str, details: Mapping[str, Any]) -> None:
    """Take a note and do nothing with it."""
