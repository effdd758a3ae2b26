"""The network as one host sees it in one life: its servers, its requests, its ends of channels.

Imports lives, exchanges and channels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from windtunnel.ports.network import Channel, Handler, OnChannel, Request, Response
from windtunnel.services.wire.addresses import path_of
from windtunnel_models.cluster.channels import SimChannel
from windtunnel_models.cluster.exchanges import Exchange, place_of
from windtunnel_models.cluster.lives import Life

if TYPE_CHECKING:
    from windtunnel_models.cluster.network import SimNetwork


class HostNetwork:
    """Implements `windtunnel.ports.network.Network` for one life of one host.

    Once the life is over no call ends, and none has an effect.
    """

    __slots__ = ("channels", "life", "name", "network", "servers")

    def __init__(self, network: SimNetwork, life: Life) -> None:
        self.network = network
        self.life = life
        self.name = life.name
        self.servers: dict[int, tuple[Handler, OnChannel | None]] = {}
        """Port → who answers there."""
        self.channels: dict[SimChannel, None] = {}
        """This host's ends of channels that are open."""

    async def request(self, request: Request) -> Response:
        """See the port. Raises `ValueError` for a URL that is none."""
        life, exchanges = self.life, self.network.exchanges
        if not life.alive:
            await life.never()
        exchange = Exchange(self, request)
        exchanges[exchange] = None
        try:
            exchange.begin()
            response = await exchange.future
        finally:
            del exchanges[exchange]
        if not life.alive:  # the task is another's, and goes on
            await life.never()  # type: ignore[unreachable] # it may have ended meanwhile
        return response

    async def connect(self, url: str, headers: Mapping[str, str] | None = None) -> Channel:
        """See the port. Raises `ValueError` for a URL that is none."""
        if not self.life.alive:
            await self.life.never()
        headers = headers or {}
        channel = SimChannel(self, place_of(url)[0], path_of(url), headers)
        is_open = False
        exchange = Exchange(self, Request("GET", url, None, headers), channel)
        self.network.exchanges[exchange] = None
        try:
            exchange.begin()
            await exchange.future
            is_open = True
        finally:
            del self.network.exchanges[exchange]
            if not is_open:
                channel.shut()
        if not self.life.alive:
            await self.life.never()  # type: ignore[unreachable] # as above
        return channel

    def serve(self, port: int, handler: Handler, on_channel: OnChannel | None = None) -> None:
        """See the port."""
        if not self.life.alive:
            return
        if port in self.servers:
            raise ValueError(f"port {port} of {self.name} is taken: something is served there")
        self.servers[port] = (handler, on_channel)
