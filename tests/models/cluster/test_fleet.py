"""The fleet: what there is at the start, where it stands, and who works on what."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fleet_kit import Caller, Desk, Yard, cluster_of, play
from windtunnel.ports.hosts import Program
from windtunnel.units import SECOND
from windtunnel.world import WorldSpec
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.fleet import Fleet
from windtunnel_models.cluster.given import FleetGiven
from windtunnel_models.world import SimWorld


class Roll:
    """Hosts that only keep who is started on them."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def start(self, name: str, program: Program) -> None:
        self.started.append(name)


def test_is_there_from_the_start_with_what_is_off() -> None:
    yard, roll = Yard(), Roll()
    given = FleetGiven(internal=3, bridges=2, off=("inst-1",))
    fleet = Fleet(yard.env, yard.trace, AccessLog(), given)
    fleet.open(roll)  # type: ignore[arg-type] # all that it asks of hosts
    assert roll.started == ["external", "bridge-0", "bridge-1"]
    assert yard.told() == [
        (0, "instance.changed", "inst-0", "idle"),
        (0, "instance.changed", "inst-1", "off"),
        (0, "instance.changed", "inst-2", "idle"),
    ]
    assert [event.details["bridge"] for event in yard.trace] == ["bridge-0", "bridge-0", "bridge-1"]
    assert fleet.places == ("inst-0", "inst-1", "inst-2", "external")


def test_works_at_the_paces_given() -> None:
    async def body(world: SimWorld) -> None:
        desk, caller = Desk(world), Caller(world)
        await asyncio.sleep(0.001)
        await desk.give("inst-1", "a")
        await caller.create("b")
        fleet = cluster_of(world).fleet
        await asyncio.sleep(0.001)
        assert fleet.ops_at(("inst-0", "inst-1", "external")) == ("a", "b")
        assert fleet.ops_at(["inst-0"]) == ()
        await asyncio.sleep(10)

    world = play(body, slow={"inst-1": 2.0}, external_slow=4.0)
    ended = [(event.time // SECOND, event.op) for event in world.trace.of("work.ended")]
    assert ended == [(2, "a"), (4, "b")]


@pytest.mark.parametrize("place", ["inst-1", "external"])
def test_a_pace_that_has_changed_is_looked_at_again_there_alone(place: str) -> None:
    async def body(world: SimWorld) -> None:
        desk, caller = Desk(world), Caller(world)
        await asyncio.sleep(0.001)
        await desk.give("inst-1", "inst-1", 2)
        await caller.create("external", 2)
        await asyncio.sleep(1)
        fleet = cluster_of(world).fleet
        fleet.conditions._paces |= {"inst-1": 3.0, "external": 3.0}
        fleet.repace([place])
        await asyncio.sleep(10)

    world = play(body)
    ended: dict[str, Any] = {
        event.op: event.time // SECOND for event in world.trace.of("work.ended")
    }
    other = {"inst-1": "external", "external": "inst-1"}[place]
    assert ended == {place: 4, other: 2}


def test_a_world_that_never_runs_starts_nothing() -> None:
    SimWorld(WorldSpec(parts=("cluster",)))
