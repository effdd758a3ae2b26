"""The channels of the backend: who is let in, and what is answered (RT-W1, W2, W6)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted, settle
from stuck_kit import StuckChannel
from windtunnel.services.wire.messages import message


@pytest.mark.spec("RT-W1")
def test_a_backend_with_a_token_is_acknowledged_and_told_the_capacity() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.connect()
        await settle()
        assert client.received[0] == {
            "type": "CONNECT_ACK",
            "data": {"serverId": "message-dispatcher", "timestamp": "1970-01-01T00:00:00.010Z"},
        }
        assert client.received[1]["type"] == "CAPACITY_UPDATE"
        assert site.figures["backends"] == 1

    play_scripted(test)


@pytest.mark.spec("RT-W1", "F-R26")
@pytest.mark.parametrize("token", ["", "x", 7])
def test_a_stranger_is_refused(token: Any) -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.connect(token)
        await asyncio.sleep(0.1)
        assert client.received == []
        assert client.closed_at is not None
        assert site.figures["backends"] == 0

    play_scripted(test)


@pytest.mark.spec("RT-W2")
def test_heartbeats_are_answered_and_silence_ends_the_channel() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        channel = await client.connect()
        for _ in range(4):
            await asyncio.sleep(30)
            await channel.send(message("HEARTBEAT", timestamp="x"))
        last = site.world.loop.time()
        await asyncio.sleep(100)
        acks = [each for each in client.received if each["type"] == "HEARTBEAT_ACK"]
        assert len(acks) == 4
        assert client.closed_at == pytest.approx(last + 90)
        assert site.figures["backends"] == 0

    play_scripted(test)


@pytest.mark.spec("RT-W6")
def test_what_is_unknown_or_broken_is_passed_over() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        channel = await client.connect()
        await settle()
        unread: list[Any] = [{"type": "TASK_ALLOCATION", "data": {}}, {"data": {}}, {"type": 7}, {}]
        for sent in unread:
            await channel.send(sent)
        await channel.send(message("CONNECT", token=client.token))
        await channel.send({"type": "HEARTBEAT", "data": "x"})
        await channel.send(message("HEARTBEAT"))
        await settle()
        assert client.received[-1]["type"] == "HEARTBEAT_ACK"
        why = [details["why"] for _, details in site.notes("message.ignored")]
        assert why == ["unknown", "broken", "broken", "broken", "repeated", "broken"]

    play_scripted(test)


@pytest.mark.spec("RT-W4")
def test_one_that_takes_no_messages_is_cut_off_and_reports_go_on() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.connect()
        await settle()
        stuck = StuckChannel()
        backends = site.lives[-1]._backends
        backends._all = {stuck: None, **backends._all}
        await bridge.join(a=None)
        assert len(client.reports) == 1
        await asyncio.sleep(6)
        assert client.reports[-1][1]["summary"]["totalInstances"] == 1
        assert stuck.closed
        assert site.figures["backends"] == 1

    play_scripted(test)
