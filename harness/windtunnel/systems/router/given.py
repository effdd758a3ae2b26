"""What a scenario of the router may say of the world and the services at the start.

The world reads its part of it (`fleet`, `network`) as plain data; durations are nanoseconds.
Imports `windtunnel.fields`, spans, the names of instances and the base of a vocabulary.
"""

from __future__ import annotations

from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, model_validator

from windtunnel import units
from windtunnel.fields import Duration
from windtunnel.spans import Drawn
from windtunnel.systems.base import Vocabulary
from windtunnel.systems.router.host_names import InstanceName, instance_name

MOST: Final = 1_000_000
"""Of what is counted, and of a factor: beyond that a run shows nothing but its limits."""
LEAST_PERIOD: Final = units.MS


def _period(duration: int) -> int:
    if duration < LEAST_PERIOD:
        least, said = units.format_duration(LEAST_PERIOD), units.format_duration(duration)
        raise ValueError(f"must be at least {least} here, not {said}")
    return duration


Period = Annotated[Duration, AfterValidator(_period)]
"""Nanoseconds, a millisecond or more: what is done every so often."""
Factor = Annotated[float, Field(gt=0, le=MOST, allow_inf_nan=False)]
"""By which work takes longer."""
Count = Annotated[int, Field(ge=0, le=MOST)]
Positive = Annotated[int, Field(ge=1, le=MOST)]


class FleetGiven(Vocabulary):
    """Who works: instances over bridges, and the external platform."""

    internal: int = Field(default=4, ge=0, le=10_000)
    """Instances, `inst-0` and so on; bridge-0 has the first of them, in equal shares."""
    bridges: int = Field(default=2, ge=1, le=1_000)
    external: Count = 10
    """How many tasks the external platform works on at once; over it, it says no."""
    heartbeat: Period = 10 * units.SECOND
    """How often a bridge says which instances it reaches."""
    dead_after: Period = 30 * units.SECOND
    """An instance that nobody has named for so long is lost."""
    off: tuple[InstanceName, ...] = ()
    """Instances that are switched off at the start."""
    slow: dict[InstanceName, Factor] = Field(default_factory=dict)
    """Instance → by which factor its work takes longer."""
    external_slow: Factor = 1.0

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.dead_after <= self.heartbeat:
            raise ValueError("`dead_after` must be over `heartbeat`, or every instance is lost")
        there = {instance_name(number) for number in range(self.internal)}
        for name in (*self.off, *self.slow):
            if name not in there:
                last = f": the last is {instance_name(self.internal - 1)}" if there else ""
                raise ValueError(f"there is no `{name}` among {self.internal} instances{last}")
        return self


class NetworkGiven(Vocabulary):
    """The network between the hosts."""

    latency: Drawn = units.MS
    """From one host to another; drawn for each message where two bounds are given."""
    loss: float = Field(default=0, ge=0, le=1)
    """The share of messages that are lost."""


class RetryGiven(Vocabulary):
    """What becomes of a task whose work failed (RT-D4)."""

    max: Count = 3
    backoff: Duration = 0
    """Before the first retry of a task that failed; twice as long before each further one. One
    whose instance was lost has not failed: it is given out again as soon as there is another."""


class HealthGiven(Vocabulary):
    """The health checks (RT-H4, RT-H5)."""

    interval: Period = 10 * units.SECOND
    timeout: Period = 5 * units.SECOND
    failures: Positive = 3


class HeartbeatGiven(Vocabulary):
    """Of the backend's channel (RT-W2)."""

    interval: Period = 30 * units.SECOND
    ack: Period = 10 * units.SECOND
    """Within which each is answered, or the channel counts as broken."""


class TokenGiven(Vocabulary):
    """The backend's token (RT-J1)."""

    lifetime: Period = 24 * units.HOUR
    refresh: Period = 20 * units.HOUR


class BreakerGiven(Vocabulary):
    """The circuit breaker of submissions inside (RT-X1)."""

    failures: Positive = 5
    reset: Period = 30 * units.SECOND


class CapacityGiven(Vocabulary):
    """The most that the backend sends to either side (RT-S1)."""

    internal: Count = 30
    external: Count | None = None
    """None: what the external platform takes, `fleet.external`."""


class RouterGiven(Vocabulary):
    """The settings of backend and dispatcher (RT-G1)."""

    enabled: bool = True
    """Whether tasks are routed at all (RT-S6)."""
    priority: bool = True
    """Whether the inside comes first."""
    poll: Period = 100 * units.MS
    """The poller looks at least so often (RT-S5)."""
    batch: Positive = 1000
    """The most that it takes at once."""
    task_timeout: Period = 30 * units.SECOND
    """Of one submission (RT-H6)."""
    retry: RetryGiven = RetryGiven()
    health: HealthGiven = HealthGiven()
    heartbeat: HeartbeatGiven = HeartbeatGiven()
    reports: Period = 10 * units.SECOND
    """How often the dispatcher reports its capacity when nothing happens (RT-W4)."""
    expiry: Period = 30 * units.MINUTE
    """Of what waits at the dispatcher (RT-D6)."""
    token: TokenGiven = TokenGiven()
    breaker: BreakerGiven = BreakerGiven()
    capacity: CapacityGiven = CapacityGiven()
    queue_max: Positive = 1000
    """The most that wait at the dispatcher (RT-B2)."""
    query_outside: Period = 30 * units.SECOND
    """How often a platform is asked for a task whose end it has not told."""


class Given(Vocabulary):
    """The world and the services at the start."""

    fleet: FleetGiven = FleetGiven()
    network: NetworkGiven = NetworkGiven()
    router: RouterGiven = RouterGiven()

    @property
    def external_max(self) -> int:
        """Return the most that the backend sends outside."""
        said = self.router.capacity.external
        return self.fleet.external if said is None else said

    @property
    def online(self) -> int:
        """Return how many instances are on at the start."""
        return self.fleet.internal - len(set(self.fleet.off))
