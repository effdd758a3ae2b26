"""Samples of Prometheus metrics by the name and labels under which they are exposed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prometheus_client import Metric


def samples(metrics: Iterable[Metric]) -> dict[str, float]:
    """Return name with labels → value, as the text format writes them."""
    return {
        _shown(sample.name, sample.labels): sample.value
        for metric in metrics
        for sample in metric.samples
    }


def _shown(name: str, labels: Mapping[str, str]) -> str:
    inner = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
    return f"{name}{{{inner}}}" if inner else name
