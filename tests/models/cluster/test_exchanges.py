"""Exchanges: what a request meets, and what comes back, whatever happens to either side."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from net_kit import PORT, Lan, Listening, get, never_ends, play_on_hosts, url, within
from windtunnel.errors import WorldError
from windtunnel.ports.network import Request, Response, UnreachableError
from windtunnel_models.cluster.exchanges import place_of
from windtunnel_models.errors import BackgroundError


class Server:
    """Answers after `seconds`, and keeps what it has seen."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.seen: list[Any] = []
        self.answered = 0

    async def __call__(self, request: Request) -> Response:
        self.seen.append(request.body)
        await asyncio.sleep(self.seconds)
        self.answered += 1
        return Response(200, {"ok": request.body})


async def two(lan: Lan, server: Any) -> Any:
    """Give the network of a; b serves."""
    await lan.host("b", handler=server)
    return (await lan.host("a")).network


def test_a_request_takes_two_latencies_and_what_the_handler_takes() -> None:
    async def body(lan: Lan) -> None:
        network = await two(lan, Server(0.5))
        assert await network.request(get("b", body={"n": 1})) == Response(200, {"ok": {"n": 1}})
        assert lan.now_ms == 502

    play_on_hosts(body)


def test_requests_are_served_at_once_each_in_a_task_of_its_own() -> None:
    async def body(lan: Lan) -> None:
        network = await two(lan, Server(0.5))
        await asyncio.gather(*(network.request(get("b")) for _ in range(10)))
        assert lan.now_ms == 502

    play_on_hosts(body)


@pytest.mark.parametrize("where", ["http://b:1/x", "http://nobody:4000/x"])
def test_where_nobody_listens_a_request_is_refused_after_the_way_there_and_back(
    where: str,
) -> None:
    async def body(lan: Lan) -> None:
        network = await two(lan, Server())
        with pytest.raises(UnreachableError, match="nobody listens there"):
            await network.request(Request("GET", where))
        with pytest.raises(UnreachableError, match="nobody listens there"):
            await network.connect(where)
        assert lan.now_ms == 4

    play_on_hosts(body)


def test_where_no_channels_are_served_none_is_opened() -> None:
    async def body(lan: Lan) -> None:
        network = await two(lan, Server())
        with pytest.raises(UnreachableError):
            await network.connect(url("b"))

    play_on_hosts(body)


def test_a_handler_that_raises_is_a_response_500(caplog: pytest.LogCaptureFixture) -> None:
    async def body(lan: Lan) -> None:
        async def handler(request: Request) -> Response:
            raise KeyError(request.url)

        network = await two(lan, handler)
        assert await network.request(get("b")) == Response(500, {"error": "KeyError"})

    play_on_hosts(body)
    assert "the handler raised" in caplog.text


def test_a_handler_in_which_a_group_fails_is_a_response_500() -> None:
    async def fails() -> None:
        raise KeyError("in a group")

    async def body(lan: Lan) -> None:
        async def handler(request: Request) -> Response:
            async with asyncio.TaskGroup() as group:
                group.create_task(fails())
            return Response(200)

        network = await two(lan, handler)
        assert (await within(1, network.request(get("b")))).status == 500

    play_on_hosts(body)


def test_a_handler_that_is_cancelled_by_what_it_awaits_is_a_response_500() -> None:
    async def body(lan: Lan) -> None:
        async def handler(request: Request) -> Response:
            future = asyncio.get_running_loop().create_future()
            future.cancel()
            await future
            return Response(200)

        network = await two(lan, handler)
        assert (await within(1, network.request(get("b")))).status == 500

    play_on_hosts(body)


@pytest.mark.parametrize(
    "error", [WorldError("broken"), ExceptionGroup("in", [KeyError(), WorldError("broken")])]
)
def test_a_handler_that_meets_a_broken_world_ends_the_run(error: Exception) -> None:
    async def body(lan: Lan) -> None:
        async def handler(request: Request) -> Response:
            raise error

        network = await two(lan, handler)
        assert await never_ends(network.request(get("b")), 1)
        lan.hosts.crash("b")

    with pytest.raises(BackgroundError, match="broken"):
        play_on_hosts(body)


@pytest.mark.parametrize(
    ("crash_at", "seen", "known_at"),
    [(0.0005, 0, 2), (0.2, 1, 201), (0.5015, 1, None)],
    ids=["on its way", "at work", "answered"],
)
def test_a_server_that_crashes_resets_what_it_has_not_answered(
    crash_at: float, seen: int, known_at: float | None
) -> None:
    async def body(lan: Lan) -> None:
        server = Server(0.5)
        network = await two(lan, server)
        asyncio.get_running_loop().call_later(crash_at, lan.hosts.crash, "b")
        if known_at is None:
            assert (await network.request(get("b"))).status == 200
            return
        with pytest.raises(UnreachableError):
            await network.request(get("b"))
        assert lan.now_ms == known_at
        await asyncio.sleep(10)
        assert (len(server.seen), server.answered) == (seen, 0)

    play_on_hosts(body)


def test_a_server_does_not_care_that_its_client_has_crashed() -> None:
    async def body(lan: Lan) -> None:
        server = Server(0.5)
        network = await two(lan, server)
        requesting = asyncio.create_task(network.request(get("b")))
        await asyncio.sleep(0.1)
        lan.hosts.crash("a")
        await asyncio.sleep(10)
        assert server.answered == 1
        assert not requesting.done()  # it is this test's task, not the program's
        requesting.cancel()

    play_on_hosts(body)


def test_a_request_given_up_is_served_all_the_same() -> None:
    async def body(lan: Lan) -> None:
        server = Server(0.5)
        network = await two(lan, server)
        with pytest.raises(TimeoutError):
            await within(0.1, network.request(get("b")))
        await asyncio.sleep(10)
        assert server.answered == 1
        assert not lan.network.exchanges

    play_on_hosts(body)


def test_a_channel_whose_opening_was_given_up_is_closed_at_the_far_end() -> None:
    async def body(lan: Lan) -> None:
        listening = Listening(lan)
        await lan.host("b", on_channel=listening)
        network = (await lan.host("a")).network
        async with lan.fault("accept_late", target="b", path="/x", by=10**9):
            with pytest.raises(TimeoutError):
                await within(0.5, network.connect(url("b")))
        await asyncio.sleep(10)
        assert listening.ends == ["ChannelClosedError at 501"]

    play_on_hosts(body)


@pytest.mark.parametrize("wrong", ["b:4000/x", "http://b/x", "http://:80/x", ""])
def test_what_is_no_url_is_refused(wrong: str) -> None:
    async def body(lan: Lan) -> None:
        network = await two(lan, Server())
        with pytest.raises(ValueError, match=f"`{wrong}` is no URL"):
            await network.request(Request("GET", wrong))
        with pytest.raises(ValueError, match=f"`{wrong}` is no URL"):
            await network.connect(wrong)
        assert not lan.network.exchanges

    play_on_hosts(body)


def test_a_place_is_host_and_port() -> None:
    assert place_of("ws://bridge-0:4000/channel?x=http://y:1/") == ("bridge-0", 4000)


@pytest.mark.parametrize("seed", range(20))
def test_a_late_answer_never_overtakes_the_news_of_a_crash(seed: int) -> None:
    async def body(lan: Lan) -> None:
        answered = asyncio.Event()

        async def handler(request: Request) -> Response:
            answered.set()
            return Response(200)

        network = await two(lan, handler)
        lan.inject("accept_late", target="b", path="/x", by=10**6)
        asking = asyncio.create_task(network.request(get("b")))
        await answered.wait()
        lan.hosts.crash("b")
        with pytest.raises(UnreachableError):
            await asking

    play_on_hosts(body, seed=seed, latency={"min": 0, "max": 10**7})


def test_a_handler_that_the_end_of_the_run_cuts_short_is_no_failure(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def body(lan: Lan) -> None:
        network = await two(lan, Server(1000))
        assert await never_ends(network.request(get("b")), 1)
        lan.network.host("world").serve(PORT, Server(1000))
        assert await never_ends(network.request(get("world")), 1)
        await lan.host("c", on_channel=Listening(lan))
        await network.connect(url("c"))
        await asyncio.sleep(1)

    play_on_hosts(body)
    assert caplog.text == ""


def test_a_dead_program_opens_no_channel() -> None:
    async def body(lan: Lan) -> None:
        listening = Listening(lan)
        await lan.host("b", on_channel=listening)
        network = (await lan.host("a")).network
        opening = asyncio.create_task(network.connect(url("b")))  # this test's task: it goes on
        await asyncio.sleep(0.0005)
        lan.hosts.crash("a")
        await asyncio.sleep(1)
        assert listening.channels == []
        opening.cancel()

    play_on_hosts(body)
