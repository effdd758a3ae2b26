"""The metrics: each note is counted, and the figures are those of the moment."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted
from prometheus_kit import samples
from windtunnel.kinds import KINDS
from windtunnel.services.dispatcher.dispatcher_metrics import COUNTED


@pytest.mark.spec("RT-P3")
def test_what_it_does_is_counted() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t", "u")
        await bridge.failed("t", "a")
        await bridge.done("t", "a", 2)
        found = samples(text_string_to_metric_families(site.lives[-1].exposition()))
        assert found["md_tasks_accepted_total"] == 2
        assert found["md_tasks_assigned_total"] == 3
        assert found['md_tasks_released_total{why="done"}'] == 1
        assert found['md_tasks_requeued_total{why="failed"}'] == 1
        assert found['md_webhooks_tried_total{ok="true"}'] == 1
        assert found["md_processing"] == 1
        assert found["md_instances_busy"] == 1
        text = site.lives[-1].exposition()
        assert "md_tasks_accepted_total 2.0" in text
        assert "_created" not in text

    play_scripted(test)


@pytest.mark.spec("RT-P3")
def test_what_is_counted_is_noted() -> None:
    for kind, (name, _, labels) in COUNTED.items():
        assert name.startswith("md_")
        details = {detail.rstrip("?") for detail in KINDS[kind].details}
        assert set(labels) <= details
