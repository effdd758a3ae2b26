"""The message streamer: hands new messages to its subscribers; read-only (UI-C2).

Imports ports and periodic loops.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from windtunnel.ports import Message, Records
from windtunnel.services.periodic import Periodic

logger = logging.getLogger("windtunnel.streamer")

Subscriber = Callable[[Message], None]


class MessageStreamer:
    """Polls every `period_s` seconds. A subscriber that raises is logged; the others go on."""

    def __init__(self, records: Records, *, period_s: float = 1.0) -> None:
        self._records = records
        self._subscribers: list[Subscriber] = []
        self._last = 0
        self.loop = Periodic("streamer", self.poll, period_s)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Have `subscriber(message)` called for each new message; what is returned ends it."""
        self._subscribers.append(subscriber)

        def end() -> None:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)

        return end

    async def poll(self) -> Sequence[Message]:
        """Read the messages that are new since the last poll, hand them out and return them."""
        messages = [m for m in await self._records.messages(self._last) if m.id > self._last]
        for message in messages:
            self._last = message.id
            for subscriber in tuple(self._subscribers):
                self._hand(message, subscriber)
        return messages

    def _hand(self, message: Message, subscriber: Subscriber) -> None:
        try:
            subscriber(message)
        except Exception:
            logger.exception("a subscriber failed on message %d", message.id)
