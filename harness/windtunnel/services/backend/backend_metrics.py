"""The backend's Prometheus metrics, with the official client (RT-P3).

Imports the client, the note and the units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Metric, generate_latest

from windtunnel.services.clock import now_ns
from windtunnel.services.exposition import collected
from windtunnel.services.note import Note
from windtunnel.units import to_seconds

PREFIX: Final = "md_router_"

COUNTERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "decisions": ("Tasks that a decision moved or left", ("to",)),
        "sent": ("Submissions that a platform took", ("side",)),
        "refused": ("Submissions that were refused, failed or took too long", ("side", "why")),
        "fallbacks": ("Tasks that are to be completed outside instead", ("why",)),
        "degradations": ("Degradations", ("reason",)),
        "degraded_seconds": ("Time degraded", ()),
        "links_lost": ("Losses of the channel, failed attempts with them", ("why",)),
        "tokens_obtained": ("Log-ins and refreshes that brought a token", ()),
        "tokens_failed": ("Log-ins and refreshes that failed", ()),
        "results_ignored": ("Results that were not the first of their task", ("why",)),
        "messages_ignored": ("Messages of the channel that were passed over", ("why",)),
        "errors": ("Errors, by kind", ("error",)),
        "alerts": ("Alerts raised", ("alert",)),
    }
)
"""Counter → what it counts, and its labels; exposed as `md_router_<counter>_total`."""
GAUGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "waiting": "Tasks that wait in the backend",
        "inside": "Tasks that are inside",
        "outside": "Tasks that are outside",
        "capacity": "Instances available inside, by the last report",
        "degraded": "Whether the router is degraded",
    }
)
BY_NOTE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "task.sent": "sent",
        "task.refused": "refused",
        "task.fell_back": "fallbacks",
        "router.degraded": "degradations",
        "link.lost": "links_lost",
        "token.obtained": "tokens_obtained",
        "token.failed": "tokens_failed",
        "result.ignored": "results_ignored",
        "message.ignored": "messages_ignored",
        "error.met": "errors",
        "alert.raised": "alerts",
    }
)
"""Kind of note → the counter that goes up by one, labelled by the details of those names."""


class BackendMetrics:
    """The metrics of one backend in a registry of its own, fed by its notes.

    `clock` tells the time in nanoseconds: a degradation counts its seconds while it lasts.
    """

    def __init__(self, clock: Callable[[], int] = now_ns) -> None:
        self.registry = registry = CollectorRegistry()
        self._clock = clock
        self._counters = {
            name: Counter(PREFIX + name, text, labels, registry=registry)
            for name, (text, labels) in COUNTERS.items()
        }
        self._gauges = {
            name: Gauge(PREFIX + name, text, registry=registry) for name, text in GAUGES.items()
        }
        # Each child is looked up once: the client's own look-up costs more than the count.
        self._children: dict[tuple[str, ...], Counter] = {}
        self._degraded_since: int | None = None

    def on_note(self, kind: str, op: str, details: Mapping[str, Any]) -> None:  # noqa: ARG002 - the observer's shape
        """Count what a service notes; kinds that are not counted are passed over."""
        if kind == "route.decided":
            self._count_decision(details)
        name = BY_NOTE.get(kind)
        if name is not None:
            labels = COUNTERS[name][1]
            self._child(name, *(str(details[label]) for label in labels)).inc()
        if kind == "router.degraded":
            self._degraded_since = self._clock()
        elif kind == "router.recovered":
            self._accrue()
            self._degraded_since = None

    def set(self, **figures: float) -> None:
        """Set gauges by name: `waiting`, `inside`, `outside`, `capacity`."""
        for name, value in figures.items():
            self._gauges[name].set(value)

    def exposition(self) -> str:
        """Return the metrics in Prometheus' text format."""
        return generate_latest(self).decode()

    def collect(self) -> Iterator[Metric]:
        """Return the metrics as they are now."""
        self._accrue()
        self._gauges["degraded"].set(self._degraded_since is not None)
        return collected(self.registry)

    def _count_decision(self, details: Mapping[str, Any]) -> None:
        inside, outside = details["to_internal"], details["to_external"]
        self._child("decisions", "internal").inc(inside)
        self._child("decisions", "external").inc(outside)
        self._child("decisions", "waiting").inc(details["waiting"] - inside - outside)

    def _child(self, name: str, *labels: str) -> Counter:
        key = (name, *labels)
        child = self._children.get(key)
        if child is None:
            counter = self._counters[name]
            child = self._children[key] = counter.labels(*labels) if labels else counter
        return child

    def _accrue(self) -> None:
        """Count the seconds degraded since they were last counted."""
        if self._degraded_since is not None:
            at = self._clock()
            self._child("degraded_seconds").inc(to_seconds(at - self._degraded_since))
            self._degraded_since = at


def heard_by(note: Note, *observers: Note) -> Note:
    """Return a note that is told to each observer too, before `note`."""

    def told(kind: str, op: str, details: Mapping[str, Any]) -> None:
        for observer in observers:
            observer(kind, op, details)
        note(kind, op, details)

    return told
