"""The exposition: samples by the name under which they are exposed."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

from prometheus_kit import samples
from windtunnel.services.exposition import collected


def test_samples_are_named_as_the_text_format_names_them() -> None:
    registry = CollectorRegistry()
    Gauge("pending", "Tasks that wait", registry=registry).set(3)
    Counter("sent", "Tasks sent", ["side", "by"], registry=registry).labels("inside", "us").inc(2)
    found = samples(collected(registry))
    assert found == {"pending": 3, 'sent_total{by="us",side="inside"}': 2}


def test_when_a_metric_was_made_is_not_told() -> None:
    registry = CollectorRegistry()
    Counter("sent", "Tasks sent", registry=registry)
    names = [sample.name for metric in collected(registry) for sample in metric.samples]
    assert names == ["sent_total"]
