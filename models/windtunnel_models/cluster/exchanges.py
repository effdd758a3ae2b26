"""The exchange: one request on its way to a host, and what it is answered with on the way back.

The opening of a channel is one too. Imports parcels, obstacles, channels and the port.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from windtunnel.errors import world_error_in
from windtunnel.ports.network import (
    ChannelClosedError,
    Handler,
    OnChannel,
    Request,
    Response,
    UnreachableError,
)
from windtunnel.services import cancellation
from windtunnel_models.cluster.channels import SimChannel
from windtunnel_models.cluster.obstacles import Answer
from windtunnel_models.cluster.parcels import Parcel

if TYPE_CHECKING:
    from windtunnel_models.cluster.host_network import HostNetwork

logger = logging.getLogger("windtunnel.network")

REFUSED: Final = object()
"""Comes back where nobody listens, or where whoever listened is no more."""
OPENED: Final = object()
"""Comes back where a channel was opened."""


class Exchange:
    """One request of a host; `future` has the answer, or `UnreachableError`.

    `channel`: the near end of one to be opened.
    """

    __slots__ = ("at", "channel", "client", "future", "port", "request", "target")

    def __init__(
        self, client: HostNetwork, request: Request, channel: SimChannel | None = None
    ) -> None:
        self.client = client
        self.request = request
        self.channel = channel
        self.target, self.port = place_of(request.url)
        self.future: asyncio.Future[Response] = client.network.env.loop.create_future()
        self.at: HostNetwork | None = None
        """The host, in one life of its, that has read it and not answered yet."""

    def begin(self) -> None:
        """Send the request."""
        parcel = Parcel(self.client.name, self.target, self._arrive, self.request)
        self.client.network.send(parcel)

    def refuse(self, what: str) -> None:
        """Fail here and now: the connection between the two is broken."""
        if not self._is_given_up():
            self.future.set_exception(UnreachableError(f"{self.request.url}: {what}"))

    def reset(self) -> None:
        """Let the client know, after a while, that nobody is there any more."""
        self.at = None
        self._send_back(REFUSED)

    def _is_given_up(self) -> bool:
        """Tell whether nobody waits for the answer, or nobody any more."""
        return self.future.done() or not self.client.life.alive

    # ------------------------------------------------------------------ at the server's side

    def _arrive(self, parcel: Parcel) -> None:
        network = self.client.network
        obstacles = network.obstacles
        if obstacles.standing:
            if obstacles.stops(parcel):
                return
            if obstacles.refuses(parcel):
                self._send_back(REFUSED)
                return
        if (parcel.held or self.channel is not None) and self._is_given_up():
            return
        station = network.station(self.target)
        server = None if station is None else station.servers.get(self.port)
        if station is None or server is None or (self.channel is not None and server[1] is None):
            self._send_back(REFUSED)
            return
        self.at = station
        answer = obstacles.answer(self.target, self.request) if obstacles.answers else None
        if answer is None:
            self._serve(station, server, 0)
        else:
            self._serve_otherwise(station, server, answer)

    def _serve_otherwise(
        self, station: HostNetwork, server: tuple[Handler, OnChannel | None], answer: Answer
    ) -> None:
        if answer.response is not None:
            self._send_back(answer.response)
        elif not answer.unseen:
            self._serve(station, server, None if answer.muted else answer.later)

    def _serve(
        self, station: HostNetwork, server: tuple[Handler, OnChannel | None], later: int | None
    ) -> None:
        """Have the program see it, and answer `later` ns after it has, or never."""
        handler, on_channel = server
        if self.channel is None or on_channel is None:
            work: Any = self._handle(handler, later)
        else:
            end = SimChannel(station, self.client.name, self.channel.path, self.channel.headers)
            end.join(self.channel)
            work = _serve_channel(on_channel(end), end)
            self._reply(OPENED, later)
        station.life.create_task(work, f"{self.target} serves {self.request.url}")

    async def _handle(self, handler: Handler, later: int | None) -> None:
        try:
            response = await handler(self.request)
        except (Exception, asyncio.CancelledError) as error:
            _let_pass(error)
            logger.exception("%s: the handler raised", self.request.url)
            response = Response(500, {"error": type(error).__name__})
        self._reply(response, later)

    def _reply(self, content: object, later: int | None) -> None:
        if later is None:
            return
        if later:
            env = self.client.network.env
            env.timeout(later).callbacks.append(lambda _: self._reply_if(content))
        else:
            self._send_back(content)

    def _reply_if(self, content: object) -> None:
        """Answer late, if whoever answers is still there."""
        if self.at is not None:
            self._send_back(content)

    # ------------------------------------------------------------------ at the client's side

    def _send_back(self, content: object) -> None:
        self.at = None
        parcel = Parcel(self.target, self.client.name, self._arrive_back, content)
        if content is REFUSED:
            self.client.network.send_sign(parcel)
        else:
            self.client.network.send(parcel)

    def _arrive_back(self, parcel: Parcel) -> None:
        obstacles = self.client.network.obstacles
        if obstacles.standing:
            if obstacles.stops(parcel):
                return
            if obstacles.refuses(parcel):
                self.refuse("the connection was reset")
                return
        if self._is_given_up():
            return
        content = parcel.content
        if content is REFUSED:
            self.refuse("nobody listens there, or not any more")
        elif content is OPENED:
            self.future.set_result(Response(101))
        elif self.channel is not None:
            self.refuse(f"answered with status {content.status}")
        else:
            self.future.set_result(content)


async def _serve_channel(serving: Awaitable[None], end: SimChannel) -> None:
    """Serve a channel until that is over, however it is; close it then."""
    try:
        await serving
    except ChannelClosedError:
        pass
    except (Exception, asyncio.CancelledError) as error:
        _let_pass(error)
        logger.exception("the channel with %s: serving it raised", end.peer)
    finally:
        end.shut()


def _let_pass(error: BaseException) -> None:
    """Raise what is not to be answered: the world's error, and the end of the run.

    Nothing else cancels what serves; and a failure is no cancellation, however the task counts.
    """
    if (broken := world_error_in(error)) is not None:
        raise broken from None
    if isinstance(error, asyncio.CancelledError) and cancellation.is_own():
        raise error


@lru_cache(maxsize=1024)
def place_of(url: str) -> tuple[str, int]:
    """Return host and port of `http://HOST:PORT/PATH`; `ValueError` where it is none."""
    host, _, port = url.partition("://")[2].partition("/")[0].partition(":")
    if not host or not port.isdecimal():
        raise ValueError(f"`{url}` is no URL of the form http://HOST:PORT/PATH")
    return host, int(port)
