"""The dispatcher's Prometheus metrics, with the official client, fed by its notes (RT-P3).

Imports the client.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Metric, generate_latest

from windtunnel.services.exposition import collected

COUNTED: Final[Mapping[str, tuple[str, str, tuple[str, ...]]]] = {
    "task.accepted": ("md_tasks_accepted_total", "Tasks taken in", ()),
    "task.repeated": ("md_tasks_repeated_total", "Submissions of known tasks", ()),
    "task.assigned": ("md_tasks_assigned_total", "Tasks given to an instance", ()),
    "task.released": ("md_tasks_released_total", "Runs that are over", ("why",)),
    "task.requeued": ("md_tasks_requeued_total", "Tasks that went back to the queue", ("why",)),
    "task.offered": ("md_tasks_offered_total", "Tasks offered to the backend", ()),
    "webhook.tried": ("md_webhooks_tried_total", "Calls of webhooks", ("ok",)),
    "result.ignored": ("md_results_ignored_total", "Results that were not the first", ("why",)),
    "message.ignored": ("md_messages_ignored_total", "Messages passed over", ("why",)),
    "error.met": ("md_errors_total", "Errors by class", ("error", "severity")),
}
"""Kind of note → the counter it feeds: its name, what it counts, and its labels."""

SHOWN: Final[Mapping[str, tuple[str, str]]] = {
    "pending": ("md_pending", "Tasks that wait for an instance"),
    "processing": ("md_processing", "Tasks that an instance has"),
    "offered": ("md_offered", "Tasks offered to the backend"),
    "instances": ("md_instances", "Instances that are known"),
    "online": ("md_instances_online", "Instances that are reached"),
    "busy": ("md_instances_busy", "Instances that are busy"),
    "bridges": ("md_bridges", "Bridges that are connected"),
    "webhooks": ("md_webhooks_waiting", "Tasks whose owner is still to be told"),
    "degraded": ("md_degraded", "Whether the store is down or memory has run out"),
}
"""Observed figure → its gauge, set whenever the metrics are read."""


class DispatcherMetrics:
    """The metrics of one dispatcher in a registry of its own; `figures` is asked for the gauges."""

    def __init__(self, figures: Callable[[], Mapping[str, float]]) -> None:
        self.registry = registry = CollectorRegistry()
        self._figures = figures
        self._counters: dict[str, tuple[Counter, tuple[str, ...]]] = {
            kind: (Counter(name, text, labels, registry=registry), labels)
            for kind, (name, text, labels) in COUNTED.items()
        }
        self._gauges = {
            figure: Gauge(name, text, registry=registry) for figure, (name, text) in SHOWN.items()
        }
        self._bound: dict[tuple[str, ...], Counter] = {}

    def on_note(self, kind: str, op: str, details: Mapping[str, Any]) -> None:  # noqa: ARG002 - a note's shape
        """Count what a note tells."""
        found = self._counters.get(kind)
        if found is None:
            return
        counter, labels = found
        if labels:
            values = tuple(str(details.get(label, "")).lower() for label in labels)
            bound = self._bound.get((kind, *values))
            if bound is None:
                bound = self._bound[(kind, *values)] = counter.labels(*values)
            counter = bound
        counter.inc()

    def exposition(self) -> str:
        """Return the metrics in Prometheus' text format."""
        return generate_latest(self).decode()

    def collect(self) -> Iterator[Metric]:
        """Return the metrics as they are now."""
        figures = self._figures()
        for figure, gauge in self._gauges.items():
            gauge.set(figures[figure])
        return collected(self.registry)
