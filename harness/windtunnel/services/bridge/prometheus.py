"""The bridge's Prometheus metrics, with the official client (UI-M2, UI-M3).

Imports the client, priorities and units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest

from windtunnel.policies.ui.priority import Priority
from windtunnel.services.exposition import collected
from windtunnel.units import to_seconds

WAIT_BUCKETS: Final = (0.1, 0.5, 1, 2, 5, 10, 30)
EXEC_BUCKETS: Final = (0.5, 1, 2, 5, 10, 30, 60)


class BridgeMetrics:
    """The metrics of one bridge in a registry of its own; durations in seconds.

    Waiting is from submission to start, for what was executed; execution from start to end.
    """

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self._pending = Gauge(
            "woc_send_queue_pending", "Actions that are queued", registry=registry
        )
        executed = Counter(
            "woc_ui_action_executed_total", "Actions that ran", ["priority"], registry=registry
        )
        self._timeouts = Counter(
            "woc_ui_action_timeout_total", "Waits that ended in a time-out", registry=registry
        )
        self._rate_limited = Counter(
            "woc_ui_action_rate_limited_total", "Actions refused by a limit", registry=registry
        )
        self._fast_failed = Counter(
            "woc_ui_action_fast_fail_total", "Actions refused in a dead window", registry=registry
        )
        self._wait = Histogram(
            "woc_ui_action_wait_duration_seconds",
            "From submission to start",
            buckets=WAIT_BUCKETS,
            registry=registry,
        )
        took = Histogram(
            "woc_ui_action_exec_duration_seconds",
            "From start to end",
            ["priority"],
            buckets=EXEC_BUCKETS,
            registry=registry,
        )
        # Each label is asked for once: the samples are there from the start, at 0.
        self._executed = {p.name: executed.labels(p.name) for p in Priority}
        self._took = {p.name: took.labels(p.name) for p in Priority}
        self._lines: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
            "action.finished": self._count_executed,
            "action.failed": self._count_executed,
            "action.timed_out": lambda _: self._timeouts.inc(),
            "action.refused": lambda _: self._rate_limited.inc(),
            "action.fast_failed": lambda _: self._fast_failed.inc(),
        }

    def on_line(self, name: str, trace_id: str, fields: Mapping[str, Any]) -> None:  # noqa: ARG002 - the observer's shape
        """Count what a scheduler tells its observers (UI-Q12)."""
        count = self._lines.get(name)
        if count is not None:
            count(fields)

    def _count_executed(self, fields: Mapping[str, Any]) -> None:
        priority = fields.get("priority", Priority.NORMAL.name)
        self._executed[priority].inc()
        self._took[priority].observe(to_seconds(fields["took"]))
        self._wait.observe(to_seconds(fields.get("waited", 0)))

    def set_pending(self, pending: int) -> None:
        """Set the gauge: whenever the status is read (UI-M3)."""
        self._pending.set(pending)

    def exposition(self) -> str:
        """Return the metrics in Prometheus' text format."""
        return generate_latest(self).decode()

    def collect(self) -> Iterator[Metric]:
        """Return the metrics as they are now."""
        return collected(self.registry)
