"""The observables: what can be read of a bridge is what it tells."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.services.bridge.prometheus import BridgeMetrics
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel.systems.prometheus_samples import samples
from windtunnel.systems.ui.observables import METRICS, OBSERVABLES, SAMPLES

CHECKS = frozenset({"equals"})


@pytest.mark.spec("UI-Q11")
def test_the_metrics_are_what_the_scheduler_counts() -> None:
    assert UIActionScheduler().get_metrics().keys() == set(METRICS)


@pytest.mark.spec("UI-M2")
def test_the_samples_are_what_is_exposed() -> None:
    assert samples(BridgeMetrics().collect()).keys() == set(SAMPLES)


@pytest.mark.spec("UI-M1", "UI-M2", "UI-M3", "UI-AC6")
@pytest.mark.parametrize("wiring", ["phase1", "after"])
def test_all_of_a_bridge_that_has_worked(kit: Any, wiring: str) -> None:
    seen: dict[str, Any] = {}

    async def main(system: Any) -> None:
        await system.submit(kit.submit("a"))
        system.submit(kit.submit("b"))
        system.submit(kit.submit("c"))
        assert system.observe()["woc_send_queue_pending"] == 0  # nobody has read the status yet
        await system.call(kit.call("r", "route.status"))
        seen.update(system.observe())

    given = {"wiring": wiring, "actions": {"send_text": {"duration": "1500ms"}}}
    kit.bench(given, checks=CHECKS).play(main)
    assert seen.keys() == OBSERVABLES
    assert seen["executed_total"] == 1
    assert seen["status"] == {
        "send_queue_pending": 2,
        "ui_scheduler": {name: seen[name] for name in METRICS},
    }
    assert seen["woc_send_queue_pending"] == 2
    assert seen["woc_ui_action_executed_total"] == {
        "CRITICAL": 0,
        "HIGH": 0,
        "NORMAL": 1,
        "LOW": 0,
    }
    took = seen["woc_ui_action_exec_duration_seconds_bucket"]["NORMAL"]
    assert (took["1.0"], took["2.0"], took["+Inf"]) == (0, 1, 1)
    assert seen["woc_ui_action_wait_duration_seconds_bucket"]["0.1"] == 1


@pytest.mark.spec("UI-M1", "UI-Q14")
def test_a_plain_queue_has_no_metrics(kit: Any) -> None:
    seen: dict[str, Any] = {}

    async def main(system: Any) -> None:
        seen.update(system.observe())

    kit.bench({"wiring": "before"}, checks=CHECKS).play(main)
    assert seen["status"] == {"send_queue_pending": 0, "ui_scheduler": None}
    assert not seen.keys() & set(METRICS)


def test_what_no_check_reads_is_not_collected(kit: Any) -> None:
    seen: dict[str, Any] = {}

    async def main(system: Any) -> None:
        seen.update(system.observe())

    kit.bench().play(main)
    assert seen.keys() == set(METRICS)
