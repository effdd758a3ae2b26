"""Channels: in order and exactly once, and closed so that both ends come to know."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net_kit import Lan, Listening, never_ends, number, play_on_hosts, url, within
from windtunnel.ports.network import Channel, ChannelClosedError
from windtunnel.units import MS
from windtunnel.world import Ties

DRAWN = {"min": 0, "max": 20 * MS}


async def connected(lan: Lan) -> tuple[Channel, Listening]:
    """Give a channel from a to b, and who listens at b."""
    listening = Listening(lan)
    if not lan.hosts.is_up("b"):
        await lan.host("b", on_channel=listening)
    if not lan.hosts.is_up("a"):
        await lan.host("a")
    channel = await within(1, lan.lives["a"][-1].network.connect(url("b", "/channel")))
    return channel, listening


@given(
    pauses=st.lists(st.integers(0, 30), max_size=30),
    latency=st.sampled_from([0, MS, DRAWN]),
    seed=st.integers(0, 9),
    ties=st.sampled_from([Ties(), Ties("lifo"), Ties("seeded", 1)]),
)
def test_in_each_direction_messages_come_in_order_and_exactly_once(
    pauses: list[int], latency: Any, seed: int, ties: Ties
) -> None:
    async def body(lan: Lan) -> None:
        back: list[int] = []

        async def echo(channel: Channel) -> None:
            while True:
                await channel.send(await channel.receive())

        async def take(channel: Channel) -> None:
            while True:
                back.append((await channel.receive())["data"]["n"])

        await lan.host("b", on_channel=echo)
        channel, _ = await connected(lan)
        taking = asyncio.create_task(take(channel))
        for n, pause in enumerate(pauses):
            await channel.send(number(n))
            await asyncio.sleep(pause / 1000)
        await asyncio.sleep(1)
        assert back == list(range(len(pauses)))
        taking.cancel()

    play_on_hosts(body, latency=latency, seed=seed, ties=ties)


def test_an_end_knows_its_peer_and_what_it_was_opened_with() -> None:
    async def body(lan: Lan) -> None:
        channel, listening = await connected(lan)
        assert isinstance(channel, Channel)
        assert channel.peer == "b"
        (far,) = listening.channels
        assert far.peer == "a"
        assert far.path == "/channel"  # type: ignore[attr-defined]

    play_on_hosts(body)


def test_a_receive_that_is_cancelled_takes_no_message_with_it() -> None:
    async def body(lan: Lan) -> None:
        channel, listening = await connected(lan)
        (far,) = listening.channels
        for n in range(5):
            receiving = asyncio.create_task(channel.receive())
            await asyncio.sleep(0)
            # The message comes, and at the same instant the receiver is cancelled.
            await far.send(number(n))
            asyncio.get_running_loop().call_later(0.001, receiving.cancel)
            with pytest.raises(asyncio.CancelledError):
                await receiving
            assert (await within(1, channel.receive()))["data"]["n"] == n

    play_on_hosts(body)


def test_two_do_not_receive_at_once() -> None:
    async def body(lan: Lan) -> None:
        channel, _ = await connected(lan)
        receiving = asyncio.create_task(channel.receive())
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="another task receives on the channel to b"):
            await channel.receive()
        receiving.cancel()

    play_on_hosts(body)


def test_a_close_comes_behind_all_messages() -> None:
    async def body(lan: Lan) -> None:
        channel, listening = await connected(lan)
        for n in range(3):
            await channel.send(number(n))
        await channel.close()
        await channel.close()
        with pytest.raises(ChannelClosedError, match="the channel to b is closed"):
            await channel.send(number(3))
        with pytest.raises(ChannelClosedError):
            await channel.receive()
        await asyncio.sleep(1)
        assert listening.came == [0, 1, 2]
        assert listening.ends == ["ChannelClosedError at 3"]

    play_on_hosts(body)


def test_what_has_come_can_be_received_after_the_other_end_has_closed() -> None:
    async def body(lan: Lan) -> None:
        channel, listening = await connected(lan)
        (far,) = listening.channels
        await far.send(number(1))
        await far.close()
        await asyncio.sleep(1)
        with pytest.raises(ChannelClosedError):
            await channel.send(number(2))
        assert (await channel.receive())["data"]["n"] == 1
        with pytest.raises(ChannelClosedError):
            await channel.receive()

    play_on_hosts(body)


def test_closing_ends_a_receive_that_waits() -> None:
    async def body(lan: Lan) -> None:
        channel, _ = await connected(lan)
        receiving = asyncio.create_task(channel.receive())
        await asyncio.sleep(0)
        await channel.close()
        with pytest.raises(ChannelClosedError):
            await within(1, receiving)

    play_on_hosts(body)


@pytest.mark.parametrize("raises", [False, True])
def test_when_serving_a_channel_is_over_the_channel_is_closed(
    raises: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def body(lan: Lan) -> None:
        async def serve(channel: Channel) -> None:
            await channel.receive()
            if raises:
                raise ValueError("served badly")

        await lan.host("b", on_channel=serve)
        channel, _ = await connected(lan)
        await channel.send(number(1))
        with pytest.raises(ChannelClosedError):
            await within(1, channel.receive())
        assert lan.now_ms == 4

    play_on_hosts(body)
    assert ("served badly" in caplog.text) is raises


def test_a_crash_breaks_a_channel_behind_what_was_sent() -> None:
    async def body(lan: Lan) -> None:
        channel, listening = await connected(lan)
        (far,) = listening.channels
        await far.send(number(1))
        lan.hosts.crash("b")
        assert (await within(1, channel.receive()))["data"]["n"] == 1
        with pytest.raises(ChannelClosedError):
            await within(1, channel.receive())
        assert lan.now_ms == 3
        assert await never_ends(far.send(number(2)), 10)

    play_on_hosts(body)


def test_who_sends_to_an_end_that_is_gone_comes_to_know() -> None:
    async def body(lan: Lan) -> None:
        channel, listening = await connected(lan)
        async with lan.fault("silent", between=["a", "b"]):
            lan.hosts.crash("b")
            await asyncio.sleep(1)
            await channel.send(number(1))
            await asyncio.sleep(1)
        await channel.send(number(2))
        await asyncio.sleep(0.003)
        with pytest.raises(ChannelClosedError):
            await channel.send(number(3))
        assert listening.came == []

    play_on_hosts(body)


def test_a_message_to_a_dead_program_is_not_taken_by_its_next_life() -> None:
    async def body(lan: Lan) -> None:
        channel, listening = await connected(lan)
        await channel.send(number(1))
        lan.hosts.crash("b")
        lan.hosts.restart("b")
        await asyncio.sleep(1)
        assert listening.came == []
        again, _ = await connected(lan)
        await again.send(number(2))
        await asyncio.sleep(1)
        assert listening.came == [2]

    play_on_hosts(body)


def test_what_has_come_is_let_go_of_by_who_closes() -> None:
    async def body(lan: Lan) -> None:
        channel, listening = await connected(lan)
        (far,) = listening.channels
        await far.send(number(1))
        await asyncio.sleep(1)
        await channel.close()
        with pytest.raises(ChannelClosedError):
            await channel.receive()

    play_on_hosts(body)


def test_a_crash_of_who_opened_a_channel_breaks_it_too() -> None:
    async def body(lan: Lan) -> None:
        channel, listening = await connected(lan)
        await channel.send(number(1))
        lan.hosts.crash("a")
        await asyncio.sleep(1)
        assert listening.came == [1]
        assert listening.ends == ["ChannelClosedError at 3"]

    play_on_hosts(body)
