"""The backend's metrics: counted from its notes, exposed by the official client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from windtunnel.kinds import KINDS
from windtunnel.services.backend.backend_metrics import (
    BY_NOTE,
    COUNTERS,
    GAUGES,
    BackendMetrics,
    heard_by,
)

S = 10**9

DECIDED = {"waiting": 45, "internal": 30, "external": 10, "to_internal": 30, "to_external": 10}
COUNTED: list[tuple[str, Mapping[str, Any], Mapping[str, float]]] = [
    (
        "route.decided",
        DECIDED,
        {
            'decisions_total{to="internal"}': 30,
            'decisions_total{to="external"}': 10,
            'decisions_total{to="waiting"}': 5,
        },
    ),
    ("task.sent", {"side": "internal", "request": "r"}, {'sent_total{side="internal"}': 1}),
    (
        "task.refused",
        {"side": "external", "why": "refused", "code": 421},
        {'refused_total{side="external",why="refused"}': 1},
    ),
    ("task.fell_back", {"why": "timeout"}, {'fallbacks_total{why="timeout"}': 1}),
    ("link.lost", {"why": "silent", "again_in": S}, {'links_lost_total{why="silent"}': 1}),
    ("token.obtained", {"lifetime": S}, {"tokens_obtained_total": 1}),
    ("token.failed", {"valid": True}, {"tokens_failed_total": 1}),
    (
        "result.ignored",
        {"party": "backend", "why": "late"},
        {'results_ignored_total{why="late"}': 1},
    ),
    (
        "message.ignored",
        {"party": "backend", "why": "broken"},
        {'messages_ignored_total{why="broken"}': 1},
    ),
    ("error.met", {"error": "token"}, {'errors_total{error="token"}': 1}),
    ("alert.raised", {"alert": "queue"}, {'alerts_total{alert="queue"}': 1}),
]


def samples(metrics: BackendMetrics) -> dict[str, float]:
    """Return the exposition as it is read: name with labels → value."""
    found = {}
    for family in text_string_to_metric_families(metrics.exposition()):
        for sample in family.samples:
            labels = ",".join(f'{key}="{value}"' for key, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def changed(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {
        name.removeprefix("md_router_"): value - before.get(name, 0)
        for name, value in after.items()
        if value != before.get(name, 0)
    }


@pytest.mark.spec("RT-P3")
@pytest.mark.parametrize(("kind", "details", "expected"), COUNTED, ids=[one[0] for one in COUNTED])
def test_each_note_counts_and_nothing_else_does(
    kind: str, details: Mapping[str, Any], expected: Mapping[str, float]
) -> None:
    metrics = BackendMetrics(lambda: 0)
    before = samples(metrics)
    metrics.on_note(kind, "t", details)
    assert changed(before, samples(metrics)) == expected
    metrics.on_note(kind, "t", details)
    twice = {name: 2 * value for name, value in expected.items()}
    assert changed(before, samples(metrics)) == twice


@pytest.mark.spec("RT-P3")
def test_seconds_degraded_are_counted_while_it_lasts() -> None:
    at = 5 * S
    metrics = BackendMetrics(lambda: at)
    metrics.on_note("router.degraded", "", {"reason": "no_instance", "after": 0})
    at = 8 * S
    assert samples(metrics)["md_router_degraded_seconds_total"] == 3
    assert samples(metrics)["md_router_degraded"] == 1
    at = 15 * S
    metrics.on_note("router.recovered", "", {"after": 10 * S})
    at = 100 * S
    found = samples(metrics)
    assert found["md_router_degraded_seconds_total"] == 10
    assert found["md_router_degraded"] == 0
    assert found['md_router_degradations_total{reason="no_instance"}'] == 1


def test_all_counted_kinds_and_their_labels_are_in_the_table_of_kinds() -> None:
    for kind, counter in BY_NOTE.items():
        known = {name.removesuffix("?") for name in KINDS[kind].details}
        assert set(COUNTERS[counter][1]) <= known


def test_gauges_are_set_and_the_exposition_parses() -> None:
    metrics = BackendMetrics(lambda: 0)
    metrics.set(waiting=3, inside=2, outside=1, capacity=7)
    metrics.on_note("route.decided", "", DECIDED)
    metrics.on_note("instance.known", "", {"instance": "i"})
    found = samples(metrics)
    assert [found[f"md_router_{name}"] for name in GAUGES] == [3, 2, 1, 7, 0]
    families = list(text_string_to_metric_families(metrics.exposition()))
    assert {family.name for family in families} == {
        f"md_router_{name}" for name in (*COUNTERS, *GAUGES)
    }
    assert "_created" not in metrics.exposition()


def test_two_backends_share_nothing() -> None:
    one, other = BackendMetrics(lambda: 0), BackendMetrics(lambda: 0)
    one.on_note("token.obtained", "", {"lifetime": 1})
    assert samples(other)["md_router_tokens_obtained_total"] == 0


def test_observers_hear_each_note_before_it_is_taken() -> None:
    heard: list[str] = []
    note = heard_by(
        lambda kind, op, details: heard.append(f"note {kind} {op}"),
        lambda kind, op, details: heard.append(f"one {details['a']}"),
        lambda kind, op, details: heard.append("two"),
    )
    note("task.sent", "t.1", {"a": 7})
    assert heard == ["one 7", "two", "note task.sent t.1"]
