"""Health: whether the inside can be relied on, and when that changes (RT-H1, H2, H4, H5).

Imports the router's options and the units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.units import SECOND

Reason = Literal["channel_closed", "no_heartbeat", "no_instance", "nothing_available"]
Kind = Literal["degraded", "recovered"]

HEARTBEAT_LIMIT: Final = 60 * SECOND
"""A heartbeat up to this old is recent."""
RECOVERY_CHECKS: Final = 3
"""So many good checks in a row end a degradation (RT-H4)."""
FAILURE_THRESHOLD: Final = 3
"""So many failed HTTP checks in a row are a verdict (RT-H5)."""
CONNECTION_SHARE: Final = 0.4
CAPACITY_SHARE: Final = 0.6


@dataclass(frozen=True, slots=True)
class State:
    """What a check looks at: the link, its last heartbeat (ns), and instances by count."""

    connected: bool
    last_heartbeat: int | None
    online: int
    available: int


@dataclass(frozen=True, slots=True)
class Change:
    """A change of health, to be stored, logged and told to the router (RT-H3).

    `reason` is what degraded it; a recovery has none.
    """

    kind: Kind
    reason: Reason | None


def score(state: State, now: int, options: RouterOptions) -> float:
    """Return 0.4 for a connection plus 0.6 for capacity: 0.0, 0.4, 0.6 or 1.0 (RT-H1).

    1.0 exactly when `trigger` has nothing to say; the score is to be shown, not decided by.
    """
    connection = state.connected and _recent(state, now, options)
    capacity = state.online > 0 and state.available > 0
    return CONNECTION_SHARE * connection + CAPACITY_SHARE * capacity


def trigger(state: State, now: int, options: RouterOptions) -> Reason | None:
    """Return why the state is not healthy, by precedence, or None when it is (RT-H2)."""
    if not state.connected:
        return "channel_closed"
    if not _recent(state, now, options):
        return "no_heartbeat"
    if state.online <= 0:
        return "no_instance"
    return "nothing_available" if state.available <= 0 else None


def _recent(state: State, now: int, options: RouterOptions) -> bool:
    if options.heartbeat == "text" or state.last_heartbeat is None:
        return False
    return now - state.last_heartbeat <= HEARTBEAT_LIMIT


class HealthMachine:
    """Health as checks make it: degraded by a bad one at once, recovered by three good in a row.

    Before the first check nothing is known, and the router is not to rely on the inside; as there
    was no degradation to recover from, the first good check is enough then.
    """

    __slots__ = ("_good", "_needed", "_options", "_reason", "_status")

    def __init__(self, options: RouterOptions) -> None:
        self._options = options
        self._status: Kind | None = None
        self._reason: Reason | None = None
        self._good = 0
        self._needed = 1

    @property
    def healthy(self) -> bool:
        """Whether the inside is relied on."""
        return self._status == "recovered"

    @property
    def reason(self) -> Reason | None:
        """What was last found wrong in this degradation; None when there is none."""
        return self._reason

    def check(self, state: State, now: int) -> Change | None:
        """Take a check of the state at `now`; return the change of health it makes, if any."""
        reason = trigger(state, now, self._options)
        if reason is not None:
            return self.immediate(reason)
        self._good += 1
        if self.healthy or self._good < self._needed:
            return None
        self._reason = None
        return self._turn("recovered", None)

    def immediate(self, reason: Reason) -> Change | None:
        """Take what was seen between two checks, such as a closed channel.

        Returns None when health was degraded already; the good checks are counted anew.
        """
        self._good = 0
        self._needed = RECOVERY_CHECKS
        self._reason = reason
        return None if self._status == "degraded" else self._turn("degraded", reason)

    def _turn(self, kind: Kind, reason: Reason | None) -> Change:
        self._status = kind
        return Change(kind, reason)


class FailureCount:
    """The verdict of HTTP health checks: healthy until `threshold` of them fail running (RT-H5)."""

    __slots__ = ("_failures", "_threshold")

    def __init__(self, threshold: int = FAILURE_THRESHOLD) -> None:
        if threshold < 1:
            raise ValueError(f"threshold must be at least 1, not {threshold}")
        self._threshold = threshold
        self._failures = 0

    @property
    def healthy(self) -> bool:
        """The verdict of the checks so far."""
        return self._failures < self._threshold

    def note(self, ok: bool) -> bool:  # noqa: FBT001 - the outcome of a check is its one argument
        """Take the outcome of a check and return the verdict; one success makes it healthy."""
        self._failures = 0 if ok else self._failures + 1
        return self.healthy
