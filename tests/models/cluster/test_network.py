"""The network: who is there, how long things take, what gets lost, and what breaks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from net_kit import (
    PORT,
    Lan,
    Listening,
    get,
    never_ends,
    number,
    play_on_hosts,
    refuse,
    url,
    within,
)
from windtunnel.ports.network import ChannelClosedError, Network, UnreachableError
from windtunnel.units import MS


def test_a_host_without_a_program_takes_part_until_it_is_killed() -> None:
    async def body(lan: Lan) -> None:
        log: list[str] = []
        station = lan.network.host("world")
        assert isinstance(station, Network)
        station.serve(PORT, refuse)

        async def tick() -> None:
            while True:
                await asyncio.sleep(1)
                log.append("tick")

        station.life.create_task(tick(), "tick")
        network = (await lan.host("a")).network
        assert (await network.request(get("world"))).status == 404
        assert lan.network.is_up("world")
        with pytest.raises(ValueError, match="`world` is there already"):
            lan.network.host("world")
        await asyncio.sleep(2)
        lan.network.kill("world")
        lan.network.kill("world")
        assert not lan.network.is_up("world")
        with pytest.raises(UnreachableError):
            await network.request(get("world"))
        assert await never_ends(station.request(get("a")), 10)
        assert log == ["tick", "tick"]
        assert lan.network.names == ("a", "world")

    play_on_hosts(body)


@pytest.mark.parametrize(
    ("latency", "least", "most"), [(0, 0, 0), (MS, 2, 2), ({"min": MS, "max": 3 * MS}, 2, 6)]
)
def test_each_way_takes_a_latency(latency: Any, least: float, most: float) -> None:
    async def body(lan: Lan) -> None:
        await lan.host("b", handler=refuse)
        network = (await lan.host("a")).network
        took = set()
        for _ in range(50):
            before = lan.now_ms
            await network.request(get("b"))
            took.add(round(lan.now_ms - before, 6))
        assert least <= min(took)
        assert max(took) <= most
        assert (len(took) > 20) is (least != most)

    play_on_hosts(body, latency=latency)


@pytest.mark.parametrize(("loss", "least", "most"), [(0.0, 0, 0), (0.2, 50, 130), (1.0, 200, 200)])
def test_a_share_of_all_that_is_sent_is_lost(loss: float, least: int, most: int) -> None:
    async def body(lan: Lan) -> None:
        await lan.host("b", handler=refuse)
        network = (await lan.host("a")).network
        calls = [asyncio.create_task(network.request(get("b"))) for _ in range(200)]
        _, unanswered = await asyncio.wait(calls, timeout=10)
        assert least <= len(unanswered) <= most
        for call in unanswered:
            call.cancel()

    play_on_hosts(body, loss=loss)


def test_what_is_lost_of_a_channel_leaves_a_gap() -> None:
    async def body(lan: Lan) -> None:
        listening = Listening(lan)
        await lan.host("b", on_channel=listening)
        network = (await lan.host("a")).network
        channel = None
        while channel is None:  # its opening may be lost too
            try:
                channel = await within(1, network.connect(url("b")))
            except TimeoutError:
                continue
        for n in range(200):
            await channel.send(number(n))
        await asyncio.sleep(1)
        assert listening.came == sorted(set(listening.came))
        assert 120 < len(listening.came) < 190
        await channel.close()  # a close is repeated until it comes
        await asyncio.sleep(1)
        assert len(listening.ends) >= 1

    play_on_hosts(body, loss=0.2)


def test_seeds_decide_what_is_drawn() -> None:
    async def body(lan: Lan) -> None:
        await lan.host("b", handler=refuse)
        network = (await lan.host("a")).network
        for _ in range(10):
            await network.request(get("b"))
        ends.append(lan.now_ms)

    ends: list[float] = []
    for seed in (1, 1, 2):
        play_on_hosts(body, seed=seed, latency={"min": 0, "max": 10**9})
    assert ends[0] == ends[1] != ends[2]


def test_connections_that_break_are_those_between_the_two() -> None:
    async def body(lan: Lan) -> None:
        listening = {name: Listening(lan) for name in "bc"}
        for name in "bc":
            await lan.host(name, handler=hang, on_channel=listening[name])
        network = (await lan.host("a")).network
        channels = {name: await network.connect(url(name)) for name in "bc"}
        requests = {name: asyncio.create_task(network.request(get(name))) for name in "bc"}
        await asyncio.sleep(1)
        lan.network.break_all(["a", "b"])
        await asyncio.sleep(0)
        with pytest.raises(UnreachableError, match="the connection was reset"):
            await within(0.0001, requests["b"])
        await asyncio.sleep(1)
        assert not requests["c"].done()
        assert [len(listening[name].ends) for name in "bc"] == [1, 0]
        await channels["c"].send(number(1))
        await asyncio.sleep(1)
        assert listening["c"].came == [1]
        requests["c"].cancel()

    async def hang(request: Any) -> Any:
        await asyncio.sleep(3600)

    play_on_hosts(body)


@pytest.mark.parametrize("between", [("a", "b"), ("b", "a")])
def test_who_knows_of_a_break_first_does_not_depend_on_how_it_was_said(
    between: tuple[str, str],
) -> None:
    async def body(lan: Lan) -> None:
        listening = Listening(lan)
        await lan.host("b", on_channel=listening)
        channel = await (await lan.host("a")).network.connect(url("b"))
        log: list[str] = []

        async def wait_for_its_end() -> None:
            with pytest.raises(ChannelClosedError):
                await channel.receive()
            log.append(f"a, then {len(listening.ends)} at b")

        waiting = asyncio.create_task(wait_for_its_end())
        await asyncio.sleep(1)
        lan.network.break_all(between)
        await waiting
        assert log == ["a, then 0 at b"]

    play_on_hosts(body)
