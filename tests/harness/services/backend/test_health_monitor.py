"""The health monitor: the whole of link, checks, store and degradation, over the network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest

from care_kit import Care
from windtunnel.ports.store import Put
from windtunnel.services.bounded_store import BoundedStore
from windtunnel_models import run as run_simulated

S = 10**9


def played(script: Callable[[Care], Coroutine[Any, Any, None]], **options: Any) -> Care:
    """Play a script while the services run and the dispatcher reports every 10 s."""

    async def main() -> Care:
        care = Care(**options)
        care.start()
        reports = asyncio.ensure_future(reporting(care))
        await script(care)
        reports.cancel()
        care.crash()
        return care

    return run_simulated(main(), debug=True)


async def reporting(care: Care) -> None:
    while True:
        await asyncio.sleep(10)
        if care.dispatcher.on_connect is not None and care.dispatcher.channel is not None:
            await care.dispatcher.tell(*care.dispatcher.on_connect)


@pytest.mark.spec("RT-H1", "RT-H4")
def test_the_first_report_is_checked_at_once_and_then_every_10_s() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(0.05)
        assert not care.degradation.degraded
        await asyncio.sleep(25)

    care = played(script)
    assert care.notes.of("health.checked") == [{"healthy": True, "score": 1.0}] * 3
    assert care.notes.at("health.checked") == pytest.approx([0.006, 10, 20])
    assert care.notes.of("router.recovered") == []


@pytest.mark.spec("RT-H2", "RT-H4", "RT-W4")
def test_a_first_report_before_the_bridges_have_joined_is_no_check() -> None:
    async def script(care: Care) -> None:
        care.dispatcher.on_connect = (0, 0)
        await asyncio.sleep(0.05)
        assert not care.degradation.known
        await care.dispatcher.tell(4, 0)
        await asyncio.sleep(0.05)
        assert not care.degradation.degraded

    care = played(script)
    assert care.notes.of("router.degraded") == []
    assert care.notes.of("health.checked") == [{"healthy": True, "score": 1.0}]


@pytest.mark.spec("RT-H2")
def test_bridges_that_do_not_join_within_an_interval_degrade() -> None:
    async def script(care: Care) -> None:
        care.dispatcher.on_connect = (0, 0)
        await asyncio.sleep(12)

    care = played(script)
    assert [one["reason"] for one in care.notes.of("router.degraded")] == ["no_instance"]
    assert care.notes.at("router.degraded") == [10.0]


@pytest.mark.spec("RT-H2", "RT-H3", "RT-B1")
def test_a_dispatcher_that_is_not_there_at_the_start_degrades_at_once() -> None:
    async def script(care: Care) -> None:
        care.cluster.crash()
        await asyncio.sleep(0.5)
        assert care.degradation.known

    care = played(script)
    assert [one["reason"] for one in care.notes.of("router.degraded")] == ["channel_closed"]


@pytest.mark.spec("RT-H2", "RT-H3")
def test_a_dispatcher_that_is_silent_from_the_start_is_known_after_10_s() -> None:
    async def script(care: Care) -> None:
        care.cluster.cut()
        await asyncio.sleep(9)
        assert not care.degradation.known
        await asyncio.sleep(2)
        assert care.degradation.known

    care = played(script)
    assert [one["reason"] for one in care.notes.of("router.degraded")] == ["channel_closed"]


@pytest.mark.spec("RT-H3", "RT-H4", "RT-P1")
def test_a_closed_channel_switches_within_a_second_and_three_good_checks_switch_back() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(33)
        await care.dispatcher.hang_up()
        await asyncio.sleep(60)

    care = played(script)
    assert care.notes.at("router.degraded") == pytest.approx([33.001])
    assert care.notes.at("link.connected") == pytest.approx([0.006, 34.005])
    assert care.notes.at("router.recovered") == [60.0]
    good = [at for at, kind, one in care.notes.all if kind == "health.checked" and one["healthy"]]
    assert sum(33.1 < at <= 60 for at in good) == 3
    assert care.cluster.stored("health")["health"] == "healthy"


@pytest.mark.spec("RT-H2")
@pytest.mark.parametrize(
    ("online", "busy", "reason"), [(0, 0, "no_instance"), (4, 4, "nothing_available")]
)
def test_capacity_that_is_gone_degrades_at_the_next_check(
    online: int, busy: int, reason: str
) -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(12)
        care.dispatcher.on_connect = (online, busy)
        await care.dispatcher.tell(online, busy)
        await asyncio.sleep(10)

    care = played(script)
    assert [one["reason"] for one in care.notes.of("router.degraded")] == [reason]
    assert care.notes.at("router.degraded") == [20.0]
    assert care.notes.of("health.checked")[-1] == {
        "healthy": False,
        "score": 0.4,
        "reason": reason,
    }


@pytest.mark.spec("RT-H2", "RT-W2")
def test_a_silent_link_is_known_after_40_s_at_most() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(31)
        care.cluster.cut()
        await asyncio.sleep(50)

    care = played(script)
    detected = care.notes.at("router.degraded")[0]
    assert 31 < detected <= 31 + 40
    assert care.notes.of("router.degraded")[0]["reason"] == "channel_closed"


@pytest.mark.spec("RT-R5", "RT-X2")
def test_a_store_that_is_down_degrades_and_three_good_checks_after_it_is_back_end_that() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(15)
        care.cluster.store_down(down=True)
        await asyncio.sleep(20)
        assert care.degradation.reason == "store"
        care.cluster.store_down(down=False)
        await asyncio.sleep(30)
        assert not care.degradation.degraded

    care = played(script)
    assert care.notes.at("router.degraded") == [20.0]
    assert care.notes.at("router.recovered") == [60.0]
    assert {one["error"] for one in care.notes.of("error.met")} == {"store_down"}
    bad = [one for one in care.notes.of("health.checked") if not one["healthy"]]
    assert bad == [{"healthy": False, "score": 1.0, "reason": "store"}] * 2


class Hanging:
    """A store whose commits never end."""

    async def commit(self, changes: Any, given: Any = ()) -> bool:
        await asyncio.get_running_loop().create_future()
        return True


@pytest.mark.spec("RT-R5")
def test_a_store_that_does_not_answer_is_taken_as_down_after_5_s() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(15)
        care.degradation._store = BoundedStore(cast("Any", Hanging()))
        await asyncio.sleep(12)

    assert played(script).notes.at("router.degraded") == [25.0]


@pytest.mark.spec("RT-H3")
def test_a_change_is_stored_at_once_not_at_the_next_check() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(12)
        care.cluster.crash()
        await asyncio.sleep(0.5)
        assert care.cluster.stored("health")["reason"] == "channel_closed"
        assert care.cluster.stored("connection")["status"] == "disconnected"
        care.dispatcher.start()
        await asyncio.sleep(1)
        assert care.cluster.stored("connection")["status"] == "connected"

    played(script)


@pytest.mark.spec("RT-H3", "RT-H4")
def test_a_backend_that_crashes_degraded_starts_degraded() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(5)
        care.dispatcher.on_connect = (4, 4)
        await care.dispatcher.tell(4, 4)
        await asyncio.sleep(10)
        assert care.degradation.reason == "nothing_available"
        care.crash()
        care.dispatcher.on_connect = (4, 0)
        care.start()
        await asyncio.sleep(1)
        assert care.state.connected
        assert care.degradation.degraded
        await asyncio.sleep(30)
        assert not care.degradation.degraded

    assert len(played(script).notes.of("router.degraded")) == 1


def test_as_listed_a_live_link_is_never_healthy() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(100)
        assert care.degradation.degraded

    care = played(script, heartbeat="text")
    assert {one["reason"] for one in care.notes.of("health.checked")} == {"no_heartbeat"}


def test_as_listed_a_link_that_was_healthy_is_never_connected_again() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(100)
        assert care.degradation.degraded

    care = played(script, link_field="shared")
    assert care.notes.of("link.lost") == []
    assert [one["reason"] for one in care.notes.of("router.degraded")] == ["channel_closed"]


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize("text", ["{", "[]", '{"health": "degraded"}'])
def test_a_health_that_cannot_be_read_stops_no_checks(text: str) -> None:
    async def main() -> Care:
        care = Care()
        await care.cluster.handle.commit([Put("state", "health", text)])
        care.start()
        await asyncio.sleep(12)
        care.crash()
        return care

    care = run_simulated(main())
    assert len(care.notes.of("health.checked")) == 2
    assert care.notes.of("router.degraded") == []
