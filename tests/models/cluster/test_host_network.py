"""The network as one host sees it: what it serves, and what its life has to do with it."""

from __future__ import annotations

import asyncio

import pytest

from net_kit import PORT, Lan, Listening, get, number, play_on_hosts, refuse, url
from windtunnel.ports.network import Network, Request, Response, UnreachableError


def test_it_is_a_network() -> None:
    async def body(lan: Lan) -> None:
        assert isinstance((await lan.host("a")).network, Network)

    play_on_hosts(body)


def test_a_port_is_taken_once_in_a_life() -> None:
    async def body(lan: Lan) -> None:
        network = (await lan.host("a", handler=refuse)).network
        with pytest.raises(ValueError, match="port 4000 of a is taken"):
            network.serve(PORT, refuse)
        network.serve(PORT + 1, refuse)
        lan.hosts.crash("a")
        lan.hosts.restart("a")
        await asyncio.sleep(0)
        with pytest.raises(UnreachableError):
            await network_of(lan, "a").request(Request("GET", f"http://a:{PORT + 1}/x"))

    play_on_hosts(body)


def network_of(lan: Lan, name: str) -> Network:
    return lan.lives[name][-1].network


def test_a_host_reaches_itself() -> None:
    async def body(lan: Lan) -> None:
        network = (await lan.host("a", handler=refuse)).network
        assert (await network.request(get("a"))).status == 404

    play_on_hosts(body)


def test_a_channel_passes_on_path_and_headers() -> None:
    async def body(lan: Lan) -> None:
        listening = Listening(lan)
        await lan.host("b", on_channel=listening)
        network = (await lan.host("a")).network
        await network.connect(url("b", "/channel?x=1"), {"apikey": "k"})
        (far,) = listening.channels
        assert (far.path, far.headers) == ("/channel", {"apikey": "k"})  # type: ignore[attr-defined]

    play_on_hosts(body)


def test_what_a_server_sends_at_once_is_there_when_the_channel_is() -> None:
    async def body(lan: Lan) -> None:
        async def greet(channel: object) -> None:
            await channel.send(number(1))  # type: ignore[attr-defined]
            await channel.receive()  # type: ignore[attr-defined]

        await lan.host("b", on_channel=greet)
        channel = await (await lan.host("a")).network.connect(url("b"))
        assert (await channel.receive())["data"]["n"] == 1

    play_on_hosts(body, latency={"min": 0, "max": 10**9})


def test_handlers_end_with_their_host() -> None:
    async def body(lan: Lan) -> None:
        steps: list[int] = []

        async def count(request: Request) -> Response:
            for step in range(100):
                steps.append(step)
                await asyncio.sleep(1)
            return Response(200)

        await lan.host("b", handler=count)
        requesting = asyncio.create_task((await lan.host("a")).network.request(get("b")))
        await asyncio.sleep(2.5)
        lan.hosts.crash("b")
        await asyncio.sleep(10)
        assert steps == [0, 1, 2]
        with pytest.raises(UnreachableError):
            await requesting

    play_on_hosts(body)
