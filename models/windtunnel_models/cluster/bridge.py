"""The bridge: a program of the world that stands between the dispatcher and some instances.

Imports the ports of a host, the wire and the instance.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from windtunnel import units
from windtunnel.ports.hosts import HostPorts
from windtunnel.ports.network import Channel, ChannelClosedError, Message, UnreachableError
from windtunnel.services import cancellation
from windtunnel.services.wire import messages
from windtunnel.services.wire.addresses import BRIDGE_PATH, DISPATCHER, DISPATCHER_PORT
from windtunnel_models.cluster.instance import Instance, Order, Result

URL: Final = f"ws://{DISPATCHER}:{DISPATCHER_PORT}{BRIDGE_PATH}"
CONNECT_S: Final = 10.0
"""How long an attempt to connect may take."""
FIRST_PAUSE_S: Final = 1.0
"""Before the next attempt to connect; each that fails doubles it."""
MOST_PAUSE_S: Final = 32.0
FRESH_S: Final = 1.0
"""A result sent less long ago, or less than a tenth of a heartbeat, is not sent again yet: it may
still be on its way."""

REASONS: Final[Mapping[str, str]] = {"crashed": "crashed", "off": "switched off"}
"""State of an instance that is down → the reason that the bridge tells."""


class Bridge:
    """One bridge: its instances, and its program, which begins anew with each life of its host.

    What the program knows is lost with it: results that the dispatcher has not acknowledged too.
    The instances go on, and what they have to tell comes with the next life.
    """

    def __init__(self, name: str, instances: Sequence[Instance], heartbeat: int) -> None:
        """Make it for these instances; it is heard of every `heartbeat` ns."""
        self.name = name
        self.instances = {instance.name: instance for instance in instances}
        self._heartbeat_s = units.to_seconds(heartbeat)

    async def run(self, ports: HostPorts) -> None:
        """Be the program of a host until it is cancelled."""
        life = _Life(self.name, self.instances, self._heartbeat_s, ports)
        for instance in self.instances.values():
            instance.listen(life)
        await life.run()


class _Life:
    """One life of the program; a `Listener` of its instances."""

    def __init__(
        self, name: str, instances: Mapping[str, Instance], heartbeat_s: float, ports: HostPorts
    ) -> None:
        self._name = name
        self._instances = instances
        self._heartbeat_s = heartbeat_s
        self._fresh_s = min(FRESH_S, heartbeat_s / 10)
        self._ports = ports
        self._clock = asyncio.get_running_loop().time
        self._connected = False
        # (task, attempt, instance) → the message, and when it was last sent.
        self._outbox: dict[tuple[str, int, str], tuple[Message, float]] = {}
        self._outgoing: deque[Message] = deque()
        self._wake = asyncio.Event()

    # ------------------------------------------------------------------ the channel

    async def run(self) -> None:
        """Keep a channel to the dispatcher, for ever."""
        pause = FIRST_PAUSE_S
        while True:
            channel = await self._connect()
            if channel is not None:
                await self._serve(channel)
                pause = FIRST_PAUSE_S
                if cancellation.is_own():
                    raise asyncio.CancelledError  # it came together with the channel's end
            await asyncio.sleep(pause)
            pause = min(2 * pause, MOST_PAUSE_S)

    async def _connect(self) -> Channel | None:
        try:
            async with asyncio.timeout(CONNECT_S):
                return await self._ports.network.connect(URL)
        except (UnreachableError, TimeoutError):
            return None

    async def _serve(self, channel: Channel) -> None:
        """Say who is there and what is left to tell, then live with the channel until it closes."""
        self._outgoing.clear()
        self._connected = True
        self._post(messages.message(messages.JOIN, **self._view()))
        self._send_again(fresh_s=0.0)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._send(channel), name=f"{self._name}.send")
                group.create_task(self._beat(), name=f"{self._name}.beat")
                await self._receive(channel)
        except* ChannelClosedError:
            pass  # `run` connects again
        finally:
            self._connected = False

    async def _send(self, channel: Channel) -> None:
        outgoing, wake = self._outgoing, self._wake
        while True:
            while outgoing:
                await channel.send(outgoing.popleft())
            wake.clear()
            await wake.wait()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_s)
            # The results first: a task that has a result is not missed then.
            self._send_again(self._fresh_s)
            self._post(messages.message(messages.ALIVE, **self._view()))

    async def _receive(self, channel: Channel) -> None:
        while True:
            message = await channel.receive()
            data = message.get("data", {})
            match message.get("type"):
                case messages.RUN:
                    self._run(data)
                case messages.RESULT_ACK:
                    self._outbox.pop((data["taskId"], data["attempt"], data["instanceId"]), None)
                case _:
                    pass  # nothing that a bridge has to do with (RT-W6)

    # ------------------------------------------------------------------ to and from instances

    def _run(self, data: Mapping[str, Any]) -> None:
        order = Order(data["taskId"], data["attempt"], data["payload"])
        name = data["instanceId"]
        instance = self._instances.get(name)
        if instance is None:
            self.hear(Result(name, order.task, order.attempt, None, f"no instance {name} here"))
        else:
            instance.give(order)

    def hear(self, result: Result) -> bool:
        """Take a result, while this life lasts, and send it until it is acknowledged."""
        if not self._ports.alive():
            return False
        type_ = messages.DONE if result.error is None else messages.FAILED
        said = {"error": result.error} if result.error is not None else {"result": result.result}
        data = {"taskId": result.task, "instanceId": result.instance, "attempt": result.attempt}
        message: Message = {"type": type_, "data": {**data, **said}}
        self._outbox[result.task, result.attempt, result.instance] = (message, self._clock())
        self._post(message)
        return True

    def notice(self, instance: Instance) -> None:
        """Tell that an instance went down or came up; see `Listener.notice`."""
        type_ = messages.INSTANCE_ONLINE if instance.is_up else messages.INSTANCE_OFFLINE
        reason = {} if instance.is_up else {"reason": REASONS[instance.state]}
        timestamp = datetime.fromtimestamp(self._clock(), UTC).isoformat()
        whose = {"bridgeId": self._name, "instanceId": instance.name, "timestamp": timestamp}
        self._post({"type": type_, "data": {**whose, **reason}})

    def _post(self, message: Message) -> None:
        """Send a message if there is a channel; else JOIN will tell, or the outbox."""
        if self._connected:
            self._outgoing.append(message)
            self._wake.set()

    def _send_again(self, fresh_s: float) -> None:
        now = self._clock()
        for key, (message, sent) in self._outbox.items():
            if now - sent >= fresh_s:
                self._outbox[key] = (message, now)
                self._post(message)

    def _view(self) -> dict[str, Any]:
        """Say what each instance that answers works on."""
        instances = []
        for name, instance in self._instances.items():
            if instance.answers():
                order = instance.order
                task, attempt = (None, None) if order is None else (order.task, order.attempt)
                instances.append({"instanceId": name, "taskId": task, "attempt": attempt})
        return {"bridgeId": self._name, "instances": instances}
