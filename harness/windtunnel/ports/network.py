"""The port `Network`: requests and channels between the programs on different hosts.

A host is reached by its name, in a URL (`http://dispatcher:4000/api/task`). What travels are
requests, responses and messages whose bodies are JSON values; what was handed over is not changed
any more, by either side. Nothing here has a time-out of its own: whoever waits sets the deadline.
Imports `windtunnel.errors`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from windtunnel.errors import WindtunnelError

Message = Mapping[str, Any]
"""A message of a channel: a JSON object, `{"type": …, "data": …}`."""


class NetworkError(WindtunnelError):
    """What goes wrong between two hosts."""


class UnreachableError(NetworkError):
    """Nobody listens there, or the connection was reset: by a refusal, a crash, a closed link.

    Of a request it may come before the other side has read it, or after: that proves nothing.
    """


class ChannelClosedError(NetworkError):
    """A channel is closed, by either side or by what lies between."""


NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


class Request(NamedTuple):
    """A request, as HTTP has it."""

    method: str
    """`GET` or `POST`."""
    url: str
    """`http://HOST:PORT/PATH`."""
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = NO_HEADERS


class Response(NamedTuple):
    """What a request is answered with."""

    status: int
    body: Any = None


Handler = Callable[[Request], Awaitable[Response]]
"""Answers a request; one that raises is a response of status 500."""


@runtime_checkable
class Channel(Protocol):
    """Messages in both directions, in order while nothing goes wrong: what a WebSocket is."""

    @property
    def peer(self) -> str:
        """The name of the host at the other end."""

    async def send(self, message: Message) -> None:
        """Hand a message over; that it arrives is not known.

        Raises `ChannelClosedError` when this end knows that the channel is closed.
        """

    async def receive(self) -> Message:
        """Return the next message; raises `ChannelClosedError` once no more will come."""

    async def close(self) -> None:
        """Close it; nothing happens if it is closed."""


OnChannel = Callable[[Channel], Awaitable[None]]
"""Serves one channel; when it returns or raises, the channel is closed."""


@runtime_checkable
class Network(Protocol):
    """The network as one host sees it."""

    async def request(self, request: Request) -> Response:
        """Make a request and return its answer.

        Raises `UnreachableError`. Waits for ever where a message was lost on the way.
        """

    async def connect(self, url: str, headers: Mapping[str, str] | None = None) -> Channel:
        """Open a channel (`ws://HOST:PORT/PATH`); raises `UnreachableError`."""

    def serve(self, port: int, handler: Handler, on_channel: OnChannel | None = None) -> None:
        """Answer the requests and channels that come to a port, until this host's program ends.

        Raises `ValueError` where the port is taken. Each runs in a task of its own.
        """
