"""The simulated records: the port `Records` over the application's database.

Reading takes no time and no display. Imports the ports and the database.
"""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel.ports import Message
from windtunnel.wechat.database import Database


class SimRecords:
    """What the application has written down, whether it runs or not."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def friend_requests(self) -> Sequence[str]:
        """Return the contacts whose request is open, the oldest first."""
        return self._database.requests

    async def messages(self, after: int) -> Sequence[Message]:
        """Return the messages with an id above `after`, in order."""
        return tuple(self._database.messages[max(after, 0) :])
