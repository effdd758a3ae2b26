"""UIMetrics: counted by priority, kept in nanoseconds, shown in milliseconds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.scheduler.ui_metrics import UIMetrics

RUNS = st.lists(
    st.tuples(st.sampled_from(Priority), st.integers(0, 10**12), st.integers(0, 10**12))
)


@pytest.mark.spec("UI-Q11")
@given(runs=RUNS, pending=st.integers(0, 100))
def test_totals_are_the_sums(runs: list[tuple[Priority, int, int]], pending: int) -> None:
    metrics = UIMetrics()
    for priority, waited, took in runs:
        metrics.count_executed(priority, waited, took)
    shown = metrics.snapshot(pending)
    assert shown["executed_total"] == len(runs)
    assert shown["executed_by_priority"] == {
        priority.name: sum(ran is priority for ran, _, _ in runs) for priority in Priority
    }
    assert shown["wait_duration_ms_sum"] == sum(waited for _, waited, _ in runs) / 10**6
    assert shown["exec_duration_ms_sum"] == sum(took for _, _, took in runs) / 10**6
    assert shown["pending_count"] == pending


@pytest.mark.spec("UI-Q14")
def test_a_snapshot_does_not_follow() -> None:
    metrics = UIMetrics()
    before = metrics.snapshot(0)
    metrics.count_executed(Priority.LOW, 1, 1)
    assert before["executed_by_priority"]["LOW"] == before["executed_total"] == 0
