"""The port `Records`: the application's own database, read only. Imports nothing of the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Message:
    """One message as the application's own database holds it."""

    id: int
    """Grows by one with each message."""
    contact: str
    text: str
    outgoing: bool


@runtime_checkable
class Records(Protocol):
    """The application's own database, read only; it needs neither the display nor a lock."""

    async def friend_requests(self) -> Sequence[str]:
        """Return the contacts whose request is open, the oldest first."""

    async def messages(self, after: int) -> Sequence[Message]:
        """Return the messages with an id above `after`, in order."""
