"""A store and a channel that may get stuck: they take a call, and do not come back from it."""

from __future__ import annotations

import asyncio
from typing import Any

from windtunnel.ports.network import Channel, ChannelClosedError, Message
from windtunnel.ports.store import Store


class StuckStore:
    """Another's store: `stuck` hangs every call, `deaf` hangs a commit once it is made."""

    def __init__(self, store: Store) -> None:
        self.stuck = self.deaf = False
        self.calls = 0
        """That have hung."""
        self._store = store

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any) -> Any:
            if self.stuck:
                await self._hang()
            answer = await getattr(self._store, name)(*args)
            if self.deaf and name == "commit":
                await self._hang()
            return answer

        return call

    async def _hang(self) -> None:
        self.calls += 1
        await asyncio.get_running_loop().create_future()


class StuckChannel:
    """Another's channel, or none's, that takes no messages, nor perhaps its being closed."""

    peer = "bridge-9"

    def __init__(self, channel: Channel | None = None, *, closes: bool = True) -> None:
        self.closed = False
        self._channel = channel
        self._closes = closes

    async def send(self, message: Message) -> None:
        del message
        await asyncio.get_running_loop().create_future()

    async def receive(self) -> Message:
        if self._channel is None:
            raise ChannelClosedError("there is nobody")
        return await self._channel.receive()

    async def close(self) -> None:
        if not self._closes:
            await asyncio.get_running_loop().create_future()
        self.closed = True
        if self._channel is not None:
            await self._channel.close()
