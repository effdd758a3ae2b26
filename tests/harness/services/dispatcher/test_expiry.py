"""The expiry: what is pending for over 30 minutes ends, and its owner is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted

pytestmark = pytest.mark.spec("RT-D6")

HOPEFUL = {"dead_after_s": 7200.0}
"""With these settings a task without an instance is not offered before it expires."""


def test_a_pending_task_expires_at_its_instant_and_a_running_one_does_not() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        begun = site.world.loop.time()
        await client.submit("runs", "waits")
        await bridge.keep_alive(60, a=("runs", 1))
        await client.submit("later")
        await bridge.keep_alive(1740, a=("runs", 1))
        assert not client.called
        await bridge.keep_alive(1, a=("runs", 1))
        (when, told), *_ = client.called
        assert when == pytest.approx(begun + 1800, abs=1e-6)
        assert (told["client_task_id"], told["status"]) == ("waits", "EXPIRED")
        assert told["error"] == "pending for over 30min"
        assert (await client.query("waits"))["status"] == "EXPIRED"
        await bridge.keep_alive(60, a=("runs", 1))
        assert client.told("later") == ["EXPIRED"]
        await bridge.done("runs", "a")
        assert client.told("runs") == ["SUCCESS"]

    play_scripted(test)


@pytest.mark.spec("F-R2")
def test_as_listed_nothing_expires() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t")
        await asyncio.sleep(3000)
        assert not client.called
        assert site.figures["pending"] == 1

    play_scripted(test, options={"expiry": "never"}, settings=HOPEFUL)


def test_age_outlives_a_restart() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        begun = site.world.loop.time()
        await client.submit("t")
        await asyncio.sleep(1700)
        await site.fault(50, "crash", target="dispatcher")
        await asyncio.sleep(100)
        assert [when for when, _ in client.called] == [pytest.approx(begun + 1800, abs=1e-6)]

    play_scripted(test, settings=HOPEFUL)


def test_one_that_went_back_after_long_work_expires_at_once() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.keep_alive(1900, a=("t", 1))
        client.takes = lambda task: False
        await bridge.say("INSTANCE_OFFLINE", instanceId="a", reason="crashed")
        await asyncio.sleep(5)
        assert client.told("t")[-1] == "EXPIRED"

    play_scripted(test)


def test_while_the_store_is_down_it_waits() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t")
        await asyncio.sleep(1795)
        await site.fault(10, "store_down", target="dispatcher")
        await asyncio.sleep(3)
        assert client.told("t") == ["EXPIRED"]

    play_scripted(test, settings=HOPEFUL)


def test_one_that_is_given_out_at_that_instant_does_not_expire() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t", "u")
        queue = site.lives[-1]._shared.queue
        real = queue.complete

        async def complete(*args: Any) -> Any:
            queue.complete = real  # type: ignore[method-assign]
            assert await queue.claim(queue.tables.pending["u"], "a", "b", 1) is not None
            return await real(*args)

        queue.complete = complete  # type: ignore[assignment, method-assign]
        await asyncio.sleep(1801)
        assert client.told("t") == ["EXPIRED"]
        assert client.told("u") == []
        assert site.books.places["u"] == "processing"

    play_scripted(test, settings=HOPEFUL)
