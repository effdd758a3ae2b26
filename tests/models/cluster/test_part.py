"""The part `cluster`: what a system finds, and the environment of its hosts."""

from __future__ import annotations

import asyncio

import pytest

from fleet_kit import cluster_of, play
from windtunnel.errors import WorldError
from windtunnel.ports.hosts import HostPorts, Hosts
from windtunnel.units import MS, SECOND
from windtunnel.world import WorldSpec
from windtunnel_models.cluster.fleet_faults import KINDS as OF_FLEET
from windtunnel_models.cluster.net_faults import KINDS as OF_HOSTS
from windtunnel_models.cluster.part import environment_of
from windtunnel_models.world import SimWorld


def test_offers_hosts_and_knows_the_faults_of_all_that_is_in_it() -> None:
    world = SimWorld(WorldSpec(parts=("cluster",)))
    assert isinstance(world.ports.hosts, Hosts)
    assert world.ports.desktop is None
    assert {"hosts", "network", "stores", "fleet", "external_platform"} <= world.features
    assert set(cluster_of(world).fault_kinds) == {*OF_HOSTS, *OF_FLEET}


def test_a_world_of_both_parts_has_all_ports_and_faults() -> None:
    world = SimWorld(WorldSpec(parts=("desktop", "cluster")))
    assert world.ports.hosts is not None
    assert world.ports.desktop is not None


def test_the_programs_of_the_world_run_from_the_start() -> None:
    async def body(world: SimWorld) -> None:
        await asyncio.sleep(0.001)
        assert all(map(cluster_of(world).hosts.is_up, ("external", "bridge-0", "bridge-1")))

    started = [event.resource for event in play(body).trace.of("host.started")]
    assert started == ["external", "bridge-0", "bridge-1"]


def test_what_is_given_reaches_the_network_and_the_fleet() -> None:
    world = SimWorld(
        WorldSpec(
            given={"network": {"latency": 7 * MS, "loss": 0.5}, "fleet": {"internal": 9}},
            parts=("cluster",),
        )
    )
    cluster = cluster_of(world)
    assert (cluster.network.latency(), cluster.network.loss) == (7 * MS, 0.5)
    assert len(cluster.fleet.instances) == 9
    with pytest.raises(WorldError, match=r"`fleet\.bridges` is at least 1"):
        SimWorld(WorldSpec(given={"fleet": {"bridges": 0}}, parts=("cluster",)))


@pytest.mark.spec("RT-J1")
def test_each_run_has_a_pair_of_its_own_which_two_hosts_know() -> None:
    seen: dict[str, dict[str, str]] = {}

    async def look(ports: HostPorts) -> None:
        seen[ports.name] = dict(ports.environment)

    async def body(world: SimWorld) -> None:
        for name in ("backend", "dispatcher", "elsewhere"):
            cluster_of(world).hosts.start(name, look)
        await asyncio.sleep(SECOND / 1e9)

    play(body, seed=4)
    pair = {name: seen["backend"][name] for name in ("MD_USERNAME", "MD_PASSWORD")}
    assert all(pair.values())
    assert seen["dispatcher"] == pair
    assert seen["backend"] == {**pair, "MESSAGE_DISPATCHER_URL": "http://dispatcher:4000"}
    assert seen["elsewhere"] == {}
    assert environment_of(4) == environment_of(4) != environment_of(5)
