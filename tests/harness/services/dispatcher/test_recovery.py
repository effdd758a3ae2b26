"""The recovery: after a crash, and after the store was down."""

from __future__ import annotations

import asyncio

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted, play_site
from stuck_kit import StuckStore
from windtunnel.ports.store import Put
from windtunnel.services.bounded_store import BoundedStore


@pytest.mark.spec("RT-B4", "RT-R3")
def test_after_a_restart_everything_goes_on() -> None:
    async def test(site: Site, client: Client) -> None:
        await client.submit(*(f"t.{number}" for number in range(8)), seconds=3)
        await asyncio.sleep(0.5)
        await site.fault(0.1, "crash", target="dispatcher")
        await asyncio.sleep(0.1)
        assert len(site.lives) == 2
        assert (site.figures["pending"], site.figures["processing"]) == (4, 4)
        assert site.figures["online"] == 0
        await asyncio.sleep(10)
        assert sorted(body["client_task_id"] for _, body in client.called) == [
            f"t.{number}" for number in range(8)
        ]
        # Those that ran went on: each was begun once.
        assert len(list(site.world.trace.of("work.started"))) == 8

    play_site(test, settings={"dead_after_s": 3.0})


@pytest.mark.spec("RT-B4")
def test_what_no_instance_has_after_a_restart_goes_back() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None)
        await client.submit("t", preferred_instance="a")
        await client.submit("u", preferred_instance="b")
        await site.fault(0.1, "crash", target="dispatcher")
        begun = site.world.loop.time()
        await bridge.join(a=("t", 1), b=None)
        await bridge.keep_alive(0.6, a=("t", 1), b=None)
        # `a` goes on; `b` has lost what it had, and is given it again.
        assert [(run["taskId"], run["attempt"]) for run in bridge.runs] == [
            ("t", 1),
            ("u", 1),
            ("u", 2),
        ]
        requeued = [e.time / 1e9 - begun for e in site.world.trace.of("task.requeued")]
        assert requeued == [pytest.approx(0.4)]

    play_scripted(test)


@pytest.mark.spec("RT-B4")
def test_tasks_of_instances_that_do_not_come_back_are_waited_for_so_long() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        await site.fault(0.1, "crash", target="dispatcher")
        begun = site.world.loop.time()
        client.takes = lambda task: False
        await asyncio.sleep(0.59)
        assert site.figures["processing"] == 1
        await asyncio.sleep(1)
        requeued = [e.time / 1e9 - begun for e in site.world.trace.of("task.requeued")]
        assert requeued == [pytest.approx(0.6)]
        assert site.figures["pending"] == 1

    play_scripted(test)


@pytest.mark.spec("RT-X2")
def test_results_that_come_while_the_store_is_down_are_merged() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None)
        await client.submit("t", preferred_instance="a")
        await client.submit("u", preferred_instance="b")
        await client.submit("v")
        fault = site.inject("store_down", target="dispatcher")
        for _ in range(2):
            await bridge.done("t", "a")
        await bridge.failed("u", "b")
        assert not bridge.acks
        assert not client.called
        assert site.figures["journal"] == 2
        assert site.figures["degraded"] == 1
        assert (await client.post("w")).status == 503
        # An instance that goes meanwhile loses what it had; that is settled afterwards too.
        await bridge.keep_alive(3, b=None)
        assert site.figures["processing"] == 2
        site.world.undo(fault)
        await bridge.keep_alive(1.2, b=None)
        assert client.told("t") == ["SUCCESS"]
        assert [ack["taskId"] for ack in bridge.acks] == ["t", "u"]
        assert site.figures["journal"] == site.figures["degraded"] == 0
        assert site.notes("task.requeued") == [("u", {"retries": 1, "why": "failed"})]
        assert bridge.runs[-1]["taskId"] == "u"
        down = {"error": "store_down", "severity": "high", "reaction": "degrade_local_store"}
        errors = [d for _, d in site.notes("error.met") if d["error"] == "store_down"]
        assert errors == [{**down, "party": "dispatcher"}]

    play_scripted(test)


@pytest.mark.spec("RT-X2")
def test_with_the_store_down_from_the_start_it_waits_for_it() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t")
        store = site.inject("store_down", target="dispatcher")
        await site.fault(0.1, "crash", target="dispatcher")
        await bridge.join(a=None)
        await asyncio.sleep(3)
        assert (await client.health())["status"] == "degraded"
        assert not bridge.runs
        site.world.undo(store)
        await asyncio.sleep(1)
        await bridge.alive(a=None)
        assert [run["taskId"] for run in bridge.runs] == ["t"]
        assert (await client.health())["status"] == "ok"

    play_scripted(test, settings={"dead_after_s": 10.0})


@pytest.mark.spec("RT-X2", "RT-B4")
def test_a_crash_while_the_store_is_down_loses_no_result() -> None:
    async def test(site: Site, client: Client) -> None:
        await client.submit("t", seconds=1)
        fault = site.inject("store_down", target="dispatcher")
        await asyncio.sleep(1.5)
        assert site.figures["journal"] == 1
        await site.fault(0.1, "crash", target="dispatcher")
        site.world.undo(fault)
        await asyncio.sleep(5)
        assert client.told("t") == ["SUCCESS"]
        assert len(list(site.world.trace.of("work.started"))) == 1

    play_site(test, settings={"dead_after_s": 10.0})


def store_of(site: Site) -> StuckStore:
    """Put a store that may get stuck in the place of the one that the dispatcher has."""
    bounded = site.lives[-1]._webhooks._store
    assert isinstance(bounded, BoundedStore)
    stuck = StuckStore(bounded._store)
    bounded._store = stuck
    return stuck


@pytest.mark.spec("RT-X2")
def test_a_store_that_hangs_is_one_that_is_down() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None)
        await client.submit("t", preferred_instance="a")
        stuck = store_of(site)
        stuck.stuck = True
        begun = site.world.loop.time()
        answers = await asyncio.gather(*(client.post(f"u.{number}") for number in range(20)))
        assert {answer.status for answer in answers} == {503}
        assert site.world.loop.time() < begun + 6
        assert (await client.health())["status"] == "degraded"
        await bridge.done("t", "a")
        assert site.figures["journal"] == 1
        stuck.stuck = False
        await bridge.keep_alive(1.2, a=None, b=None)
        assert client.told("t") == ["SUCCESS"]
        assert (await client.health())["status"] == "ok"
        await client.submit("v")
        assert bridge.runs[-1]["taskId"] == "v"

    play_scripted(test, settings={"dead_after_s": 30.0})


@pytest.mark.spec("RT-X2", "F-R6")
def test_an_end_that_was_stored_and_not_answered_is_told_all_the_same() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        stuck = store_of(site)
        stuck.deaf = True
        await bridge.done("t", "a")
        await asyncio.sleep(1)
        assert site.books.places["t"] == "completed"
        assert not client.called
        stuck.deaf = False
        await bridge.keep_alive(8, a=None)
        assert client.told("t") == ["SUCCESS"]
        assert site.figures["journal"] == site.figures["webhooks"] == 0

    play_scripted(test, settings={"dead_after_s": 30.0})


@pytest.mark.spec("RT-X2", "RT-D1")
def test_an_assignment_that_was_stored_and_not_answered_goes_back() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t")
        stuck = store_of(site)
        stuck.deaf = True
        await bridge.join(a=None)
        await asyncio.sleep(1)
        assert (site.books.places["t"], bridge.runs) == ("processing", [])
        stuck.deaf = False
        await bridge.keep_alive(8, a=None)
        assert (bridge.runs[0]["taskId"], bridge.runs[0]["attempt"]) == ("t", 2)
        assert site.notes("task.requeued")[0] == ("t", {"retries": 0, "why": "lost"})

    play_scripted(test, settings={"dead_after_s": 30.0})


@pytest.mark.spec("RT-B4", "RT-X2")
def test_one_poisoned_entry_does_not_keep_the_dispatcher_from_its_work() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t")
        crash = site.inject("crash", target="dispatcher")
        store = site.lives[-1]._webhooks._store
        assert isinstance(store, BoundedStore)
        store._store._store.commit(  # type: ignore[attr-defined]
            [Put("md:cache:pending", "bad", "{"), Put("md:webhooks", "worse", '{"url": 7}')], ()
        )
        site.world.undo(crash)
        await asyncio.sleep(0.01)
        await bridge.join(a=None)
        assert [run["taskId"] for run in bridge.runs] == ["t"]
        assert site.figures["degraded"] == 0
        assert site.books.wrong == ["bad left pending for nowhere"]
        site.books.wrong.clear()

    play_scripted(test)
