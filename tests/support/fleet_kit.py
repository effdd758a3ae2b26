"""A yard: an instance on a timeline of its own; and a cluster with a scripted dispatcher."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from windtunnel.canonical import check_event
from windtunnel.ports.hosts import HostPorts
from windtunnel.ports.network import Channel, Request, Response
from windtunnel.services.wire.addresses import (
    CALLBACK_PORT,
    CALLBACK_URL,
    CREATE_PATH,
    DISPATCHER_PORT,
    EXTERNAL_URL,
    OUTPUTS_PATH,
)
from windtunnel.services.wire.task import OWN_ID, WORK
from windtunnel.trace import Trace
from windtunnel.units import SECOND
from windtunnel.world import Ties, WorldSpec
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.conditions import Conditions
from windtunnel_models.cluster.instance import Instance, Order, Result
from windtunnel_models.cluster.part import ClusterPart
from windtunnel_models.cluster.work import Workshop
from windtunnel_models.loop.sim_loop import SimLoop
from windtunnel_models.world import SimWorld


class Ear:
    """A bridge that keeps what it hears; a deaf one takes no result."""

    def __init__(self) -> None:
        self.heard: list[Result] = []
        self.noticed: list[str] = []
        self.deaf = False

    def hear(self, result: Result) -> bool:
        """Keep a result."""
        if not self.deaf:
            self.heard.append(result)
        return not self.deaf

    def notice(self, instance: Instance) -> None:
        """Keep a state."""
        self.noticed.append(instance.state)


class Yard:
    """One instance, `inst-0`, with an ear at its line, and whatever else a test makes."""

    def __init__(self, paces: Mapping[str, float] | None = None) -> None:
        self.loop = SimLoop()
        self.env = self.loop.env
        self.trace = Trace(self.loop.time_ns)
        self.log = AccessLog()
        self.conditions = Conditions(paces or {})
        self.shop = Workshop(self.env, self.trace, self.conditions)
        self.instance = Instance(self.shop, self.log, "inst-0", "bridge-0")
        self.ear = Ear()
        self.instance.listen(self.ear)

    def pass_time(self, ns: int) -> None:
        """Let so much time pass; what is due at its end happens."""
        if ns:
            self.env.run(self.env.now + ns)
        while self.env.peek() <= self.env.now:
            self.env.step()

    def told(self, *kinds: str) -> list[tuple[Any, ...]]:
        """Give (seconds, kind, op, resource, outcome, state) of the events, without what is empty.

        Every event obeys the table of kinds.
        """
        found = []
        for event in self.trace:
            check_event(event)
            if kinds and event.kind not in kinds:
                continue
            row = (event.kind, event.op, event.resource, event.outcome, event.details.get("state"))
            found.append((event.time / SECOND, *(part for part in row if part)))
        return found


def body(op: str, seconds: float = 1.0, **more: Any) -> dict[str, Any]:
    """Return a task in its wire form."""
    return {OWN_ID: op, WORK: round(seconds * SECOND), "workflow_id": "w", **more}


def order(op: str, seconds: float = 1.0, attempt: int = 1) -> Order:
    """Return an order for a task of that name."""
    return Order(f"md-{op}", attempt, body(op, seconds))


# ---------------------------------------------------------------- a whole cluster


def cluster_of(world: SimWorld) -> ClusterPart:
    """Return the cluster of a world that has one."""
    part = world.parts["cluster"]
    assert isinstance(part, ClusterPart)
    return part


def play(
    body: Callable[[SimWorld], Coroutine[Any, Any, None]],
    *,
    network: Mapping[str, Any] | None = None,
    seed: int = 0,
    ties: Ties | None = None,
    **fleet: Any,
) -> SimWorld:
    """Run `body(world)` in a world with a cluster, to its end; every event obeys the table."""
    given = {"fleet": fleet, "network": network or {"latency": 0}}
    world = SimWorld(WorldSpec(seed, given=given, ties=ties or Ties(), parts=("cluster",)))
    end = world.run(lambda: body(world))
    assert end.reason == "finished", end
    for event in world.trace:
        check_event(event)
    return world


class Desk:
    """A scripted dispatcher: it keeps what bridges say, and acknowledges results if it should."""

    def __init__(self, world: SimWorld, *, acknowledges: bool = True) -> None:
        self.said: list[tuple[float, str, str, Mapping[str, Any]]] = []
        """(seconds, bridge, type, data) of each message."""
        self.acknowledges = acknowledges
        self._world = world
        self._channels: dict[str, Channel] = {}
        cluster_of(world).hosts.start("dispatcher", self._run)

    async def _run(self, ports: HostPorts) -> None:
        self._channels.clear()
        ports.network.serve(DISPATCHER_PORT, _refuse, self._serve)
        await asyncio.get_running_loop().create_future()

    async def _serve(self, channel: Channel) -> None:
        self._channels[channel.peer] = channel
        while True:
            message = await channel.receive()
            data = message["data"]
            self.said.append((self._world.loop.time(), channel.peer, message["type"], data))
            if self.acknowledges and message["type"] in ("DONE", "FAILED"):
                whose = {name: data[name] for name in ("taskId", "instanceId", "attempt")}
                await channel.send({"type": "RESULT_ACK", "data": whose})

    async def give(self, instance: str, op: str, seconds: float = 1.0, attempt: int = 1) -> None:
        """Give a task to an instance, through its bridge."""
        data = {"taskId": f"md-{op}", "instanceId": instance, "attempt": attempt}
        whose = cluster_of(self._world).fleet.instances.get(instance)
        await self.send(
            "bridge-0" if whose is None else whose.bridge,
            {"type": "RUN", "data": {**data, "payload": body(op, seconds)}},
        )

    async def send(self, bridge: str, message: Mapping[str, Any]) -> None:
        """Say something to a bridge."""
        await self._channels[bridge].send(message)

    async def hang_up(self, bridge: str) -> None:
        """Close the channel of a bridge."""
        await self._channels[bridge].close()

    def results(self) -> list[tuple[float, str, str]]:
        """Give (seconds, task, result or error) of what instances had to tell."""
        return [
            (at, data["taskId"], data.get("result") or data["error"])
            for at, _, type_, data in self.said
            if type_ in ("DONE", "FAILED")
        ]

    def types(self, *but: str) -> list[tuple[float, str, str]]:
        """Give (seconds, bridge, type) of all messages but those of some types."""
        return [(at, bridge, type_) for at, bridge, type_, _ in self.said if type_ not in but]

    def views(self, type_: str = "ALIVE") -> list[dict[str, str | None]]:
        """Give instance → task of each message of that type."""
        return [
            {each["instanceId"]: each["taskId"] for each in data["instances"]}
            for _, _, its_type, data in self.said
            if its_type == type_
        ]


async def _refuse(_request: Request) -> Response:
    return Response(404)


class Caller:
    """A scripted backend: it asks the external platform, and keeps what is called back."""

    def __init__(self, world: SimWorld) -> None:
        self.called: list[tuple[float, Mapping[str, Any]]] = []
        """(seconds, body) of each webhook."""
        self._world = world
        self._ports: HostPorts | None = None
        cluster_of(world).hosts.start("backend", self._run)

    async def _run(self, ports: HostPorts) -> None:
        self._ports = ports
        ports.network.serve(CALLBACK_PORT, self._answer)
        await asyncio.get_running_loop().create_future()

    async def _answer(self, request: Request) -> Response:
        self.called.append((self._world.loop.time(), request.body or {}))
        return Response(200, {"ok": True})

    async def ask(self, path: str, body: Mapping[str, Any], method: str = "POST") -> Response:
        """Make a request to the external platform."""
        assert self._ports is not None
        return await self._ports.network.request(Request(method, EXTERNAL_URL + path, body))

    async def create(self, op: str, seconds: float = 1.0, **more: Any) -> str:
        """Submit a task; return its id there, or the message of the refusal."""
        task = body(op, seconds, webhookUrl=CALLBACK_URL, apiKey="k", **more)
        answer = (await self.ask(CREATE_PATH, task)).body
        told: str = answer["data"]["taskId"] if not answer["code"] else answer["msg"]
        return told

    async def outputs(self, id_: str) -> Mapping[str, Any]:
        """Ask what has become of a task: its data, or the whole refusal."""
        answer: Mapping[str, Any] = (await self.ask(OUTPUTS_PATH, {"taskId": id_})).body
        data: Mapping[str, Any] = answer.get("data", answer)
        return data
