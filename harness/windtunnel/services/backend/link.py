"""The link: the backend's channel to the dispatcher, kept up for ever (RT-W1 to W6).

Imports the network port, the reconnect policy, the wire and the link state.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, Protocol
from urllib.parse import urlsplit

from windtunnel.policies.router.backoff import Backoff
from windtunnel.ports.network import Channel, ChannelClosedError, Message, Network, NetworkError
from windtunnel.services.backend.link_messages import TOLD_BY_REPORTS, Unfit, read_report, unfit
from windtunnel.services.backend.link_state import CAPACITY_LIFE, Capacity, Late, LinkState
from windtunnel.services.backend.token_manager import TokenRefused, TokenSource
from windtunnel.services.clock import iso, now_ns
from windtunnel.services.note import Note
from windtunnel.services.wire.addresses import BACKEND, CHANNEL_PATH
from windtunnel.services.wire.messages import (
    CAPACITY_UPDATE,
    CONNECT,
    CONNECT_ACK,
    HEARTBEAT,
    HEARTBEAT_ACK,
    message,
)
from windtunnel.units import to_seconds

logger = logging.getLogger("windtunnel.backend")

CLIENT_ID: Final = "task-queue-backend"
CLOSE_S: Final = 1.0
"""How long the closing of a channel may take before it is left to itself."""

Why = Literal["closed", "silent", "refused"]
Ignored = Unfit | Late


class Book(Protocol):
    """What takes the reports of capacity."""

    def report(self, online: int, busy: int, sequence: int) -> bool:
        """Take a report; False when it is older than the last."""

    def new_link(self) -> None:
        """Count the reports anew: they come by another channel."""

    def unknown(self) -> None:
        """Forget the last report: it has run out."""


class DispatcherLink:
    """Connects, and again after each loss; hears the dispatcher's reports of capacity.

    `url` is the dispatcher's (`http://dispatcher:4000`). A heartbeat goes out every `heartbeat_s`;
    an answer to it, to the connecting and to CONNECT that is not there within `ack_s` breaks the
    link. `changed()` is called when the link is there, when it is lost, and when what is known of
    the capacity has changed. Notes `link.connected`, `link.lost`, `capacity.known`,
    `message.ignored`.
    """

    def __init__(  # noqa: PLR0913 - what it talks to, and whom it tells
        self,
        network: Network,
        url: str,
        tokens: TokenSource,
        state: LinkState,
        book: Book,
        note: Note,
        changed: Callable[[], None],
        *,
        heartbeat_s: float = 30.0,
        ack_s: float = 10.0,
    ) -> None:
        self._network = network
        self._url = urlsplit(url)._replace(scheme="ws", path=CHANNEL_PATH).geturl()
        self._tokens = tokens
        self._state = state
        self._book = book
        self._note = note
        self._changed = changed
        self._heartbeat_s = heartbeat_s
        self._ack_s = ack_s
        self._backoff = Backoff()
        self._awaiting_ack = False
        self._expiry: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Keep the link up until it is cancelled; may be run again after an error."""
        try:
            while True:
                try:
                    why = await self._attempt()
                except Exception:
                    self._lost("closed")
                    raise
                await asyncio.sleep(to_seconds(self._lost(why)))
        finally:
            if self._expiry is not None:
                self._expiry.cancel()
                self._expiry = None

    def _lost(self, why: Why) -> int:
        """Tell that there is no link; return the ns until the next attempt (RT-W3)."""
        delay = self._backoff.next()
        self._state.closed(now_ns(), why)
        self._note("link.lost", "", {"why": why, "again_in": delay})
        self._changed()
        return delay

    async def _attempt(self) -> Why:
        """Connect and serve the channel until it is lost; return why it is."""
        try:
            token = await self._token()
            async with asyncio.timeout(self._ack_s):
                channel = await self._network.connect(self._url)
        except (TokenRefused, NetworkError) as error:
            logger.warning("no link to the dispatcher: %s", error)
            return "refused"
        except TimeoutError:
            return "silent"
        try:
            return await self._introduce(channel, token) or await self._serve(channel)
        except ChannelClosedError:
            return "closed"
        finally:
            await _close(channel)

    async def _token(self) -> str:
        try:
            return self._tokens.token()
        except TokenRefused:
            return await self._tokens.refresh()

    async def _introduce(self, channel: Channel, token: str) -> Why | None:
        """Say who it is, and wait for the answer; return why there is no link, or None."""
        data = {"clientId": CLIENT_ID, "timestamp": iso(now_ns()), "token": token}
        try:
            async with asyncio.timeout(self._ack_s):
                await channel.send(message(CONNECT, **data))
                while (why := unfit(answer := await channel.receive())) is not None or (
                    answer["type"] != CONNECT_ACK
                ):
                    self._ignore(why or "late")
        except TimeoutError:
            return "silent"
        except ChannelClosedError:
            await self._renew(token)
            return "refused"
        self._open()
        return None

    async def _renew(self, refused: str) -> None:
        """Get another token: the dispatcher hung up on this one (F-R26), maybe since it restarted.

        Nobody else would: without a link no task goes inside that could be answered with 401.
        """
        try:
            await self._tokens.refresh(refused)
        except TokenRefused as error:
            logger.warning("the dispatcher hung up, and gives no other token: %s", error)

    def _open(self) -> None:
        self._backoff.reset()
        self._state.opened(now_ns())
        self._book.new_link()
        self._note("link.connected", "", {})
        self._changed()

    async def _serve(self, channel: Channel) -> Why:
        """Read what comes, with a heartbeat every so often, until one is not answered (RT-W2)."""
        loop = asyncio.get_running_loop()
        self._awaiting_ack = False
        beat_at = loop.time() + self._heartbeat_s
        while True:
            await self._read(channel, beat_at)
            sent_at = loop.time()
            self._awaiting_ack = True
            try:
                async with asyncio.timeout(self._ack_s):
                    await channel.send(message(HEARTBEAT, timestamp=iso(now_ns())))
            except TimeoutError:
                return "silent"
            if not await self._read(channel, sent_at + self._ack_s, until_ack=True):
                return "silent"
            beat_at = sent_at + self._heartbeat_s

    async def _read(self, channel: Channel, until: float, *, until_ack: bool = False) -> bool:
        """Read until that instant (s), or until the heartbeat is answered; tell whether it was.

        One deadline for all that comes meanwhile: reports are many.
        """
        try:
            async with asyncio.timeout_at(until):
                while self._awaiting_ack or not until_ack:
                    self._take(await channel.receive())
        except TimeoutError:
            return False
        return True

    def _take(self, message: Message) -> None:
        """Take a message; whatever it holds, the channel goes on (RT-W6)."""
        why = unfit(message) or self._handle(message["type"], message["data"])
        if why is not None:
            self._ignore(why)

    def _handle(self, type_: str, data: Mapping[str, Any]) -> Ignored | None:
        if type_ == CAPACITY_UPDATE:
            return self._report(data)
        if type_ in TOLD_BY_REPORTS:
            return None
        if type_ != HEARTBEAT_ACK or not self._awaiting_ack:
            return "repeated"
        self._awaiting_ack = False
        self._state.heard(now_ns())
        return None

    def _report(self, data: Mapping[str, Any]) -> Ignored | None:
        report = read_report(data, now_ns())
        if report is None:
            return "broken"
        if (late := self._state.report(report)) is not None:
            return late
        capacity = report.capacity
        if not self._book.report(capacity.online, capacity.busy, report.sequence):
            return "late"
        self._known(capacity)
        if self._expiry is None:
            self._expire_at(now_ns() + CAPACITY_LIFE)
        return None

    def _known(self, capacity: Capacity) -> None:
        figures = {"online": capacity.online, "busy": capacity.busy}
        self._note("capacity.known", "", {**figures, "available": capacity.available})
        self._changed()

    def _expire_at(self, at: int) -> None:
        loop = asyncio.get_running_loop()
        self._expiry = loop.call_at(to_seconds(at), self._expire)

    def _expire(self) -> None:
        """Look whether the report is too old: one timer for many reports, moved when it fires."""
        self._expiry = None
        capacity = self._state.capacity(now_ns())
        if capacity.known_at is not None:
            self._expire_at(capacity.known_at + CAPACITY_LIFE)
        else:
            self._book.unknown()
            self._known(capacity)

    def _ignore(self, why: Ignored) -> None:
        self._note("message.ignored", "", {"party": BACKEND, "why": why})


async def _close(channel: Channel) -> None:
    try:
        async with asyncio.timeout(CLOSE_S):
            await channel.close()
    except TimeoutError:
        logger.warning("the channel to %s does not close; left alone", channel.peer)
