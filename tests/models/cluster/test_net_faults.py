"""Faults of hosts and networks: each has its effect, tells when it has had it, and is undone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from net_kit import (
    BETWEEN,
    EXAMPLES,
    Pair,
    fault_events,
    never_ends,
    url,
    within,
)
from net_kit import play_with_a_pair as play
from windtunnel.errors import FaultError
from windtunnel.ports.network import ChannelClosedError, Response, UnreachableError
from windtunnel.units import MS, SECOND
from windtunnel_models.cluster.net_faults import KINDS

AT_ONCE = ("crash", "flap")
"""Which change the world at once; the others lie in wait."""


# ---------------------------------------------------------------- every kind


def test_every_kind_has_an_example() -> None:
    assert EXAMPLES.keys() == KINDS.keys()


@pytest.mark.parametrize("do", EXAMPLES)
def test_a_fault_that_meets_nothing_is_undone_without_a_trace_of_it(do: str) -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault(do, **EXAMPLES[do]):
            pass
        await asyncio.sleep(1)
        assert (await within(1, pair.ask(1))).status == 200
        assert pair.seen == [1]
        assert await pair.lan.lives["b"][-1].store.count("k") == 0
        if do not in AT_ONCE:
            await pair.tell(1)
            await asyncio.sleep(1)
            assert pair.listening.came == [1]

    affected = ["affected"] if do in AT_ONCE else []
    assert fault_events(play(body)) == ["injected", *affected, "undone"]


@pytest.mark.parametrize("do", EXAMPLES)
def test_a_host_that_is_not_there_is_no_target(do: str) -> None:
    async def body(pair: Pair) -> None:
        args = dict(EXAMPLES[do])
        key = "target" if "target" in args else "between"
        args[key] = ["a", "mars"] if key == "between" else "mars"
        with pytest.raises(FaultError, match=r"no host `mars` \(there are: b, c, a\)"):
            pair.lan.inject(do, **args)

    play(body)


@pytest.mark.parametrize(
    ("do", "args", "message"),
    [
        ("crash", {"target": []}, "names no host"),
        ("silent", {"between": ["a", "a"]}, "is two hosts, such as"),
        ("lose", {"between": ["a", "b", "c"]}, "is two hosts, such as"),
        ("lose", {"between": BETWEEN, "share": 1.5}, "from 0 to 1, not 1.5"),
        ("lose", {"between": BETWEEN, "times": 0}, "is at least 1, not 0"),
        ("delay", {"between": BETWEEN, "by": -1}, "no negative duration"),
        ("reject", {"target": ["a", "b"], "status": 500}, "`target` of `the-reject` is one host"),
    ],
)
def test_what_means_nothing_is_refused(do: str, args: dict[str, Any], message: str) -> None:
    async def body(pair: Pair) -> None:
        with pytest.raises(FaultError, match=message):
            pair.lan.inject(do, **args)

    play(body)


# ---------------------------------------------------------------- crash and store


def test_a_crash_is_over_when_the_program_runs_again() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("crash", target=["b", "c"]):
            assert pair.lan.affected == [""]
            assert not pair.lan.hosts.is_up("b")
            with pytest.raises(UnreachableError):
                await pair.ask()
            with pytest.raises(ChannelClosedError):
                await within(1, pair.channel.receive())
        await asyncio.sleep(0)
        assert (await pair.ask()).status == 200
        assert len(pair.lan.lives["b"]) == len(pair.lan.lives["c"]) == 2

    play(body)


def test_a_crash_of_what_is_down_cannot_be() -> None:
    async def body(pair: Pair) -> None:
        pair.lan.hosts.crash("b")
        with pytest.raises(FaultError, match="`b` is not up at that instant"):
            pair.lan.inject("crash", target="b")

    play(body)


def test_a_host_stopped_meanwhile_stays_stopped() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("crash", target="b"):
            await pair.lan.hosts.stop("b")
        assert not pair.lan.hosts.is_up("b")

    play(body)


# ---------------------------------------------------------------- partition, silent, flap


def test_a_partition_lets_nothing_through_until_it_is_over() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("partition", target="b"):
            asking = asyncio.create_task(pair.ask(7))
            given_up = asyncio.create_task(within(1, pair.ask(8)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await pair.tell(1, 2)
            assert (await pair.ask(9, host="c")).status == 200
            await asyncio.sleep(10)
            assert not asking.done()
            assert pair.seen == [9]
            assert pair.listening.came == []
            assert pair.lan.affected == ["t.7"]
            with pytest.raises(TimeoutError):
                await given_up
        await pair.tell(3)
        await asyncio.sleep(0.01)
        # What was given up meanwhile comes no more.
        assert pair.seen == [9, 7]
        assert pair.listening.came == [1, 2, 3]
        assert (await asking).status == 200

    play(body)


def test_a_partition_holds_answers_too() -> None:
    async def body(pair: Pair) -> None:
        asking = asyncio.create_task(pair.ask(7))
        await asyncio.sleep(0.0015)
        assert pair.seen == [7]
        async with pair.lan.fault("partition", target=["a"]):
            await asyncio.sleep(10)
            assert not asking.done()
        assert (await within(0.0001, asking)).status == 200

    play(body)


def test_hosts_cut_off_together_reach_one_another() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("partition", target=["a", "b"]):
            assert (await within(1, pair.ask(1))).status == 200
            assert await never_ends(pair.ask(2, host="c"), 10)

    play(body)


def test_what_a_channel_closed_during_a_partition_has_held_comes_no_more() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("partition", target="b"):
            await pair.tell(1, 2)
            await asyncio.sleep(1)
            await pair.channel.close()
            await asyncio.sleep(1)
            assert pair.listening.ends == []
        await asyncio.sleep(1)
        assert pair.listening.came == []
        assert len(pair.listening.ends) == 1

    play(body)


def test_a_crash_behind_a_partition_is_known_when_that_is_over() -> None:
    async def body(pair: Pair) -> None:
        asking = asyncio.create_task(within(100, pair.ask(1, "/slow")))
        async with pair.lan.fault("partition", target="b"):
            pair.lan.hosts.crash("b")
            assert await never_ends(pair.channel.receive(), 10)
            assert not asking.done()
        with pytest.raises(ChannelClosedError):
            await within(1, pair.channel.receive())
        with pytest.raises(UnreachableError):
            await asking

    play(body)


def test_silence_loses_what_channels_carry_and_lets_requests_through() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("silent", between=BETWEEN):
            assert (await pair.ask()).status == 200
            assert pair.lan.affected == []
            await pair.tell(1, 2)
            await asyncio.sleep(10)
            assert pair.lan.affected == [""]
            channel = await within(1, pair.network.connect(url("b")))
            assert await never_ends(channel.receive(), 10)
        await pair.tell(3)
        await asyncio.sleep(1)
        assert pair.listening.came == [3]
        assert pair.listening.ends == []

    play(body)


def test_a_flap_breaks_all_channels_at_once_and_refuses_new_connections() -> None:
    async def body(pair: Pair) -> None:
        receiving = asyncio.create_task(pair.channel.receive())
        asking = asyncio.create_task(pair.ask(1))
        await asyncio.sleep(0)
        await pair.tell(1)
        async with pair.lan.fault("flap", between=BETWEEN):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            with pytest.raises(ChannelClosedError):
                await within(0.0001, receiving)
            with pytest.raises(UnreachableError, match="reset"):
                await within(0.0001, asking)
            with pytest.raises(ChannelClosedError):
                await pair.tell(2)
            with pytest.raises(UnreachableError):
                await pair.ask(2)
            with pytest.raises(UnreachableError):
                await pair.network.connect(url("b"))
            assert (await pair.ask(3, host="c")).status == 200
            await asyncio.sleep(1)
        assert pair.listening.came == []
        assert pair.seen == [3]
        assert len(pair.listening.ends) == 1
        pair.channel = await pair.network.connect(url("b"))
        await pair.tell(4)
        assert (await pair.ask(4)).status == 200
        assert pair.listening.came == [4]

    play(body)


# ---------------------------------------------------------------- lose, duplicate, delay


def test_a_lost_request_and_a_lost_answer_are_waited_for_in_vain() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("lose", between=BETWEEN, times=1):
            assert await never_ends(pair.ask(1), 10)
            assert pair.lan.affected == ["t.1"]
            assert pair.seen == []
            assert (await pair.ask(2)).status == 200
        asking = asyncio.create_task(pair.ask(3))
        await asyncio.sleep(0)
        async with pair.lan.fault("lose", between=BETWEEN):
            assert await never_ends(asking, 10)
        assert pair.seen == [2, 3]

    play(body)


def test_a_doubled_request_is_served_twice_and_answered_once() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("duplicate", between=BETWEEN):
            assert (await pair.ask(1)).status == 200
            await asyncio.sleep(1)
        assert pair.seen == [1, 1]

    play(body)


def test_a_delayed_message_is_overtaken() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("delay", between=BETWEEN, by=10 * MS, times=1):
            await pair.tell(1, 2)
            await asyncio.sleep(0.005)
            await pair.tell(3)
            await asyncio.sleep(1)
        assert pair.listening.came == [2, 3, 1]
        assert [round(at) for at in pair.listening.at] == [3, 8, 13]

    play(body)


def test_a_delayed_answer_comes_later() -> None:
    async def body(pair: Pair) -> None:
        before = pair.lan.now_ms
        async with pair.lan.fault("delay", between=BETWEEN, by=100 * MS):
            await pair.ask(1)
        assert pair.lan.now_ms - before == 202

    play(body)


# ---------------------------------------------------------------- reject, unanswered, accept_late


def test_a_rejected_request_is_not_seen() -> None:
    async def body(pair: Pair) -> None:
        how = {"target": "b", "path": "/x", "status": 401, "body": {"code": 1}}
        async with pair.lan.fault("reject", **how, times=1):
            assert (await pair.ask(1, "/other")).status == 200
            assert pair.lan.affected == []
            assert await pair.ask(2) == Response(401, {"code": 1})
            assert pair.lan.affected == ["t.2"]
            assert (await pair.ask(3)).status == 200
        assert pair.seen == [1, 3]

    play(body)


def test_a_rejected_opening_is_no_channel() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("reject", target="b", path="/channel", status=403):
            with pytest.raises(UnreachableError, match="answered with status 403"):
                await pair.network.connect(url("b", "/channel"))
        await pair.network.connect(url("b", "/channel"))

    play(body)


@pytest.mark.parametrize(("after", "seen"), [(False, []), (True, [1])])
def test_an_unanswered_request_is_waited_for_in_vain(after: bool, seen: list[int]) -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("unanswered", target="b", path="/x", after=after):
            assert await never_ends(pair.ask(1), 10)
            assert pair.seen == seen
            assert pair.lan.affected == ["t.1"]
        assert (await pair.ask(2)).status == 200

    play(body)


def test_who_crashes_while_a_request_is_unanswered_resets_it() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("unanswered", target="b", path="/x"):
            asking = asyncio.create_task(pair.ask(1))
            await asyncio.sleep(1)
            pair.lan.hosts.crash("b")
            with pytest.raises(UnreachableError):
                await within(1, asking)

    play(body)


def test_a_late_answer_was_seen_at_once() -> None:
    async def body(pair: Pair) -> None:
        before = pair.lan.now_ms
        async with pair.lan.fault("accept_late", target="b", path="/x", by=5 * SECOND):
            asking = asyncio.create_task(pair.ask(1))
            await asyncio.sleep(0.0015)
            assert pair.seen == [1]
            assert (await asking).status == 200
        assert pair.lan.now_ms - before == 5002

    play(body)


def test_a_late_answer_does_not_come_from_the_dead() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("accept_late", target="b", path="/x", by=5 * SECOND):
            asking = asyncio.create_task(pair.ask(1))
            await asyncio.sleep(1)
            pair.lan.hosts.crash("b")
            with pytest.raises(UnreachableError):
                await within(1, asking)

    play(body)
