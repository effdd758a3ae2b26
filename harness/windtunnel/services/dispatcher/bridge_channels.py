"""The channels of the bridges: what they say, read and passed on (RT-W6).

Imports the bridges, the hearing, the reading, the wire's messages and the ports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from windtunnel.ports.network import Channel
from windtunnel.services.dispatcher import reading
from windtunnel.services.dispatcher.bridges import Bridge, Bridges
from windtunnel.services.dispatcher.hearing import Hearing
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.wire import messages

SILENCES: Final = 2
"""A bridge that is silent for so many times `dead_after_s` is cut off."""

Handler = Callable[[Bridge, str, Mapping[str, Any]], Awaitable[None]]


class BridgeChannels:
    """Serves the channels of bridges."""

    def __init__(self, shared: Shared, bridges: Bridges, hearing: Hearing) -> None:
        self._bridges = bridges
        self._hearing = hearing
        self._note = shared.note
        self._silence_s = SILENCES * shared.settings.dead_after_s
        self._handlers: Mapping[str, Handler] = {
            messages.ALIVE: self._alive,
            messages.JOIN: self._alive,
            messages.INSTANCE_ONLINE: self._online,
            messages.INSTANCE_OFFLINE: self._offline,
            messages.DONE: self._over,
            messages.FAILED: self._over,
        }

    async def serve(self, channel: Channel, join: tuple[str, list[reading.Said]]) -> None:
        """Serve the channel on which JOIN came, until it is over.

        `join`: the bridge's name, and what it said of its instances. Raises `ChannelClosedError`,
        and TimeoutError for silence.
        """
        id_, said = join
        bridge = await self._bridges.joined(id_, channel)
        try:
            await self._hear(bridge, said)
            async with asyncio.timeout(self._silence_s) as silence:
                while True:
                    await self._take(bridge, await channel.receive(), silence)
        finally:
            self._bridges.left(bridge)

    async def _take(self, bridge: Bridge, received: object, silence: asyncio.Timeout) -> None:
        try:
            type_, data = reading.opened(received)
            handler = self._handlers.get(type_)
            if handler is None:
                self._ignore("unknown")
                return
            await handler(bridge, type_, data)
        except reading.BrokenMessageError:
            self._ignore("broken")
            return
        if type_ == messages.ALIVE:
            silence.reschedule(asyncio.get_running_loop().time() + self._silence_s)

    async def _alive(self, bridge: Bridge, _: str, data: Mapping[str, Any]) -> None:
        await self._hear(bridge, reading.said_by(data))

    async def _online(self, bridge: Bridge, _: str, data: Mapping[str, Any]) -> None:
        await self._hear(bridge, [(reading.needed(data, "instanceId", str), None)])

    async def _hear(self, bridge: Bridge, said: list[reading.Said]) -> None:
        for id_, run in said:
            await self._hearing.instance_heard(bridge.id, id_, run)

    async def _offline(self, bridge: Bridge, _: str, data: Mapping[str, Any]) -> None:
        id_ = reading.needed(data, "instanceId", str)
        await self._hearing.instance_went(bridge.id, id_, str(data.get("reason", "unknown")))

    async def _over(self, bridge: Bridge, type_: str, data: Mapping[str, Any]) -> None:
        await self._hearing.result_came(reading.result_in(type_, data, bridge.id))

    def _ignore(self, why: str) -> None:
        self._note("message.ignored", "", {"party": "dispatcher", "why": why})
