"""The exposition: what a Prometheus registry holds, the same in every run.

Imports the official client.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Metric


def collected(registry: CollectorRegistry) -> Iterator[Metric]:
    """Yield the metrics, without the client's own instants of creation by the wall clock."""
    for metric in registry.collect():
        metric.samples = [one for one in metric.samples if not one.name.endswith("_created")]
        yield metric
