"""The reception: who a new channel is of, by the first message on it.

Imports the channels of backend and bridges, the reading, troubles and the ports.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from windtunnel.errors import WorldError
from windtunnel.ports.network import Channel, ChannelClosedError
from windtunnel.services import cancellation
from windtunnel.services.dispatcher import reading
from windtunnel.services.dispatcher.backend_channels import BackendChannels
from windtunnel.services.dispatcher.bridge_channels import BridgeChannels
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.wire import messages

FIRST_S: Final = 10.0
"""A channel on which neither CONNECT nor JOIN comes for so long is closed."""


class Reception:
    """Serves every channel to the dispatcher's port."""

    def __init__(self, shared: Shared, backends: BackendChannels, bridges: BridgeChannels) -> None:
        self._backends = backends
        self._bridges = bridges
        self._note = shared.note
        self._troubles = shared.troubles

    async def serve(self, channel: Channel) -> None:
        """Serve a channel until it is over; what goes wrong there concerns that channel only."""
        try:
            async with asyncio.timeout(FIRST_S):
                type_, data = await self._first(channel)
            if type_ == messages.CONNECT:
                await self._backends.serve(channel, data)
            else:
                await self._bridges.serve(channel, data)
        except (ChannelClosedError, TimeoutError):
            pass  # closed, or silent for too long
        except WorldError:
            raise
        except (Exception, asyncio.CancelledError) as error:
            if cancellation.is_own():
                raise
            self._troubles.met(error)
        await channel.close()

    async def _first(self, channel: Channel) -> tuple[str, Any]:
        """Wait for the message that says who it is; what else comes before is passed over."""
        while True:
            received = await channel.receive()
            try:
                type_, data = reading.opened(received)
                if type_ == messages.CONNECT:
                    return type_, data
                if type_ == messages.JOIN:
                    return type_, (reading.needed(data, "bridgeId", str), reading.said_by(data))
                why = "unknown"
            except reading.BrokenMessageError:
                why = "broken"
            self._note("message.ignored", "", {"party": "dispatcher", "why": why})
