"""The options of the router's policies: what sets of them differ in.

The defaults are what the documents mean (`specified`); `LISTED` is what their code listings do.
Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal


@dataclass(frozen=True, slots=True)
class RouterOptions:
    """How the router decides, where the documents' listings and what they mean differ."""

    inside: Literal["free", "online"] = "free"
    """What counts as capacity inside: instances free, or all that are online (F-R20)."""
    outside: Literal["remaining", "maximum"] = "remaining"
    """Whether what already runs outside is taken off the maximum there (F-R10)."""
    reserve: bool = True
    """Whether a task that was sent counts at once, before the next report (RT-S4, F-R10)."""
    reports: Literal["sequenced", "erase"] = "sequenced"
    """Whether a report counts the tasks sent before it alone, or takes all as counted (F-R11)."""
    choice: Literal["occupancy", "position"] = "occupancy"
    """How an instance is chosen: RT-D2, or tasks and instances paired by position (F-R4)."""
    claim: bool = True
    """Whether a task leaves the queue in one atomic step with its assignment (F-R5)."""
    retry_count: Literal["travels", "lost"] = "travels"
    """Whether the count of retries goes through processing with its task (F-R16)."""
    half_open: Literal["one", "all"] = "one"
    """How many calls a half-open breaker lets through until it knows (F-R14)."""
    late_results: Literal["ignored", "counted"] = "ignored"
    """What the breaker makes of results of calls begun before it last changed (F-R14)."""
    expiry: Literal["pending", "never"] = "pending"
    """Which stale tasks expire (RT-D6, F-R2)."""
    heartbeat: Literal["number", "text"] = "number"
    """How the time of the last heartbeat is read: as text it is never recent (F-R1)."""
    webhook: Literal["outbox", "never"] = "outbox"
    """Whether completions reach the webhook (F-R3)."""
    batch: Literal["each", "stops"] = "each"
    """Whether one refused submission ends its batch (F-R7)."""
    submissions: int = 16
    """How many submissions of a batch are under way at once; listed: one (F-R7)."""
    link_field: Literal["own", "shared"] = "own"
    """Whether link state and health are two fields (F-R18)."""
    shrink: Literal["lost", "backlog"] = "lost"
    """What is offered for fallback when an instance goes: what the lost capacity means, or all of
    the backlog beyond capacity (F-R8)."""


LISTED: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "inside": "online",
        "outside": "maximum",
        "reserve": False,
        "reports": "erase",
        "choice": "position",
        "claim": False,
        "retry_count": "lost",
        "half_open": "all",
        "late_results": "counted",
        "expiry": "never",
        "heartbeat": "text",
        "webhook": "never",
        "batch": "stops",
        "submissions": 1,
        "link_field": "shared",
        "shrink": "backlog",
    }
)
"""The documents' code listings, faults included."""
