"""A whole backend in a simulated cluster: the real external platform, and a scripted dispatcher."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fleet_kit import cluster_of, play
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.hosts import HostPorts, Moved
from windtunnel.ports.network import Channel, ChannelClosedError, Request, Response
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.backend import Backend
from windtunnel.services.backend.settings import BackendSettings
from windtunnel.services.wire.addresses import (
    CALLBACK_URL,
    HEALTH_PATH,
    LOGIN_PATH,
    TASK_PATH,
    path_of,
)
from windtunnel.services.wire.messages import (
    CAPACITY_UPDATE,
    CONNECT,
    CONNECT_ACK,
    HEARTBEAT,
    HEARTBEAT_ACK,
    message,
)
from windtunnel.services.wire.task import OWN_ID, WORK, Task, result_of
from windtunnel.units import SECOND, from_seconds, to_seconds
from windtunnel.world import Fault
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.host_store import HostStore
from windtunnel_models.cluster.lives import Life
from windtunnel_models.cluster.store import SimStore
from windtunnel_models.loop.sim_loop import SimLoop
from windtunnel_models.world import SimWorld

PLACES = ("waiting", "sending", "inside", "outside", "done", "failed", "expired")
OVER = ("done", "failed", "expired")


class Inside:
    """A dispatcher with so many instances that does as its fields say.

    A task that finds no free instance waits for one. What it knows outlives its crashes.
    """

    def __init__(self, world: SimWorld, online: int) -> None:
        self.world = world
        self.online = online
        self.sequence = 0
        self.submitted: list[str] = []
        """Every submission, by task, repetitions too."""
        self.tokens: list[str] = []
        """The token of each submission."""
        self.answers: dict[str, Response] = {}
        """Task → what its submission is answered with instead."""
        self.revoked: set[str] = set()
        self.logins = 0
        self.status: dict[str, dict[str, Any]] = {}
        self.webhooks: list[tuple[str, int, Any]] = []
        """(task, status, body) of the answer to each webhook."""
        self.calls = True
        """Whether webhooks are called."""
        self._bodies: dict[str, Mapping[str, Any]] = {}
        self._busy: dict[str, None] = {}
        self._waiting: list[str] = []
        self._channel: Channel | None = None
        self._ports: HostPorts | None = None
        cluster_of(world).hosts.start("dispatcher", self._run)

    async def _run(self, ports: HostPorts) -> None:
        self._ports = ports
        self._channel = None
        ports.network.serve(4000, self._answer, self._serve)
        for id_ in self._busy:  # its timer was the former life's
            self._begin(id_)
        while True:
            await asyncio.sleep(10)
            await self.report()

    async def _answer(self, request: Request) -> Response:
        path = path_of(request.url)
        if path == LOGIN_PATH:
            self.logins += 1
            token = f"token-{self.logins}"
            return Response(
                200, {"success": True, "data": {"access_token": token, "expires_in": 86400}}
            )
        if path == HEALTH_PATH:
            return Response(
                200, {"status": "ok", "bridges": 1, "onlineInstances": self.online, "version": "1"}
            )
        assert path == TASK_PATH
        if request.headers["apikey"] in self.revoked:
            return Response(401, {"success": False, "code": 401, "error": "token"})
        if request.method == "GET":
            id_ = request.url.partition("=md-")[2]
            found = self.status.get(id_, {"status": "UNKNOWN"})
            return Response(200, {"success": True, "data": {"client_task_id": id_, **found}})
        return self._take(request)

    def _take(self, request: Request) -> Response:
        body = request.body
        assert body is not None
        assert body["apiKey"] == request.headers["apikey"]
        assert body["webhookUrl"] == CALLBACK_URL
        id_ = body[OWN_ID]
        self.submitted.append(id_)
        self.tokens.append(body["apiKey"])
        if id_ in self.answers:
            return self.answers[id_]
        if id_ not in self.status:
            self._bodies[id_] = body
            self.status[id_] = {"status": "PENDING"}
            self._waiting.append(id_)
            self.schedule()
        data = {"requestId": f"md-{id_}", "taskId": id_, "report": self.sequence + 1}
        return Response(200, {"success": True, "data": data})

    def schedule(self) -> None:
        """Give what waits to free instances, and report."""
        while self._waiting and len(self._busy) < self.online:
            id_ = self._waiting.pop(0)
            self._busy[id_] = None
            self.status[id_] = {"status": "RUNNING"}
            self._begin(id_)
        assert self._ports is not None
        if self._ports.alive():
            asyncio.get_running_loop().create_task(self.report())

    def _begin(self, id_: str) -> None:
        seconds = to_seconds(self._bodies[id_].get(WORK, SECOND))
        asyncio.get_running_loop().call_later(seconds, self.end, id_)

    def end(self, id_: str, status: str = "SUCCESS", **more: Any) -> None:
        """End a task that runs, and call its webhook."""
        if self._busy.pop(id_, self) is self:
            return
        said = {"status": status, "result": result_of(self._bodies[id_]), **more}
        self.status[id_] = said
        self.schedule()
        if self.calls:
            asyncio.get_running_loop().create_task(self.call(id_, **said))

    async def call(self, id_: str, **said: Any) -> Response:
        """Call the backend's webhook about a task."""
        assert self._ports is not None
        body = {"taskId": f"md-{id_}", OWN_ID: id_, **said}
        answer = await self._ports.network.request(Request("POST", CALLBACK_URL, body))
        self.webhooks.append((id_, answer.status, answer.body))
        return answer

    async def _serve(self, channel: Channel) -> None:
        while True:
            got = await channel.receive()
            if got["type"] == CONNECT:  # bridges say otherwise
                self._channel = channel
                await channel.send(message(CONNECT_ACK, serverId="message-dispatcher"))
                await self.report()
            elif got["type"] == HEARTBEAT:
                await channel.send(message(HEARTBEAT_ACK))

    async def report(self) -> None:
        """Report the capacity, if anybody listens."""
        self.sequence += 1
        busy = len(self._busy)
        summary = {
            "totalBridges": 1,
            "totalInstances": self.online,
            "onlineInstances": self.online,
            "busyInstances": busy,
            "availableCapacity": self.online - busy,
        }
        if self._channel is not None:
            with suppress(ChannelClosedError):
                await self._channel.send(
                    message(CAPACITY_UPDATE, bridges=[], summary=summary, sequence=self.sequence)
                )


class Watch:
    """Where each task is, by the store: in one place, and never out of one where it is over."""

    def __init__(self, world: SimWorld) -> None:
        self.places: dict[str, str] = {}
        self.paths: dict[str, list[str]] = {}
        cluster_of(world).hosts.watch("backend", PLACES, self._told)

    def _told(self, moves: Sequence[Moved]) -> None:
        for move in moves:
            if not move.there:
                assert self.places.pop(move.id) == move.key
        for move in moves:
            if move.there:
                assert move.id not in self.places, f"{move.id} is in two places"
                assert not set(self.paths.get(move.id, ())) & set(OVER), "over is over"
                self.places[move.id] = move.key
                self.paths.setdefault(move.id, []).append(move.key)

    def path(self, id_: str) -> str:
        """The places a task has been in, in order."""
        return " ".join(self.paths.get(id_, ()))


def _body(work: float) -> dict[str, Any]:
    return {"workflow_id": "w", WORK: from_seconds(work)}


def right(id_: str, work: float) -> str:
    """Return the right result of a task that was submitted without further fields."""
    return result_of({**_body(work), OWN_ID: id_})


class Stage:
    """A backend on its host, with what it noted and told."""

    def __init__(self, world: SimWorld, online: int, options: RouterOptions, **said: Any) -> None:
        self.world = world
        self.settings = BackendSettings(**said)
        self.options = options
        self.notes: list[tuple[float, str, str, dict[str, Any]]] = []
        self.told: list[tuple[float, Answer]] = []
        self.deaf = False
        """Whether the owner fails to listen."""
        self.mends: list[Callable[[Backend], None]] = []
        """What is done to each further life before it runs."""
        self.lives = 0
        self.faults = 0
        self.backend: Backend | None = None
        self.ports: HostPorts | None = None
        self.watch = Watch(world)
        self.inside = Inside(world, online)
        cluster_of(world).hosts.start("backend", self._run)

    async def _run(self, ports: HostPorts) -> None:
        def note(kind: str, op: str, details: Mapping[str, Any]) -> None:
            if ports.alive():
                self.world.trace.record(kind, op, details=details)
                self.notes.append((self.now, kind, op, dict(details)))

        async def tell(answer: Answer) -> None:
            if not ports.alive():
                await asyncio.get_running_loop().create_future()
            assert self.watch.places[answer.id] == answer.status, "told before it is stored"
            if self.deaf:
                raise RuntimeError("the owner does not listen")
            self.told.append((self.now, answer))

        self.lives += 1
        self.ports = ports
        self.backend = Backend(ports, self.settings, self.options, note, tell)
        for mend in self.mends:
            mend(self.backend)
        await self.backend.run()

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def ready(self) -> None:
        """Wait until the backend knows of its capacity inside."""
        async with asyncio.timeout(10):
            while self.backend is None or (  # noqa: ASYNC110 - it tells nobody
                self.settings.enabled
                and self.inside.online
                and not self.figure("capacity_internal")
            ):
                await asyncio.sleep(0.01)

    async def submit(self, id_: str, work: float = 1.0, **more: Any) -> None:
        """Submit a task, to the life of the backend that there is."""
        platform = more.pop("platform", "runninghub")
        body = {**_body(work), **more}
        assert self.backend is not None
        await self.backend.submit(Task(id_, body, platform))

    async def settle(self, count: int, within: float = 600.0) -> None:
        """Wait until so many answers were told."""
        async with asyncio.timeout(within):
            while len(self.told) < count:  # noqa: ASYNC110 - a test has time
                await asyncio.sleep(0.05)

    def figure(self, name: str) -> Any:
        assert self.backend is not None
        return self.backend.observe()[name]

    def of(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        """(operation, details) of the notes of a kind."""
        return [(op, details) for _, k, op, details in self.notes if k == kind]

    def outcome(self, id_: str) -> list[tuple[str, str | None]]:
        """(status, error) of each answer about a task."""
        return [(a.status, a.error) for _, a in self.told if a.id == id_]

    async def fault(self, do: str, **args: Any) -> Callable[[], Awaitable[None]]:
        """Bring a fault about; returns what takes it back."""
        self.faults += 1
        fault = Fault(f"{do}-{self.faults}", do, args)
        await self.world.inject(fault)

        async def undo() -> None:
            await self.world.undo(fault)

        return undo


Script = Callable[[Stage], Awaitable[None]]


def on_stage(
    script: Script,
    *,
    online: int = 4,
    external: int = 10,
    latency: int = 1_000_000,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    **settings: Any,
) -> Stage:
    """Run a script with a backend that knows of its capacity; every event obeys the table."""
    stages: list[Stage] = []

    async def main(world: SimWorld) -> None:
        given = {"external_capacity": external, **settings}
        stages.append(Stage(world, online, RouterOptions(**(options or {})), **given))
        await stages[0].ready()
        await script(stages[0])

    play(main, network={"latency": latency}, seed=seed, internal=0, external=external)
    return stages[0]


@dataclass
class Healthy:
    """What says whether the router is degraded."""

    degraded: bool = False


class Shelf:
    """A store that outlives those who write to it; `life` is the present one's."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimLoop)
        self._loop = loop
        self.store = SimStore(loop.env, AccessLog(), "backend")
        self.commits: list[list[Moved]] = []
        self.store.watch(PLACES, lambda moves: self.commits.append(list(moves)))
        self.crash()

    def crash(self) -> HostStore:
        """End the present life; return the store as the next one has it."""
        self.handle = HostStore(self.store, Life(self._loop, "backend"))
        return self.handle

    def go_down(self) -> None:
        self.store.outages["down"] = lambda op: None

    def come_up(self) -> None:
        self.store.outages.clear()

    def tables(self) -> dict[str, list[str]]:
        """Place → ids, in the store's order."""
        return {place: [id_ for id_, _ in self.store.first(place, 10**6)] for place in PLACES}
