"""A part of the simulated world: a machine with a desktop, a cluster of hosts.

A system says which parts it stands on (`WorldSpec.parts`), and no other is made. Imports the loop,
the faults, the profile and the access log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from windtunnel.faults import FaultKind
from windtunnel.trace import Trace
from windtunnel_models.access import AccessLog
from windtunnel_models.loop.environment import SimEnvironment
from windtunnel_models.profile import Profile


@dataclass(frozen=True, slots=True)
class Ground:
    """What a part is made on."""

    env: SimEnvironment
    trace: Trace
    log: AccessLog
    given: Mapping[str, Any]
    """A scenario's `given`; each part reads its own keys."""
    profile: Profile
    seed: int
    """Root of the part's random streams."""


class Part(Protocol):
    """One part of one world."""

    @property
    def ports(self) -> Mapping[str, Any]:
        """Field of `windtunnel.ports.Ports` → the port that this part offers."""

    @property
    def fault_kinds(self) -> Mapping[str, FaultKind]:
        """The kinds of fault that may be brought about in it, by `do`."""
