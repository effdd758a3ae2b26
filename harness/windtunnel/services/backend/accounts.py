"""The accounts: all that is kept of what either side can take now.

Imports the capacity book, the outside slots, the pauses and the breaker.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.services.backend.inside_breaker import InsideBreaker
from windtunnel.services.backend.outside_slots import OutsideSlots
from windtunnel.services.backend.pause import Pause


class Degraded(Protocol):
    """What knows whether the inside is taken as not there (RT-H3)."""

    @property
    def degraded(self) -> bool:
        """Whether it is."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """One life's accounts of both sides."""

    book: CapacityBook
    slots: OutsideSlots
    breaker: InsideBreaker
    degradation: Degraded
    inside: Pause = field(default_factory=Pause)
    """Of the inside, where there is no outside to fall back to."""
    outside: Pause = field(default_factory=Pause)
    direct: Pause = field(default_factory=Pause)
    """Of what goes to other platforms."""
