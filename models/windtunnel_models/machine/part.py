"""The part `desktop` of the simulated world. Imports the machine, its faults, what is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windtunnel.faults import FaultKind
from windtunnel.machine.given import read_given
from windtunnel_models.machine.faults import fault_kinds
from windtunnel_models.machine.machine import Machine
from windtunnel_models.parts import Ground


class DesktopPart:
    """One machine with a display and WeChat on it."""

    def __init__(self, ground: Ground) -> None:
        given = read_given(ground.given, ground.profile)
        self.machine = Machine(
            ground.env, ground.trace, ground.log, given, ground.profile, ground.seed
        )

    @property
    def ports(self) -> Mapping[str, Any]:
        """The machine's ports: `desktop`, `processes`, `records`."""
        ports = self.machine.ports
        return {name: getattr(ports, name) for name in ("desktop", "processes", "records")}

    @property
    def fault_kinds(self) -> Mapping[str, FaultKind]:
        """What may go wrong on the machine."""
        return fault_kinds(self.machine)
