"""A backend's services beside the task path, and a scripted dispatcher, on a simulated network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from windtunnel.kinds import KINDS
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.network import Channel, Message, Request, Response
from windtunnel.services.backend.degradation import Degradation
from windtunnel.services.backend.error_reactions import ErrorReactions, backend_reactions
from windtunnel.services.backend.health_monitor import HealthMonitor
from windtunnel.services.backend.link import DispatcherLink
from windtunnel.services.backend.link_state import LinkState
from windtunnel.services.backend.token_manager import TokenManager
from windtunnel.services.note import Note
from windtunnel.services.wire.addresses import DISPATCHER_URL, HEALTH_PATH, LOGIN_PATH
from windtunnel.services.wire.messages import (
    CAPACITY_UPDATE,
    CONNECT,
    CONNECT_ACK,
    HEARTBEAT,
    HEARTBEAT_ACK,
    message,
)
from windtunnel.spans import as_span
from windtunnel_models import SimLoop
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.host_store import HostStore
from windtunnel_models.cluster.lives import Life
from windtunnel_models.cluster.network import SimNetwork
from windtunnel_models.cluster.obstacles import Cut
from windtunnel_models.cluster.store import SimStore

LATENCY = 1_000_000
"""Of the network, ns."""


class Cluster:
    """A network between the hosts `backend` and `dispatcher`, and the backend's store."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimLoop)
        self.network = SimNetwork(loop.env, as_span(LATENCY))
        self.store = SimStore(loop.env, AccessLog(), "backend")
        self._cut = Cut(frozenset({"dispatcher"}), _ignored)
        self.begin()

    def begin(self) -> None:
        """Let the backend's host have a new life, with the same store."""
        self.network.kill("backend")
        self.backend = self.network.host("backend")
        self.life = self.backend.life
        self.handle = HostStore(self.store, self.life)

    def cut(self) -> None:
        """Let nothing get through, in either direction."""
        self.network.obstacles.put(self._cut)

    def mend(self) -> None:
        self.network.obstacles.take(self._cut)

    def crash(self) -> None:
        """Let the dispatcher be no more."""
        self.network.kill("dispatcher")

    def store_down(self, *, down: bool) -> None:
        """Let each call to the store raise, or no longer."""
        self.store.outages.clear()
        if down:
            self.store.outages["test"] = _ignored

    def stored(self, id_: str, key: str = "state") -> Any:
        """Return what the store holds there now, or None."""
        text = self.store.get(key, id_)
        return None if text is None else json.loads(text)


def _ignored(op: str) -> None:
    """What a fault is told when it is felt."""


class Notes:
    """What was noted: (instant in s, kind, details), as the table of kinds has it."""

    def __init__(self) -> None:
        self.all: list[tuple[float, str, dict[str, Any]]] = []

    def __call__(self, kind: str, op: str, details: Mapping[str, Any]) -> None:
        known = KINDS[kind].details
        assert set(details) <= {name.removesuffix("?") for name in known}, (kind, details)
        assert {name for name in known if not name.endswith("?")} <= set(details), (kind, details)
        self.all.append((asyncio.get_running_loop().time(), kind, dict(details)))

    def by(self, life: Life) -> Note:
        """Return the note of a life: what a dead program notes is not heard."""

        def note(kind: str, op: str, details: Mapping[str, Any]) -> None:
            if life.alive:
                self(kind, op, details)

        return note

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The details of the notes of a kind."""
        return [details for _, k, details in self.all if k == kind]

    def at(self, kind: str) -> list[float]:
        """The instants of the notes of a kind."""
        return [at for at, k, _ in self.all if k == kind]


class Dispatcher:
    """A dispatcher that does as it is told: what it answers are its fields."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.acks = True
        self.beats = True
        self.hangs_up = False
        self.lifetime: Any = 86400
        self.login_status = 200
        self.login_body: Any = ...
        """What a log-in is answered with; `...`: a token."""
        self.login_s = 0.0
        self.logins = 0
        self.health: Response = Response(
            200, {"status": "ok", "bridges": 2, "onlineInstances": 4, "version": "1"}
        )
        self.health_asked = 0
        self.heard: list[tuple[float, Message]] = []
        self.channel: Channel | None = None
        self.sequence = 0
        self.on_connect: tuple[int, int] | None = (4, 0)
        self.start()

    def start(self) -> None:
        """Serve, in a new life."""
        self._cluster.network.host("dispatcher").serve(4000, self._handle, self._on_channel)

    async def _handle(self, request: Request) -> Response:
        if request.url == DISPATCHER_URL + HEALTH_PATH:
            self.health_asked += 1
            return self.health
        assert request.url == DISPATCHER_URL + LOGIN_PATH
        assert request.body == {"username": "u", "password": "sesame"}
        self.logins += 1
        await asyncio.sleep(self.login_s)
        token = f"token-{self.logins}"
        data = {"access_token": token, "expires_in": self.lifetime}
        body = {"success": True, "data": data} if self.login_body is ... else self.login_body
        return Response(self.login_status, body)

    async def _on_channel(self, channel: Channel) -> None:
        self.channel = channel
        if self.hangs_up:
            return
        while True:
            got = await channel.receive()
            self.heard.append((asyncio.get_running_loop().time(), got))
            if got["type"] == CONNECT and self.acks:
                self.sequence = 0
                await channel.send(message(CONNECT_ACK, serverId="message-dispatcher"))
                if self.on_connect is not None:
                    await self.tell(*self.on_connect)
            if got["type"] == HEARTBEAT and self.beats:
                await channel.send(message(HEARTBEAT_ACK))

    async def tell(self, online: int, busy: int, sequence: int | None = None) -> None:
        """Send a report, the next in sequence unless one is given."""
        self.sequence += 1
        await self.send(report(online, busy, self.sequence if sequence is None else sequence))

    async def send(self, message: Any) -> None:
        assert self.channel is not None
        await self.channel.send(message)

    async def hang_up(self) -> None:
        assert self.channel is not None
        await self.channel.close()


def report(online: int, busy: int, sequence: int) -> Message:
    """Return a CAPACITY_UPDATE."""
    instances = [
        {"instanceId": f"inst-{i}", "status": "busy" if i < busy else "online", "currentTask": None}
        for i in range(online)
    ]
    summary = {
        "totalBridges": 1,
        "totalInstances": online,
        "onlineInstances": online,
        "busyInstances": busy,
        "availableCapacity": online - busy,
    }
    bridges = [{"bridgeId": "bridge-0", "instances": instances}]
    return message(CAPACITY_UPDATE, bridges=bridges, summary=summary, sequence=sequence)


class Book:
    """A capacity book that writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def report(self, online: int, busy: int, sequence: int) -> bool:
        self.told.append((online, busy, sequence))
        return True

    def new_link(self) -> None:
        self.told.append("new_link")

    def unknown(self) -> None:
        self.told.append("unknown")


class Care:
    """The services wired together on their host, and the dispatcher beyond the network."""

    def __init__(self, **options: Any) -> None:
        self.options = RouterOptions(**options)
        self.cluster = Cluster()
        self.dispatcher = Dispatcher(self.cluster)
        self.notes = Notes()
        self.book = Book()
        self._make()

    def _make(self) -> None:
        network, store = self.cluster.backend, self.cluster.handle
        note = self.notes.by(self.cluster.life)
        self.state = LinkState(self.options)
        self.degradation = Degradation(self.state, store, note, self.options)
        self.tokens = TokenManager(network, DISPATCHER_URL, "u", "sesame", note)
        self.errors = ErrorReactions(note, backend_reactions(self.degradation))
        self.monitor = HealthMonitor(self.state, self.degradation, self.errors, note, self.options)
        self.link = DispatcherLink(
            network,
            DISPATCHER_URL,
            self.tokens,
            self.state,
            self.book,
            note,
            self.monitor.changed,
        )

    def start(self) -> None:
        """Run them all."""
        for name in ("tokens", "link", "monitor"):
            self.cluster.life.create_task(getattr(self, name).run(), name)

    def crash(self) -> None:
        """Kill the backend, and make its services anew over the same store."""
        self.cluster.begin()
        self._make()
