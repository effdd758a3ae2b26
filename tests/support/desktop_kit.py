"""The machine with a desktop inside a simulated world, for tests that look behind its ports."""

from __future__ import annotations

from windtunnel_models.machine.machine import Machine
from windtunnel_models.machine.part import DesktopPart
from windtunnel_models.world import SimWorld


def machine_of(world: SimWorld) -> Machine:
    """Return the machine of a world that has one."""
    part = world.parts["desktop"]
    assert isinstance(part, DesktopPart)
    return part.machine
