"""The webhooks: each letter is told at least once, whatever goes wrong."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted, play_site
from windtunnel.services.dispatcher.webhooks import LONGEST

pytestmark = pytest.mark.spec("RT-D3", "F-R3")


def test_one_that_is_not_answered_well_is_repeated_ever_more_seldom() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        client.status = 500
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.done("t", "a")
        await asyncio.sleep(190)
        client.status = 200
        await asyncio.sleep(100)
        at = [when for when, _ in client.called]
        gaps = [b - a for a, b in pairwise(at)]
        assert gaps == pytest.approx([1, 2, 4, 8, 16, 32, LONGEST, LONGEST, LONGEST][: len(gaps)])
        assert len(gaps) in (8, 9)
        assert site.figures["webhooks"] == 0
        tried = [details["ok"] for _, details in site.notes("webhook.tried")]
        assert tried == [False] * len(gaps) + [True]

    play_scripted(test)


def test_a_backend_that_is_down_is_told_when_it_is_back() -> None:
    async def test(site: Site, client: Client) -> None:
        await client.submit(*(f"t.{number}" for number in range(4)), seconds=1)
        await site.fault(20, "crash", target="backend")
        await asyncio.sleep(40)
        assert sorted(body["client_task_id"] for _, body in client.called) == [
            f"t.{number}" for number in range(4)
        ]
        errors = {details["error"] for _, details in site.notes("error.met")}
        assert errors == {"network_timeout"}

    play_site(test)


def test_what_is_in_the_outbox_outlives_a_crash() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        client.status = 500
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.done("t", "a", result="r")
        await site.fault(1, "crash", target="dispatcher")
        client.status = 200
        await asyncio.sleep(5)
        assert client.told("t") == ["SUCCESS", "SUCCESS"]
        assert client.called[-1][1]["result"] == "r"
        await site.fault(1, "crash", target="dispatcher")
        await asyncio.sleep(5)
        assert len(client.called) == 2

    play_scripted(test)


def test_a_silent_backend_holds_up_so_many_calls_and_no_longer_than_that() -> None:
    async def test(site: Site, client: Client) -> None:
        fault = site.inject("unanswered", target="backend", path="/callback")
        await client.submit(*(f"t.{number}" for number in range(6)), seconds=0.1)
        await asyncio.sleep(4)
        assert not site.notes("webhook.tried")
        assert site.figures["webhooks"] == 6
        await asyncio.sleep(2)
        assert len(site.notes("webhook.tried")) == 2  # two at once, for five seconds
        site.world.undo(fault)
        await asyncio.sleep(20)
        assert len(client.called) == 6

    play_site(test, settings={"webhooks_at_once": 2, "webhook_timeout_s": 5.0})


def test_of_one_task_there_is_never_more_than_one_call_at_once() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        underway: list[int] = [0, 0]

        async def slowly() -> None:
            underway[0] += 1
            underway[1] = max(underway)
            await asyncio.sleep(1)
            underway[0] -= 1

        client.answers = slowly
        client.takes = lambda task: False
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.say("INSTANCE_OFFLINE", instanceId="a", reason="crashed")
        await bridge.done("t", "a")
        await asyncio.sleep(5)
        assert client.told("t") == ["OFFERED", "SUCCESS"]
        assert underway == [0, 1]

    play_scripted(test)


def test_what_an_answer_means_is_stored_when_the_store_is_back() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        async def slowly() -> None:
            await asyncio.sleep(0.2)

        client.answers = slowly
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.say("INSTANCE_OFFLINE", instanceId="a", reason="crashed")
        await asyncio.sleep(0.1)
        await site.fault(5, "store_down", target="dispatcher")
        await asyncio.sleep(10)
        # It was answered once, and not asked again: the answer was kept.
        assert client.told("t") == ["OFFERED"]
        assert site.figures["offered"] == site.figures["webhooks"] == 0

    play_scripted(test)
