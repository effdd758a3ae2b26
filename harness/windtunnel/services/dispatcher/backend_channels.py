"""The channels of the backend: the server's side (RT-W1, RT-W2, F-R26).

Imports the access tokens, reading and sending, the wire's messages and the ports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from windtunnel.ports.network import Channel, ChannelClosedError, Message
from windtunnel.services.clock import iso, now_ns
from windtunnel.services.dispatcher import reading, sending
from windtunnel.services.dispatcher.access_tokens import AccessTokens
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.wire import messages
from windtunnel.services.wire.messages import message

SERVER_ID: Final = "message-dispatcher"
SILENCE_S: Final = 90.0
"""A backend that is silent for so long, three heartbeats, is cut off."""


class BackendChannels:
    """The backends that are connected; one that is new gets a report at once."""

    def __init__(self, shared: Shared, tokens: AccessTokens) -> None:
        self._tokens = tokens
        self._note = shared.note
        self._change = shared.change
        self._all: dict[Channel, None] = {}

    def __len__(self) -> int:
        """How many are connected."""
        return len(self._all)

    async def serve(self, channel: Channel, connect: Mapping[str, Any]) -> None:
        """Serve the channel on which CONNECT came with that data, until it is over.

        A stranger's is over at once. Raises `ChannelClosedError`, and TimeoutError for silence.
        """
        if not self._tokens.is_valid(connect.get("token"), now_ns()):
            return
        self._all[channel] = None
        try:
            ack = message(messages.CONNECT_ACK, serverId=SERVER_ID, timestamp=iso(now_ns()))
            await sending.send(channel, ack)
            self._change.set()
            async with asyncio.timeout(SILENCE_S) as silence:
                while True:
                    await self._take(channel, await channel.receive())
                    silence.reschedule(asyncio.get_running_loop().time() + SILENCE_S)
        finally:
            self._all.pop(channel, None)

    async def send(self, report: Message) -> None:
        """Send a report to all of them."""
        for channel in tuple(self._all):
            try:
                await sending.send(channel, report)
            except ChannelClosedError:
                self._all.pop(channel, None)

    async def _take(self, channel: Channel, received: object) -> None:
        try:
            type_, _ = reading.opened(received)
        except reading.BrokenMessageError:
            self._ignore("broken")
            return
        if type_ == messages.HEARTBEAT:
            ack = message(messages.HEARTBEAT_ACK, timestamp=iso(now_ns()))
            await sending.send(channel, ack)
        else:
            self._ignore("repeated" if type_ == messages.CONNECT else "unknown")

    def _ignore(self, why: str) -> None:
        self._note("message.ignored", "", {"party": "dispatcher", "why": why})
