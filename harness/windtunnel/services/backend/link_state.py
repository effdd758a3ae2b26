"""The link state: what the backend knows of its channel, and of the capacity reported by it.

Imports the router's options and its health policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from windtunnel.policies.router.health import State
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.units import SECOND

CAPACITY_LIFE: Final = 60 * SECOND
"""A report of this age is unknown capacity, taken as 0 (RT-R1)."""

Link = Literal["connected", "disconnected"]
Health = Literal["healthy", "degraded"]
Late = Literal["late", "repeated"]


@dataclass(frozen=True, slots=True)
class Capacity:
    """Instances inside by the last report; `known_at` in ns, None where no report is known."""

    online: int = 0
    busy: int = 0
    available: int = 0
    known_at: int | None = None


UNKNOWN: Final = Capacity()


@dataclass(frozen=True, slots=True)
class Report:
    """A report of the dispatcher (RT-W4); `sequence` grows with each that one link brings."""

    capacity: Capacity
    sequence: int
    bridges: Sequence[Any] = ()
    """`[{bridgeId, connectedAt, instances: [{instanceId, status, currentTask}]}]`, unchecked."""


class LinkState:
    """Link and health, two fields (RT-R1, F-R18), the last heartbeat, and the capacity.

    With `link_field="shared"` the two are one field: whichever was written last stands, and a link
    is only connected while the text there says so. Instants are nanoseconds.
    """

    __slots__ = (
        "_capacity",
        "_connected_at",
        "_disconnected_at",
        "_health",
        "_link",
        "_open",
        "_options",
        "_sequence",
        "_why",
        "attempts",
        "bridges",
        "last_heartbeat",
        "losses",
    )

    def __init__(self, options: RouterOptions) -> None:
        self._options = options
        self._link: Link | Health = "disconnected"
        self._health: Health = "degraded"
        self._connected_at: int | None = None
        self._disconnected_at: int | None = None
        self._why = ""
        self._capacity = UNKNOWN
        self._sequence: int | None = None
        self.bridges: Sequence[Any] = ()
        """Bridges and their instances by the last report that was taken, unchecked (RT-W4)."""
        self.last_heartbeat: int | None = None
        """When the other end was last heard to be alive."""
        self.losses = 0
        """How often the channel was lost, or not to be had."""
        self.attempts = 0
        """How many attempts to connect failed since there was a channel (RT-R1)."""
        self._open = False

    @property
    def connected(self) -> bool:
        """Whether the link's field says so."""
        return self._link == "connected"

    @property
    def health(self) -> Health:
        """What was last written of health."""
        if self._options.link_field == "shared":
            return "healthy" if self._link == "healthy" else "degraded"
        return self._health

    @health.setter
    def health(self, health: Health) -> None:
        if self._options.link_field == "shared":
            self._link = health
        else:
            self._health = health

    @property
    def reported(self) -> bool:
        """Whether a report has come by any link so far."""
        return self._capacity.known_at is not None

    def opened(self, now: int) -> None:
        """Note a new channel, whose other end is alive; its reports are counted anew (F-R23)."""
        self._link = "connected"
        self._open = True
        self._connected_at = self.last_heartbeat = now
        self._sequence = None
        self.attempts = 0

    def closed(self, now: int, why: str) -> None:
        """Note that the channel is lost, or was not to be had."""
        if self._open:
            self._disconnected_at = now
        else:
            self.attempts += 1
        self._link = "disconnected"
        self._open = False
        self._why = why
        self.losses += 1

    def heard(self, now: int) -> None:
        """Note a heartbeat of the other end."""
        self.last_heartbeat = now

    def report(self, report: Report) -> Late | None:
        """Take a report of the capacity, or tell why it is passed over: one of this link is newer.

        With `reports="erase"` whatever comes last is taken, as listed (F-R11).
        """
        if self._options.reports == "sequenced" and self._sequence is not None:
            if report.sequence == self._sequence:
                return "repeated"
            if report.sequence < self._sequence:
                return "late"
        self._sequence = report.sequence
        self._capacity = report.capacity
        self.bridges = report.bridges
        return None

    def capacity(self, now: int) -> Capacity:
        """Return the capacity by the last report; zeros when there is none or it is too old."""
        known_at = self._capacity.known_at
        if known_at is None or now - known_at >= CAPACITY_LIFE:
            return UNKNOWN
        return self._capacity

    def seen(self, now: int) -> State:
        """Return what a health check looks at (RT-H1)."""
        capacity = self.capacity(now)
        return State(self.connected, self.last_heartbeat, capacity.online, capacity.available)

    def connection(self) -> dict[str, Any]:
        """Return the link as it is stored (RT-R1); instants in ns."""
        return {
            "status": self._link,
            "connectedAt": self._connected_at,
            "disconnectedAt": self._disconnected_at,
            "disconnectReason": self._why,
            "reconnectAttempts": self.attempts,
        }
