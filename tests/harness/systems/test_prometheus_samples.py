"""The samples of a Prometheus registry, as a scenario reads them by name."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

from windtunnel.systems.prometheus_samples import samples


def test_a_sample_is_a_number_or_a_mapping_of_its_labels() -> None:
    registry = CollectorRegistry()
    Gauge("depth", "…", registry=registry).set(3)
    sent = Counter("sent", "…", ("side", "why"), registry=registry)
    sent.labels("internal", "full").inc()
    sent.labels("external", "full").inc(2)
    sent.labels("external", "slow").inc(4)
    values = samples(registry.collect())
    assert values["depth"] == 3
    assert values["sent_total"] == {"internal": {"full": 1}, "external": {"full": 2, "slow": 4}}
