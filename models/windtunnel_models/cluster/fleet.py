"""The fleet: the bridges with their instances, and the external platform.

Imports what it is made of and the port `Hosts`.
"""

from __future__ import annotations

from collections.abc import Iterable

from windtunnel.ports.hosts import Hosts
from windtunnel.services.wire.addresses import EXTERNAL
from windtunnel.trace import Trace
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.bridge import Bridge
from windtunnel_models.cluster.conditions import Conditions
from windtunnel_models.cluster.external import ExternalPlatform
from windtunnel_models.cluster.given import FleetGiven
from windtunnel_models.cluster.instance import Instance
from windtunnel_models.cluster.work import Workshop
from windtunnel_models.loop.environment import SimEnvironment


class Fleet:
    """Everything that works on tasks in one world."""

    def __init__(
        self, env: SimEnvironment, trace: Trace, log: AccessLog, given: FleetGiven
    ) -> None:
        self.conditions = Conditions(given.paces)
        shop = Workshop(env, trace, self.conditions)
        self._off = given.off
        self.bridges: dict[str, Bridge] = {}
        self.instances: dict[str, Instance] = {}
        for bridge, names in given.by_bridge().items():
            instances = [Instance(shop, log, name, bridge) for name in names]
            self.bridges[bridge] = Bridge(bridge, instances, given.heartbeat)
            self.instances |= self.bridges[bridge].instances
        self.external = ExternalPlatform(shop, log, given.external)

    def open(self, hosts: Hosts) -> None:
        """Begin: the instances are there, and the programs run on their hosts."""
        for name, instance in self.instances.items():
            instance.open("off" if name in self._off else "idle")
        hosts.start(EXTERNAL, self.external.run)
        for name, bridge in self.bridges.items():
            hosts.start(name, bridge.run)

    @property
    def places(self) -> tuple[str, ...]:
        """Where work is done: the instances, in order, and the external platform."""
        return (*self.instances, EXTERNAL)

    def ops_at(self, places: Iterable[str]) -> tuple[str, ...]:
        """Return whose tasks are worked on at these places now."""
        ops: list[str] = []
        for place in places:
            if place == EXTERNAL:
                ops.extend(self.external.ops)
            elif (op := self.instances[place].op) is not None:
                ops.append(op)
        return tuple(ops)

    def repace(self, places: Iterable[str]) -> None:
        """Look at the pace of these places again."""
        for place in places:
            if place == EXTERNAL:
                self.external.repace()
            else:
                self.instances[place].repace()
