"""A real dispatcher in a simulated cluster: with the real fleet or a scripted bridge.

The backend is a scripted one too: it does as a test says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from random import Random
from typing import Any

from fleet_kit import body, cluster_of, play
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.hosts import HostPorts, Moved
from windtunnel.ports.network import Channel, ChannelClosedError, Request, Response
from windtunnel.services.dispatcher.dispatcher import Dispatcher
from windtunnel.services.dispatcher.settings import DispatcherSettings
from windtunnel.services.wire import messages
from windtunnel.services.wire.addresses import (
    BRIDGE_PATH,
    CALLBACK_PORT,
    CALLBACK_URL,
    CHANNEL_PATH,
    DISPATCHER_PORT,
    DISPATCHER_URL,
    HEALTH_PATH,
    LOGIN_PATH,
    OVERVIEW_PATH,
    TASK_PATH,
)
from windtunnel.services.wire.messages import message
from windtunnel.services.wire.task import OFFERED
from windtunnel.units import from_seconds
from windtunnel.world import Fault, Ties
from windtunnel_models.cluster.part import environment_of
from windtunnel_models.world import SimWorld

WS = f"ws://dispatcher:{DISPATCHER_PORT}"
PLACES = ("md:cache:pending", "md:cache:processing", "md:cache:offered", "md:cache:completed")
SETTINGS = {"heartbeat_s": 0.2, "dead_after_s": 0.6}
"""The figures of most tests: a fleet's `heartbeat` is 200 ms then."""
FLEET = {"heartbeat": from_seconds(0.2)}


class Books:
    """What the dispatcher's store holds, by its commits: each task is in one place at a time."""

    def __init__(self, world: SimWorld) -> None:
        self.places: dict[str, str] = {}
        self.ever: dict[str, list[str]] = {}
        """Task → the places it came to, in order."""
        self.wrong: list[str] = []
        cluster_of(world).hosts.watch("dispatcher", PLACES, self._moved)

    def _moved(self, moves: Sequence[Moved]) -> None:
        for id_ in {moved.id for moved in moves}:
            was = self.places.get(id_)
            there = {was} - {None} if was else set()
            for moved in moves:
                if moved.id == id_:
                    place = moved.key.rpartition(":")[2]
                    (there.add if moved.there else there.discard)(place)
            if len(there) > 1:
                self.wrong.append(f"{id_} is in {sorted(map(str, there))}")
            if not there and was not in ("offered", "completed"):
                self.wrong.append(f"{id_} left {was} for nowhere")
            self.places.pop(id_, None)
            for place in there:
                if place is not None:
                    self.places[id_] = place
                    self.ever.setdefault(id_, []).append(place)

    def count(self, place: str) -> int:
        """Return how many tasks are in a place."""
        return sum(each == place for each in self.places.values())


class Site:
    """A dispatcher on its host in a world; started again after a crash of the host."""

    def __init__(
        self, world: SimWorld, options: Mapping[str, Any] | None = None, **settings: Any
    ) -> None:
        self.world = world
        self.lives: list[Dispatcher] = []
        self.books = Books(world)
        self._settings = DispatcherSettings(**{**SETTINGS, **settings})
        self._options = RouterOptions(**(options or {}))
        cluster_of(world).hosts.start("dispatcher", self._run)

    async def _run(self, ports: HostPorts) -> None:
        def note(kind: str, op: str, details: Mapping[str, Any]) -> None:
            if ports.alive():
                self.world.trace.record(kind, op, "dispatcher", "", "", "", details)

        made = Dispatcher(ports, self._settings, self._options, note, Random(7))
        self.lives.append(made)
        await made.run()

    @property
    def figures(self) -> Mapping[str, int]:
        """What the present life observes."""
        return self.lives[-1].observe()

    def inject(self, do: str, **args: Any) -> Fault:
        """Bring a fault about."""
        fault = Fault(f"the-{do}", do, args)
        self.world.inject(fault)
        return fault

    async def fault(self, seconds: float, do: str, **args: Any) -> None:
        """Have a fault for so long."""
        fault = self.inject(do, **args)
        await asyncio.sleep(seconds)
        self.world.undo(fault)

    def notes(self, kind: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Give (op, details) of the notes of a kind."""
        return [(event.op, event.details) for event in self.world.trace.of(kind)]

    def check(self) -> None:
        """Check what holds at the end of every test."""
        assert not self.books.wrong
        unknown = [d for _, d in self.notes("error.met") if d["error"] == "unknown"]
        assert not unknown


class Client:
    """A scripted backend: it submits, listens and is called back."""

    def __init__(self, world: SimWorld) -> None:
        self.world = world
        self.called: list[tuple[float, Mapping[str, Any]]] = []
        """(seconds, body) of each webhook."""
        self.takes: Callable[[str], bool] = lambda task: True
        """Whether it takes a task that is offered."""
        self.status = 200
        """What webhooks are answered with."""
        self.answers: Callable[[], Awaitable[None]] | None = None
        """Awaited before a webhook is answered."""
        self.reports: list[tuple[float, Mapping[str, Any]]] = []
        self.received: list[Mapping[str, Any]] = []
        self.channel: Channel | None = None
        self.closed_at: float | None = None
        self.token = ""
        self._ports: HostPorts | None = None
        cluster_of(world).hosts.start("backend", self._run)

    async def _run(self, ports: HostPorts) -> None:
        self._ports = ports
        ports.network.serve(CALLBACK_PORT, self._callback)
        await asyncio.get_running_loop().create_future()

    async def _callback(self, request: Request) -> Response:
        told = request.body or {}
        self.called.append((self.world.loop.time(), told))
        if self.answers is not None:
            await self.answers()
        if told["status"] != OFFERED:
            return Response(self.status, {"ok": True})
        taken = self.takes(told["client_task_id"])
        return Response(self.status, {"ok": True, "taken": taken})

    @property
    def ports(self) -> HostPorts:
        """Its host's."""
        assert self._ports is not None
        return self._ports

    def told(self, op: str) -> list[str]:
        """Give the status of each webhook about a task."""
        return [told["status"] for _, told in self.called if told["client_task_id"] == op]

    async def ask(self, method: str, path: str, body: Any = None, token: Any = None) -> Response:
        """Make a request with our token, or another."""
        headers = {"apikey": self.token if token is None else token}
        request = Request(method, DISPATCHER_URL + path, body, headers)
        async with asyncio.timeout(60):
            return await self.ports.network.request(request)

    async def log_in(self) -> None:
        """Obtain a token; wait for the dispatcher to be there."""
        pair = environment_of(self.world.loop.seed)["backend"]
        named = {"username": pair["MD_USERNAME"], "password": pair["MD_PASSWORD"]}
        await asyncio.sleep(0.001)  # its program has begun
        answer = await self.ask("POST", LOGIN_PATH, named)
        assert answer.status == 200, answer
        self.token = answer.body["data"]["access_token"]

    async def post(self, op: str, seconds: float = 1.0, **more: Any) -> Response:
        """Submit a task; `seconds`: how long it works."""
        task = body(op, seconds, webhookUrl=CALLBACK_URL, apiKey=self.token)
        return await self.ask("POST", TASK_PATH, {**task, **more})

    async def submit(self, *ops: str, seconds: float = 1.0, **more: Any) -> None:
        """Submit tasks, one after the other; each is taken in."""
        for op in ops:
            answer = await self.post(op, seconds, **more)
            assert answer.status == 200, answer
            assert answer.body["data"]["requestId"] == f"md-{op}"
            await settle()

    async def query(self, op: str) -> Mapping[str, Any]:
        """Ask what has become of a task."""
        answer = await self.ask("GET", f"{TASK_PATH}?requestId=md-{op}")
        data: Mapping[str, Any] = answer.body["data"]
        return data

    async def health(self) -> Mapping[str, Any]:
        """Ask how the dispatcher is; no token is needed."""
        answer: Mapping[str, Any] = (await self.ask("GET", HEALTH_PATH, token="")).body
        return answer

    async def overview(self) -> Mapping[str, Any]:
        """Ask for the capacity."""
        data: Mapping[str, Any] = (await self.ask("GET", OVERVIEW_PATH)).body["data"]
        return data

    async def connect(self, token: Any = None) -> Channel:
        """Open the channel, and keep what comes in the background."""
        self.channel = channel = await self.ports.network.connect(WS + CHANNEL_PATH)
        token = self.token if token is None else token
        connect = message(messages.CONNECT, clientId="task-queue-backend", token=token)
        await channel.send(connect)
        self._listening = asyncio.get_running_loop().create_task(self._listen(channel))
        return channel

    async def _listen(self, channel: Channel) -> None:
        try:
            while True:
                received = await channel.receive()
                self.received.append(received)
                if received["type"] == messages.CAPACITY_UPDATE:
                    self.reports.append((self.world.loop.time(), received["data"]))
        except ChannelClosedError:
            self.closed_at = self.world.loop.time()


class ScriptedBridge:
    """A bridge that says what a test has it say, on a host of its own."""

    def __init__(self, world: SimWorld, name: str = "bridge-9") -> None:
        self.name = name
        self.world = world
        self.runs: list[Mapping[str, Any]] = []
        """The data of each RUN."""
        self.acks: list[Mapping[str, Any]] = []
        self.channel: Channel | None = None
        self.closed_at: float | None = None
        self._ports: HostPorts | None = None
        cluster_of(world).hosts.start(name, self._run)

    async def _run(self, ports: HostPorts) -> None:
        self._ports = ports
        await asyncio.get_running_loop().create_future()

    async def open(self) -> Channel:
        """Open the channel, and keep what comes in the background."""
        await asyncio.sleep(0)
        assert self._ports is not None
        self.channel = await self._ports.network.connect(WS + BRIDGE_PATH)
        self._listening = asyncio.get_running_loop().create_task(self._listen(self.channel))
        return self.channel

    async def join(self, **instances: tuple[str, int] | None) -> None:
        """Connect, and name instances (`i0`) with what they have: (task, attempt)."""
        await self.open()
        await self.say(messages.JOIN, **self._named(instances))

    async def _listen(self, channel: Channel) -> None:
        try:
            while True:
                received = await channel.receive()
                kept = {messages.RUN: self.runs, messages.RESULT_ACK: self.acks}
                kept[received["type"]].append(received["data"])
        except ChannelClosedError:
            self.closed_at = self.world.loop.time()

    def _named(self, instances: Mapping[str, tuple[str, int] | None]) -> dict[str, Any]:
        return {
            "bridgeId": self.name,
            "instances": [
                {"instanceId": id_, "taskId": has and has[0], "attempt": has and has[1]}
                for id_, has in instances.items()
            ],
        }

    async def alive(self, **instances: tuple[str, int] | None) -> None:
        """Say that these are reached, with what they have."""
        await self.say(messages.ALIVE, **self._named(instances))

    async def keep_alive(self, seconds: float, **instances: tuple[str, int] | None) -> None:
        """Say so every 200 ms for so long."""
        for _ in range(round(seconds / 0.2)):
            await asyncio.sleep(0.2)
            await self.alive(**instances)

    async def done(self, task: str, instance: str, attempt: int = 1, result: Any = "r") -> None:
        """Say that a run has ended well."""
        whose = {"taskId": task, "instanceId": instance, "attempt": attempt}
        await self.say(messages.DONE, **whose, result=result)

    async def failed(self, task: str, instance: str, attempt: int = 1, error: str = "e") -> None:
        """Say that a run has failed."""
        whose = {"taskId": task, "instanceId": instance, "attempt": attempt}
        await self.say(messages.FAILED, **whose, error=error)

    async def say(self, type_: str, **data: Any) -> None:
        """Say anything."""
        await self.send(message(type_, **data))

    async def send(self, anything: Any) -> None:
        """Send anything; it has arrived when this returns, where latency is 0."""
        assert self.channel is not None
        await self.channel.send(anything)
        await settle()


async def settle() -> None:
    """Let whatever can happen at this instant happen."""
    for _ in range(60):
        await asyncio.sleep(0)


Body = Callable[[Site, Client], Coroutine[Any, Any, None]]


def play_site(
    test: Body,
    *,
    options: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    network: Mapping[str, Any] | None = None,
    ties: Ties | None = None,
    **fleet: Any,
) -> Site:
    """Play a test with a dispatcher, a backend that is logged in, and the real fleet."""
    sites: list[Site] = []

    async def main(world: SimWorld) -> None:
        site = Site(world, options, **(settings or {}))
        sites.append(site)
        client = Client(world)
        await client.log_in()
        await asyncio.sleep(0.01 - world.loop.time() % 0.01)  # the bridges have joined
        await test(site, client)
        site.check()

    play(main, network=network, ties=ties, **{**FLEET, **fleet})
    return sites[0]


def play_scripted(
    test: Callable[[Site, Client, ScriptedBridge], Coroutine[Any, Any, None]], **how: Any
) -> Site:
    """Play a test with a scripted bridge in the place of the fleet."""

    async def main(site: Site, client: Client) -> None:
        await test(site, client, ScriptedBridge(site.world))

    return play_site(main, internal=0, bridges=1, **how)
