"""The parts of the simulated world: a system has those that it stands on, and no other."""

from __future__ import annotations

import pytest

from windtunnel.errors import PluginError
from windtunnel.world import WorldSpec
from windtunnel_models.world import PARTS, SimWorld


def test_a_world_without_parts_offers_no_port() -> None:
    world = SimWorld(WorldSpec(parts=()))
    assert not world.parts
    assert world.ports.desktop is None
    assert world.ports.hosts is None


@pytest.mark.parametrize("name", sorted(PARTS))
def test_each_part_offers_ports_and_faults(name: str) -> None:
    part = SimWorld(WorldSpec(parts=(name,))).parts[name]
    assert part.ports
    assert part.fault_kinds


def test_a_part_that_there_is_not_is_told() -> None:
    with pytest.raises(PluginError, match="no part `submarine`"):
        SimWorld(WorldSpec(parts=("submarine",)))
