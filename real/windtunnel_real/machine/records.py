"""The real records: the port `Records` over what the stand-in has written down on disk.

Imports the ports and the reader of its records.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from windtunnel.ports import Message
from windtunnel_real.standin.records import read_records


class RealRecords:
    """What the application has written down, whether it runs or not; needs no display."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def friend_requests(self) -> Sequence[str]:
        """Return the contacts whose request is open, the oldest first."""
        return read_records(self._folder)[0]

    async def messages(self, after: int) -> Sequence[Message]:
        """Return the messages with an id above `after`, in order."""
        return read_records(self._folder)[1][max(after, 0) :]
