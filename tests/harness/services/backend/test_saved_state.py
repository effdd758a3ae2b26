"""The saved state: what is stored of link, capacity, instances and health, and for how long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from care_kit import Cluster
from care_kit import report as message_of
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.backend import saved_state
from windtunnel.services.backend.link_messages import read_report
from windtunnel.services.backend.link_state import LinkState
from windtunnel.services.clock import now_ns
from windtunnel_models import run as run_simulated

S = 10**9
HEALTH = {"health": "degraded", "reason": "no_instance", "since": 3}


async def link_of_1_s_with_a_report_of_5_s() -> LinkState:
    """Return it at 15 s."""
    state = LinkState(RouterOptions())
    await asyncio.sleep(1)
    state.opened(now_ns())
    await asyncio.sleep(4)
    read = read_report(message_of(2, 1, 1)["data"], now_ns())
    assert read is not None
    state.report(read)
    await asyncio.sleep(10)
    return state


@pytest.mark.spec("RT-R1", "RT-H3")
def test_all_is_stored() -> None:
    async def main() -> None:
        cluster, state = Cluster(), await link_of_1_s_with_a_report_of_5_s()
        await saved_state.save(cluster.handle, state, HEALTH, now_ns())
        assert cluster.stored("health") == HEALTH
        assert cluster.stored("connection") == state.connection()
        assert cluster.stored("last_heartbeat") == S
        assert cluster.stored("capacity") == {
            "onlineInstances": 2,
            "busyInstances": 1,
            "availableCapacity": 1,
            "updatedAt": 5 * S,
        }
        assert cluster.stored("inst-0", "state:instances") == {
            "instanceId": "inst-0",
            "bridgeId": "bridge-0",
            "status": "busy",
            "currentTaskId": None,
            "currentTaskStartTime": None,
            "lastUpdated": 5 * S,
        }
        assert cluster.store.count("state:instances") == 2

    run_simulated(main())


@pytest.mark.spec("RT-R1")
def test_what_ages_is_gone_60_s_after_it_was_so() -> None:
    async def main() -> None:
        cluster, state = Cluster(), await link_of_1_s_with_a_report_of_5_s()
        await saved_state.save(cluster.handle, state, HEALTH, now_ns())
        await asyncio.sleep(61 - 15 - 0.001)
        assert cluster.stored("last_heartbeat") == S
        await asyncio.sleep(0.001)
        assert cluster.stored("last_heartbeat") is None
        await asyncio.sleep(4 - 0.001)
        assert cluster.store.count("state:instances") == 2
        await asyncio.sleep(0.001)
        assert cluster.store.count("state:instances") == 0
        assert cluster.stored("capacity") is None
        # What has run out is not stored again; link and health stay.
        await saved_state.save(cluster.handle, state, HEALTH, now_ns())
        assert [id_ for id_, _ in cluster.store.first("state", 9)] == ["connection", "health"]

    run_simulated(main())


def test_the_health_stored_last_is_returned_and_none_leaves_it() -> None:
    async def main() -> None:
        store, state = Cluster().handle, LinkState(RouterOptions())
        assert await saved_state.health_of(store) is None
        await saved_state.save(store, state, HEALTH, 0)
        await saved_state.save(store, state, None, 0)
        assert await saved_state.health_of(store) == HEALTH

    run_simulated(main())


@pytest.mark.parametrize(
    ("instance", "task"),
    [
        ({}, None),
        ({"currentTask": None}, None),
        ({"currentTask": "t"}, None),
        ({"currentTask": {"taskId": "t", "startTime": "now"}}, "t"),
    ],
)
def test_what_a_report_does_not_say_is_null(instance: dict[str, Any], task: str | None) -> None:
    async def main() -> None:
        cluster, state = Cluster(), LinkState(RouterOptions())
        data = dict(message_of(1, 0, 1)["data"])
        data["bridges"] = [
            {"instances": [{"instanceId": "i", **instance}, "j", None]},
            {"instances": 7},
            {},
            8,
        ]
        read = read_report(data, now_ns())
        assert read is not None
        state.report(read)
        await saved_state.save(cluster.handle, state, HEALTH, now_ns())
        stored = cluster.stored("i", "state:instances")
        assert stored["bridgeId"] is None
        assert stored["currentTaskId"] == task
        assert cluster.store.count("state:instances") == 1

    run_simulated(main())
