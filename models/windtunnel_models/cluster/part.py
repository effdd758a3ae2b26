"""The part `cluster` of the simulated world: hosts, the network between them, and the fleet.

Imports what it is made of and what is given.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from types import MappingProxyType
from typing import Any

from windtunnel import streams
from windtunnel.faults import FaultKind
from windtunnel.services.wire.addresses import BACKEND, DISPATCHER, DISPATCHER_URL
from windtunnel_models.cluster import net_faults
from windtunnel_models.cluster.fleet import Fleet
from windtunnel_models.cluster.fleet_faults import Scope, fault_kinds
from windtunnel_models.cluster.given import read_cluster
from windtunnel_models.cluster.hosts import SimHosts
from windtunnel_models.cluster.network import SimNetwork
from windtunnel_models.parts import Ground


class ClusterPart:
    """Hosts on which a system's programs run, and the world's own: bridges, external platform."""

    def __init__(self, ground: Ground) -> None:
        given = read_cluster(ground.given)
        self.network = SimNetwork(
            ground.env, given.network.latency, given.network.loss, ground.seed
        )
        self.hosts = SimHosts(
            ground.env, ground.trace, ground.log, self.network, environment_of(ground.seed)
        )
        self.fleet = Fleet(ground.env, ground.trace, ground.log, given.fleet)
        ground.env.process(self._open())  # programs are started in the loop that runs

    def _open(self) -> Generator[Any, Any, None]:
        self.fleet.open(self.hosts)
        yield from ()

    @property
    def ports(self) -> Mapping[str, Any]:
        """The port that a system's programs are started through: `hosts`."""
        return {"hosts": self.hosts}

    @property
    def fault_kinds(self) -> Mapping[str, FaultKind]:
        """What may go wrong in it."""
        of_hosts = net_faults.fault_kinds(self.network, self.hosts)
        return fault_kinds(Scope(self.fleet, lambda: self.hosts.names, of_hosts))


def environment_of(seed: int) -> Mapping[str, Mapping[str, str]]:
    """Return the environment variables of each host (RT-J1): a pair of this run's own, made up."""
    word = streams.stream(seed, "credentials").randbytes(12).hex()
    pair = {"MD_USERNAME": "task-queue-backend", "MD_PASSWORD": word}
    return MappingProxyType(
        {BACKEND: {**pair, "MESSAGE_DISPATCHER_URL": DISPATCHER_URL}, DISPATCHER: pair}
    )
