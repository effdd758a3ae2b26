"""The losses: tasks of lost instances go back, and what the lost capacity means is offered."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted, play_site


@pytest.mark.spec("RT-D5", "RT-C1")
def test_tasks_of_lost_instances_go_back_to_the_head_in_order() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None, c=None)
        await client.submit("t.0", "t.1", "t.2", "t.3", "t.4")
        owner = {run["taskId"]: run["instanceId"] for run in bridge.runs}
        last = owner["t.2"]
        await bridge.keep_alive(0.8, **{last: ("t.2", 1)})
        pending = list(site.lives[-1]._shared.queue.tables.pending)
        # Two of three are gone: two from the tail are offered, and taken.
        assert pending == ["t.0", "t.1"]
        assert client.told("t.3") == client.told("t.4") == ["OFFERED"]
        released = [(op, details["why"]) for op, details in site.notes("task.released")]
        assert sorted(released) == [("t.0", "lost"), ("t.1", "lost")]
        assert site.figures["online"] == 1

    play_scripted(test)


@pytest.mark.spec("RT-D5")
def test_silence_is_found_out_at_its_instant() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        joined = site.world.loop.time()
        await client.submit("t")
        await asyncio.sleep(2)
        lost = [e.time / 1e9 for e in site.world.trace.of("task.requeued")]
        assert lost == [pytest.approx(joined + 0.6, abs=1e-9)]
        gone = {"instance": "a", "status": "offline", "why": "silent"}
        assert site.notes("instance.known")[-1][1] == gone

    play_scripted(test)


@pytest.mark.spec("RT-D5", "RT-X2")
def test_one_that_is_said_to_be_gone_is_lost_at_once() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None)
        await client.submit("t", preferred_instance="a")
        for _ in range(2):  # the second time it is known
            await bridge.say("INSTANCE_OFFLINE", instanceId="a", reason="switched off")
        assert [run["instanceId"] for run in bridge.runs] == ["a", "b"]
        assert site.notes("task.requeued") == [("t", {"retries": 0, "why": "lost"})]
        error = {"error": "instance_offline", "severity": "medium", "reaction": "requeue"}
        assert site.notes("error.met") == [("", {**error, "party": "dispatcher"})]

    play_scripted(test)


@pytest.mark.spec("RT-B3")
def test_a_bridge_that_comes_back_in_time_has_lost_nothing() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        assert bridge.channel is not None
        await bridge.channel.close()
        await asyncio.sleep(0.3)
        assert site.figures["online"] == 0
        assert site.figures["bridges"] == 1  # the fleet's own, which has no instances
        assert site.figures["processing"] == 1
        await bridge.join(a=("t", 1))
        await bridge.done("t", "a")
        assert client.told("t") == ["SUCCESS"]
        assert not site.notes("task.requeued")
        assert len(bridge.runs) == 1

    play_scripted(test)


@pytest.mark.spec("RT-D5")
def test_an_assignment_that_is_not_named_for_two_heartbeats_is_lost() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.keep_alive(0.3, a=None)
        assert not site.notes("task.requeued")
        await bridge.keep_alive(0.3, a=None)
        assert [op for op, _ in site.notes("task.requeued")] == ["t"]
        assert [run["attempt"] for run in bridge.runs] == [1, 2]
        # One that was named goes on, and is missed two heartbeats after that.
        await bridge.keep_alive(1, a=("t", 2))
        await bridge.keep_alive(0.2, a=None)
        assert len(bridge.runs) == 2
        await bridge.keep_alive(0.4, a=None)
        assert [run["attempt"] for run in bridge.runs] == [1, 2, 3]

    play_scripted(test)


@pytest.mark.spec("RT-D5", "RT-B1")
def test_when_all_are_gone_all_that_ran_is_offered() -> None:
    async def test(site: Site, client: Client) -> None:
        await client.submit("t.0", "t.1", "t.2", "t.3", seconds=60)
        site.inject("off", target=[f"inst-{number}" for number in range(4)])
        await asyncio.sleep(1)
        assert sorted(body["client_task_id"] for _, body in client.called) == [
            "t.0",
            "t.1",
            "t.2",
            "t.3",
        ]
        assert site.figures["offered"] == site.figures["pending"] == 0
        assert (await client.query("t.0"))["status"] == "UNKNOWN"
        assert site.books.places == {}

    play_site(test)


@pytest.mark.spec("RT-D5", "F-R8")
@pytest.mark.parametrize(("shrink", "offered"), [("lost", 1), ("backlog", 13)])
def test_only_what_the_lost_capacity_means_is_offered(shrink: Any, offered: int) -> None:
    async def test(site: Site, client: Client) -> None:
        client.takes = lambda task: False
        await client.submit(*(f"t.{number}" for number in range(20)), seconds=60)
        assert site.figures["pending"] == 12
        site.inject("crash", target="inst-3")
        await asyncio.sleep(0.1)
        told = [body["client_task_id"] for _, body in client.called]
        # All that was pending, and the one lost; each instance left may take one of them.
        assert len(told) == (offered if shrink == "lost" else 13 - 7)
        assert told[-1] == "t.19"
        await asyncio.sleep(1)
        # Nobody has taken them: they are pending again.
        assert site.figures["pending"] == 13
        assert len(client.called) == len(told)

    play_site(test, internal=8, options={"shrink": shrink})


@pytest.mark.spec("RT-D5")
def test_an_offer_that_is_not_answered_is_repeated_and_the_task_waits() -> None:
    async def test(site: Site, client: Client) -> None:
        client.status = 500
        await client.submit("t", seconds=60)
        site.inject("off", target=["inst-0"])
        await asyncio.sleep(0.5)
        assert site.figures["offered"] == 1
        assert (await client.query("t"))["status"] == "OFFERED"
        client.status = 200
        await asyncio.sleep(1)
        assert client.told("t") == ["OFFERED", "OFFERED"]
        assert site.figures["offered"] == 0

    play_site(test, internal=1, bridges=1)


@pytest.mark.spec("RT-D5")
def test_a_task_that_was_given_away_may_be_submitted_again() -> None:
    async def test(site: Site, client: Client) -> None:
        await client.submit("t", seconds=1)
        fault = site.inject("off", target=["inst-0"])
        await asyncio.sleep(1)
        site.world.undo(fault)
        await client.submit("t", seconds=1)
        await asyncio.sleep(3)
        assert client.told("t") == ["OFFERED", "SUCCESS"]

    play_site(test, internal=1, bridges=1)


@pytest.mark.spec("RT-D5")
def test_a_result_that_comes_while_its_task_is_offered_counts() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        async def slowly() -> None:
            await asyncio.sleep(1)

        client.answers = slowly
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.say("INSTANCE_OFFLINE", instanceId="a", reason="crashed")
        assert site.books.places["t"] == "offered"
        await bridge.done("t", "a")
        assert site.books.places["t"] == "completed"
        await asyncio.sleep(5)
        # The offer was under way: the letter about the result waits for its end, and is the last.
        assert client.told("t") == ["OFFERED", "SUCCESS"]
        assert site.figures["webhooks"] == 0

    play_scripted(test)


@pytest.mark.spec("RT-D5", "RT-X2")
def test_a_loss_while_the_store_is_down_is_settled_when_it_is_back() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t", "u")
        fault = site.inject("store_down", target="dispatcher")
        await bridge.say("INSTANCE_OFFLINE", instanceId="a", reason="crashed")
        await asyncio.sleep(3)
        assert site.figures["processing"] == 1
        assert not client.called
        site.world.undo(fault)
        await asyncio.sleep(2)
        # No instance is left, so all is offered.
        assert client.told("t") == client.told("u") == ["OFFERED"]
        assert (site.figures["pending"], site.figures["processing"]) == (0, 0)

    play_scripted(test)


@pytest.mark.spec("RT-B1", "RT-D5")
def test_what_comes_where_no_instance_is_is_offered_when_none_comes() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t")
        await asyncio.sleep(0.5)
        await client.submit("u")
        assert not client.called
        await asyncio.sleep(0.2)
        # 0.6 s after the first of them, for both.
        assert client.told("t") == client.told("u") == ["OFFERED"]
        assert site.figures["offered"] == site.figures["pending"] == 0

    play_scripted(test)


@pytest.mark.spec("RT-B1", "RT-D5")
def test_where_one_has_come_meanwhile_nothing_is_offered() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t", "u")
        await asyncio.sleep(0.5)
        await bridge.join(a=None)
        await bridge.keep_alive(1, a=("t", 1))
        assert not client.called
        assert site.figures["pending"] == 1

    play_scripted(test)


@pytest.mark.spec("RT-B1", "RT-D5")
def test_an_offer_that_came_before_its_owner_knew_is_made_once_more() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        client.takes = lambda task: task == "late" and client.told(task) == ["OFFERED"] * 2
        await bridge.join(a=None)
        await client.submit("late", "never")
        await bridge.say("INSTANCE_OFFLINE", instanceId="a", reason="crashed")
        await asyncio.sleep(60)
        assert client.told("late") == client.told("never") == ["OFFERED", "OFFERED"]
        assert list(site.lives[-1]._shared.queue.tables.pending) == ["never"]
        # Whoever comes finds it, and it may be offered anew when that one goes.
        await bridge.join(b=None)
        assert [run["taskId"] for run in bridge.runs] == ["late", "never"]
        await client.submit("other")
        await bridge.alive(b=("never", 1), c=("x", 1))
        await bridge.say("INSTANCE_OFFLINE", instanceId="c", reason="crashed")
        await bridge.say("INSTANCE_OFFLINE", instanceId="b", reason="crashed")
        assert client.told("never") == ["OFFERED"] * 3

    play_scripted(test)


@pytest.mark.spec("RT-B1", "RT-X2")
def test_with_the_store_down_it_is_offered_afterwards() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t")
        await site.fault(3, "store_down", target="dispatcher")
        assert not client.called
        await asyncio.sleep(3)
        assert client.told("t") == ["OFFERED"]

    play_scripted(test)
