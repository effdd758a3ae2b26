"""Hosts and a network between them to play on, with the faults that they know."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from windtunnel.canonical import check_event, digest
from windtunnel.faults import Faults, at_once
from windtunnel.ports.hosts import HostPorts
from windtunnel.ports.network import Channel, Message, Network, Request, Response
from windtunnel.spans import as_span
from windtunnel.trace import Trace
from windtunnel.units import MS, SECOND
from windtunnel.world import Fault, Ties
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.hosts import SimHosts
from windtunnel_models.cluster.net_faults import fault_kinds
from windtunnel_models.cluster.network import SimNetwork
from windtunnel_models.loop.sim_loop import SimLoop

PORT = 4000
FIFO = Ties()
BETWEEN = ["a", "b"]
EXAMPLES: dict[str, dict[str, Any]] = {
    "crash": {"target": "b"},
    "partition": {"target": ["b"]},
    "silent": {"between": BETWEEN},
    "flap": {"between": BETWEEN},
    "lose": {"between": BETWEEN},
    "duplicate": {"between": BETWEEN, "times": 2},
    "delay": {"between": BETWEEN, "by": SECOND},
    "reject": {"target": "b", "path": "/x", "status": 503},
    "unanswered": {"target": "b", "path": "/x"},
    "accept_late": {"target": "b", "path": "/x", "by": SECOND},
    "store_down": {"target": "b"},
}
"""Kind of fault → its fields, aimed at the hosts of a `Pair`."""


@dataclass
class Lan:
    """Hosts, the network between them, and the trace of both."""

    latency: Any = MS
    loss: float = 0.0
    seed: int = 0
    ties: Ties = FIFO
    loop: SimLoop = field(default_factory=SimLoop)

    def __post_init__(self) -> None:
        if self.ties.asked:
            self.loop.set_ties(self.ties)
        self.log = AccessLog()
        self.trace = Trace(self.loop.time_ns)
        self.network = SimNetwork(self.loop.env, as_span(self.latency), self.loss, self.seed)
        self.hosts = SimHosts(self.loop.env, self.trace, self.log, self.network)
        self.faults = Faults("the cluster", fault_kinds(self.network, self.hosts), self.trace)
        self.lives: dict[str, list[HostPorts]] = {}

    async def host(self, name: str, **served: Any) -> HostPorts:
        """Run a program that does nothing but serve (`handler`, `on_channel`); give its ports."""
        begun = asyncio.Event()

        async def idle(ports: HostPorts) -> None:
            self.lives.setdefault(name, []).append(ports)
            begun.set()
            if served:
                ports.network.serve(PORT, served.get("handler", refuse), served.get("on_channel"))
            await asyncio.Event().wait()

        self.hosts.start(name, idle)
        await begun.wait()
        return self.lives[name][-1]

    def inject(self, do: str, **args: Any) -> Fault:
        """Bring a fault about."""
        fault = Fault(f"the-{do}", do, args)
        at_once(self.faults.inject(fault))
        return fault

    def undo(self, fault: Fault) -> None:
        """Take a fault back."""
        at_once(self.faults.undo(fault))

    @asynccontextmanager
    async def fault(self, do: str, **args: Any) -> Any:
        """Have a fault while the block runs; it is undone and has been felt by then, or not."""
        fault = self.inject(do, **args)
        try:
            yield fault
        finally:
            self.undo(fault)

    @property
    def affected(self) -> list[str]:
        """What each fault that was felt had hit first."""
        return [e.details.get("hit", "") for e in self.trace.of("fault.affected")]

    @property
    def now_ms(self) -> float:
        """The instant, in ms."""
        return self.loop.time_ns() / MS


async def refuse(request: Request) -> Response:
    """Answer a request that nobody expects."""
    return Response(404, {"path": request.url})


def play_on_hosts(body: Callable[[Lan], Coroutine[Any, Any, None]], **lan: Any) -> Lan:
    """Play `body(lan)` to its end; nothing may fail in the background, and each event is good."""
    made = Lan(**lan)
    with asyncio.Runner(loop_factory=lambda: made.loop) as runner:
        runner.run(body(made))
    for event in made.trace:
        check_event(event)
    return made


def trace_digest(lan: Lan) -> str:
    """Give the digest of its trace."""
    return digest(lan.trace)


def url(host: str, path: str = "/x") -> str:
    """Give the URL of a path on a host."""
    return f"http://{host}:{PORT}{path}"


def get(host: str, path: str = "/x", body: Any = None) -> Request:
    """Give a request."""
    return Request("POST", url(host, path), body)


def number(n: int) -> Message:
    """Give a message with a number in it."""
    return {"type": "N", "data": {"n": n}}


async def within(seconds: float, awaitable: Any) -> Any:
    """Await with a deadline."""
    async with asyncio.timeout(seconds):
        return await awaitable


async def never_ends(awaitable: Any, seconds: float = 3600) -> bool:
    """Tell whether it does not end for so long."""
    try:
        await within(seconds, awaitable)
    except TimeoutError:
        return True
    return False


class Listening:
    """Serves channels: keeps what comes, in order, and how each ended."""

    def __init__(self, lan: Lan) -> None:
        self._lan = lan
        self.came: list[int] = []
        self.at: list[float] = []
        self.ends: list[str] = []
        self.channels: list[Channel] = []

    async def __call__(self, channel: Channel) -> None:
        self.channels.append(channel)
        try:
            while True:
                message = await channel.receive()
                self.came.append(message["data"]["n"])
                self.at.append(self._lan.now_ms)
        except Exception as error:
            self.ends.append(f"{type(error).__name__} at {self._lan.now_ms:g}")
            raise


class Pair:
    """a, which calls; b, which serves requests and channels; a channel between them; c."""

    def __init__(self, lan: Lan) -> None:
        self.lan = lan
        self.seen: list[Any] = []
        self.listening = Listening(lan)

    async def open(self) -> Pair:
        """Start the hosts, and open the channel."""
        await self.lan.host("b", handler=self._answer, on_channel=self.listening)
        await self.lan.host("c", handler=self._answer)
        self.network: Network = (await self.lan.host("a")).network
        self.channel: Channel = await self.network.connect(url("b", "/channel"))
        return self

    async def _answer(self, request: Request) -> Response:
        self.seen.append((request.body or {}).get("n"))
        return Response(200, request.body)

    async def ask(self, n: int = 0, path: str = "/x", host: str = "b") -> Response:
        """Make a request of a."""
        body = {"n": n, "client_task_id": f"t.{n}"}
        return await self.network.request(get(host, path, body))

    async def tell(self, *numbers: int) -> None:
        """Send messages from a to b."""
        for n in numbers:
            await self.channel.send(number(n))


def play_with_a_pair(body: Any, **lan: Any) -> Lan:
    """Play `body(pair)` as `play_on_hosts` does."""

    async def with_a_pair(made: Lan) -> None:
        await body(await Pair(made).open())

    return play_on_hosts(with_a_pair, **lan)


def fault_events(lan: Lan) -> list[str]:
    """Give what has become of faults, in order."""
    return [e.kind.removeprefix("fault.") for e in lan.trace if e.kind.startswith("fault.")]
