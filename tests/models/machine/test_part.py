"""The part `desktop`: a machine with its ports and its faults."""

from __future__ import annotations

from desktop_kit import machine_of
from windtunnel.world import WorldSpec
from windtunnel_models.machine.faults import KINDS
from windtunnel_models.world import SimWorld


def test_the_ports_of_the_world_are_the_machine_s() -> None:
    world = SimWorld(WorldSpec())
    machine = machine_of(world)
    assert world.ports.desktop is machine.desktop
    assert world.ports.processes is machine.processes
    assert world.ports.records is not None


def test_every_fault_of_the_machine_may_be_brought_about() -> None:
    assert SimWorld(WorldSpec()).parts["desktop"].fault_kinds.keys() == KINDS.keys()
