"""BridgeMetrics: the documents' names and buckets, and the scheduler's own figures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from prometheus_kit import samples
from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.prometheus import BridgeMetrics
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]

WAIT = "woc_ui_action_wait_duration_seconds"
EXEC = "woc_ui_action_exec_duration_seconds"
TYPES = {
    "woc_send_queue_pending": "gauge",
    "woc_ui_action_executed": "counter",
    "woc_ui_action_timeout": "counter",
    "woc_ui_action_rate_limited": "counter",
    "woc_ui_action_fast_fail": "counter",
    WAIT: "histogram",
    EXEC: "histogram",
}


def buckets(text: str, name: str) -> list[str]:
    seen = dict.fromkeys(
        sample.labels["le"]
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == f"{name}_bucket"
    )
    return list(seen)


@pytest.mark.spec("UI-M2")
def test_names_types_and_buckets_are_the_documents() -> None:
    text = BridgeMetrics().exposition()
    families = {family.name: family.type for family in text_string_to_metric_families(text)}
    assert families == TYPES
    for name in ("executed", "timeout", "rate_limited", "fast_fail"):
        assert f"\nwoc_ui_action_{name}_total" in text
    assert samples(BridgeMetrics().collect()).keys() == {
        line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")
    }
    assert buckets(text, WAIT) == ["0.1", "0.5", "1.0", "2.0", "5.0", "10.0", "30.0", "+Inf"]
    assert buckets(text, EXEC) == [
        *("0.5", "1.0", "2.0", "5.0", "10.0", "30.0", "60.0", "+Inf"),
    ]
    for priority in Priority:
        assert f'woc_ui_action_executed_total{{priority="{priority.name}"}} 0.0' in text
        assert f'{EXEC}_count{{priority="{priority.name}"}} 0.0' in text


@pytest.mark.spec("UI-M2")
def test_nothing_in_it_depends_on_the_wall_clock_or_on_another_bridge() -> None:
    first, second = BridgeMetrics(), BridgeMetrics()
    first.set_pending(3)
    assert "_created" not in first.exposition()
    assert samples(second.collect())["woc_send_queue_pending"] == 0
    assert samples(first.collect())["woc_send_queue_pending"] == 3
    assert second.exposition() == BridgeMetrics().exposition()


ACTIONS = st.tuples(
    st.sampled_from(list(Priority)),
    st.integers(0, 3000),  # how long it runs, ms
    st.booleans(),  # whether it fails
    st.sampled_from([None, 500, 2000]),  # the wait, ms
)


@pytest.mark.spec("UI-M2", "UI-Q11")
@given(st.lists(ACTIONS, max_size=8), st.integers(1, 8), st.booleans())
def test_for_all_runs_it_counts_what_the_scheduler_counts(
    actions: list[tuple[Priority, int, bool, int | None]], limit: int, dead: bool
) -> None:
    async def work(length: int, fails: bool) -> None:
        await asyncio.sleep(length / 1000)
        if fails:
            raise ValueError("fails")

    async def main() -> None:
        metrics = BridgeMetrics()
        scheduler = UIActionScheduler(0, 1000, limit)
        scheduler.observe(metrics.on_line)
        await scheduler.start()
        await asyncio.sleep(0)
        answers = [
            scheduler.execute(partial(work, length, fails), priority, None, wait)
            for priority, length, fails, wait in actions
        ]
        if dead:
            scheduler.mark_wechat_dead(2)
        await asyncio.gather(*answers, return_exceptions=True)
        await scheduler.drain(100)
        compare(samples(metrics.collect()), scheduler.get_metrics())
        await scheduler.stop()

    run_simulated(main())


def compare(samples: Any, figures: dict[str, Any]) -> None:
    for name in ("timeout", "rate_limited", "fast_fail"):
        assert samples[f"woc_ui_action_{name}_total"] == figures[f"{name}_total"]
    for priority, number in figures["executed_by_priority"].items():
        assert samples[f'woc_ui_action_executed_total{{priority="{priority}"}}'] == number
        assert samples[f'{EXEC}_count{{priority="{priority}"}}'] == number
    took = sum(samples[f'{EXEC}_sum{{priority="{p.name}"}}'] for p in Priority)
    assert took * 1000 == pytest.approx(figures["exec_duration_ms_sum"])
    assert samples[f"{WAIT}_sum"] * 1000 == pytest.approx(figures["wait_duration_ms_sum"])
    assert samples[f"{WAIT}_count"] == figures["executed_total"]


@pytest.mark.spec("UI-M3", "UI-M1")
def test_the_gauge_is_set_when_the_status_is_read(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        for _ in range(3):
            bridge.dispatch.submit(bridge.action("logout", {}))
        assert samples(bridge.prometheus.collect())["woc_send_queue_pending"] == 0
        assert bridge.status()["send_queue_pending"] == 3
        assert samples(bridge.prometheus.collect())["woc_send_queue_pending"] == 3
        await bridge.routes.call("status", {})
        assert "woc_send_queue_pending 3.0" in bridge.prometheus.exposition()

    run(main())


def test_lines_of_a_scheduler_that_says_less_are_counted_too() -> None:
    metrics = BridgeMetrics()
    metrics.on_line("action.finished", "", {"took": 2_000_000_000})
    metrics.on_line("action.unheard_of", "", {})
    assert samples(metrics.collect())['woc_ui_action_executed_total{priority="NORMAL"}'] == 1
    assert samples(metrics.collect())[f'{EXEC}_bucket{{le="2.0",priority="NORMAL"}}'] == 1


def test_a_plain_queue_has_no_such_metrics(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge("before")
        await bridge.start()
        answer = await bridge.routes.call("send_text", {"to": "a", "text": "x"})
        assert answer.status == 200
        assert sum(samples(bridge.prometheus.collect()).values()) == 0
        await bridge.stop()

    run(main())
