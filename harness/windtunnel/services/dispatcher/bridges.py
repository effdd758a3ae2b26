"""The bridges that are connected, and what is sent to them.

Imports the wire's messages, what is shared, the sending and the ports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.ports.network import Channel, ChannelClosedError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher import sending
from windtunnel.services.dispatcher.entry import Assignment
from windtunnel.services.dispatcher.run import Result
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.wire import messages
from windtunnel.services.wire.messages import message


@dataclass(frozen=True, slots=True, eq=False)
class Bridge:
    """A bridge on its present channel."""

    id: str
    channel: Channel
    connected_at: int
    """Nanoseconds."""


class Bridges:
    """The connected bridges by name, one channel each."""

    def __init__(self, shared: Shared) -> None:
        self._instances = shared.instances
        self._change = shared.change
        self._all: dict[str, Bridge] = {}

    def __len__(self) -> int:
        """How many are connected."""
        return len(self._all)

    def since(self) -> Mapping[str, int]:
        """Return bridge → since when it is connected (ns)."""
        return {bridge.id: bridge.connected_at for bridge in self._all.values()}

    async def joined(self, id_: str, channel: Channel) -> Bridge:
        """Take a bridge in; an earlier channel of the same one is closed."""
        bridge = Bridge(id_, channel, now_ns())
        earlier = self._all.get(id_)
        self._all[id_] = bridge
        self._change.set()
        if earlier is not None:
            await sending.close(earlier.channel)
        return bridge

    def left(self, bridge: Bridge) -> None:
        """Take in that a bridge's channel is gone: its instances are out of reach."""
        if self._all.get(bridge.id) is bridge:
            del self._all[bridge.id]
            self._instances.unreached(bridge.id)
            self._change.set()

    async def run(self, assignment: Assignment) -> bool:
        """Send an assignment to its bridge; False where it is surely not sent."""
        bridge = self._all.get(assignment.bridge)
        if bridge is None:
            return False
        entry = assignment.entry
        data = {
            "taskId": entry.id,
            "instanceId": assignment.instance,
            "attempt": entry.attempt,
            "payload": entry.payload,
        }
        return await _sent(bridge.channel, {"type": messages.RUN, "data": data})

    async def acknowledge(self, result: Result) -> None:
        """Tell a bridge that a result is safe; one that does not hear it says the result again."""
        bridge = self._all.get(result.bridge)
        if bridge is not None:
            task, attempt = result.run
            ack = message(
                messages.RESULT_ACK, taskId=task, instanceId=result.instance, attempt=attempt
            )
            await _sent(bridge.channel, ack)


async def _sent(channel: Channel, what: Mapping[str, Any]) -> bool:
    """Tell whether it may have been sent."""
    try:
        await sending.send(channel, what)
    except sending.StuckError:
        return True
    except ChannelClosedError:
        return False
    return True
