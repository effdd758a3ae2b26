"""The UI action: an action factory that knows its class, whom it is for and what it sends.

Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class UIAction:
    """What is handed to a scheduler: calling it starts the flow (UI-Q3)."""

    name: str
    """Its class: a key of `ENDPOINTS`."""
    run: Callable[[], Awaitable[Any]]
    to: str = ""
    """The contact it is for, or nothing."""
    text: str = ""
    """What it sends: a text, or the path of a file."""

    def __call__(self) -> Awaitable[Any]:
        """Begin the action and return what its caller waits for."""
        return self.run()
