"""The channel: two ends, a pipe in each direction; what a WebSocket is.

In one direction nothing overtakes, whatever the latencies drawn, unless a fault delays a message.
Imports lives, parcels, obstacles and the port.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from windtunnel.ports.network import ChannelClosedError, Message
from windtunnel_models.cluster.parcels import Parcel

if TYPE_CHECKING:
    from windtunnel_models.cluster.host_network import HostNetwork

CLOSE: Final = object()
"""What a pipe carries last: the end it comes from is closed, or is no more."""


class Pipe:
    """One direction of a channel, to its receiving end."""

    __slots__ = ("_last", "_network", "_source", "_target", "end", "shut")

    def __init__(self, source: HostNetwork, target: str) -> None:
        self._network = source.network
        self._source = source.name
        self._target = target
        self._last = 0
        self.end: SimChannel | None = None
        """The receiving end; None until the channel is open."""
        self.shut = False
        """Whether the sending end is closed: what is held on the way comes no more."""

    def send(self, message: Message) -> None:
        """Send a message, which may come to grief on the way."""
        parcel = Parcel(self._source, self._target, self.arrive, message, on_channel=True)
        network = self._network
        now = network.env.now
        self._last = arrival = max(now + network.latency(), self._last)
        network.send(parcel, arrival - now)

    def send_close(self) -> None:
        """Tell the other end that this one is closed, behind all messages."""
        self.shut = True
        if self.end is None:
            return
        parcel = Parcel(self._source, self._target, self.arrive, CLOSE, on_channel=True)
        network = self._network
        now = network.env.now
        self._last = max(now + network.latency(), self._last)
        network.send_sign(parcel, self._last - now)

    def arrive(self, parcel: Parcel) -> None:
        """Take a parcel out at the other end."""
        end = self.end
        obstacles = self._network.obstacles
        if end is None or (obstacles.standing and obstacles.stops(parcel)):
            return
        if parcel.content is CLOSE:
            end.break_off()
        elif end.closed:
            end.answer_closed()
        elif not (parcel.held and self.shut):
            end.take(parcel.content)


class SimChannel:
    """One end of a channel; implements `windtunnel.ports.network.Channel`.

    `path` and `headers` are those that it was opened with. One task at a time may receive.
    """

    __slots__ = ("_inbox", "_out", "_station", "_waiter", "closed", "headers", "path", "peer")

    def __init__(
        self, station: HostNetwork, peer: str, path: str, headers: Mapping[str, str]
    ) -> None:
        self._station = station
        self._inbox: deque[Message] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._out = Pipe(station, peer)
        self.peer = peer
        """The name of the host at the other end."""
        self.path = path
        self.headers = headers
        self.closed = False
        """Whether this end knows that the channel is closed."""
        station.channels[self] = None

    async def send(self, message: Message) -> None:
        """See the port; takes no time and no step."""
        if not self._station.life.alive:
            await self._station.life.never()
        if self.closed:
            raise ChannelClosedError(f"the channel to {self.peer} is closed")
        self._out.send(message)

    async def receive(self) -> Message:
        """See the port. Raises `RuntimeError` while another task receives.

        A receive that is cancelled takes no message with it.
        """
        inbox, life = self._inbox, self._station.life
        while life.alive:
            if inbox:
                return inbox.popleft()
            if self.closed:
                raise ChannelClosedError(f"the channel to {self.peer} is closed")
            if self._waiter is not None:
                raise RuntimeError(f"another task receives on the channel to {self.peer} already")
            self._waiter = self._station.network.env.loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return await life.never()

    async def close(self) -> None:
        """See the port; the other end knows when what was sent before has come there."""
        if not self._station.life.alive:
            await self._station.life.never()
        self.shut()

    # ------------------------------------------------------------------ the network's side

    def join(self, other: SimChannel) -> None:
        """Make the two ends one channel."""
        self._out.end, other._out.end = other, self

    def take(self, message: Message) -> None:
        """Take a message in."""
        self._inbox.append(message)
        self._wake()

    def break_off(self) -> None:
        """Know from now on that the channel is closed; what has come can still be received."""
        self.closed = self._out.shut = True
        self._station.channels.pop(self, None)
        self._wake()

    def shut(self) -> None:
        """Close this end, and tell the other; nothing happens if it is closed."""
        if not self.closed:
            self._inbox.clear()
            self.break_off()
            self._out.send_close()

    def answer_closed(self) -> None:
        """Tell the other end once more, which has sent something and cannot know."""
        self._out.send_close()

    def _wake(self) -> None:
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
