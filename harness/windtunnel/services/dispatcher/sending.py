"""The sending of a message on a channel, which takes no longer than a bound.

Imports the ports.
"""

from __future__ import annotations

import asyncio
from typing import Final

from windtunnel.ports.network import Channel, ChannelClosedError, Message

SEND_S: Final = 5.0
"""A channel that has not taken a message for so long is closed: nobody reads it."""
CLOSE_S: Final = 1.0
"""Nobody waits longer for a channel to be closed."""


class StuckError(ChannelClosedError):
    """A channel takes no messages and was closed; the last one may have been sent all the same."""


async def send(channel: Channel, message: Message) -> None:
    """Send a message; raises `ChannelClosedError`, of it `StuckError` where that takes too long."""
    try:
        async with asyncio.timeout(SEND_S):
            await channel.send(message)
    except TimeoutError:
        await close(channel)
        raise StuckError(f"{channel.peer} has taken nothing for {SEND_S:g} s") from None


async def close(channel: Channel) -> None:
    """Close a channel, or leave it to itself where that takes too long."""
    try:
        async with asyncio.timeout(CLOSE_S):
            await channel.close()
    except TimeoutError:
        pass
