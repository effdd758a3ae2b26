"""Rules of the simulated network: what faults do to what is sent, whenever they come."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from net_kit import (
    BETWEEN,
    EXAMPLES,
    Pair,
    fault_events,
    never_ends,
    number,
    trace_digest,
    within,
)
from net_kit import play_with_a_pair as play
from windtunnel.units import MS


@given(
    script=st.lists(st.sampled_from(["cut", "heal", "send", "back", "wait"]), max_size=40),
    latency=st.sampled_from([0, MS, {"min": 0, "max": 5 * MS}]),
)
def test_with_partitions_every_message_comes_late_in_order_and_once(
    script: list[str], latency: Any
) -> None:
    async def body(pair: Pair) -> None:
        lan = pair.lan
        await asyncio.sleep(1)
        (far,) = pair.listening.channels
        cuts: list[Any] = []
        sent = {"send": 0, "back": 0}
        for step in script:
            if step == "cut" and not cuts:
                cuts.append(lan.inject("partition", target="b"))
            elif step == "heal" and cuts:
                lan.undo(cuts.pop())
            elif step in sent:
                end = pair.channel if step == "send" else far
                await end.send(number(sent[step]))
                sent[step] += 1
            elif step == "wait":
                await asyncio.sleep(0.002)
        came_before = list(pair.listening.came)
        await asyncio.sleep(1)
        if cuts:
            lan.undo(cuts.pop())
        await asyncio.sleep(1)
        assert pair.listening.came[: len(came_before)] == came_before
        assert pair.listening.came == list(range(sent["send"]))
        back = [(await within(1, pair.channel.receive()))["data"]["n"] for _ in range(sent["back"])]
        assert back == list(range(sent["back"]))

    play(body, latency=latency)


@given(
    do=st.sampled_from(["lose", "duplicate", "delay"]),
    times=st.integers(1, 6),
    before=st.integers(0, 3),
    count=st.integers(0, 10),
    latency=st.sampled_from([MS, {"min": 0, "max": 5 * MS}]),
)
def test_exactly_as_many_messages_are_hit_as_was_asked(
    do: str, times: int, before: int, count: int, latency: Any
) -> None:
    async def body(pair: Pair) -> None:
        args = {"by": 100 * MS} if do == "delay" else {}
        await pair.tell(*range(before))
        async with pair.lan.fault(do, between=BETWEEN, times=times, **args):
            await pair.tell(*range(before, count + before))
            await asyncio.sleep(1)
        await pair.tell(count + before)
        await asyncio.sleep(1)
        hit = list(range(before, min(before + times, before + count)))
        rest = list(range(before + len(hit), before + count))
        during = {
            "lose": rest,
            "duplicate": [n for n in hit for _ in range(2)] + rest,
            "delay": rest + hit,
        }[do]
        came = pair.listening.came
        expected = [*range(before), *during, count + before]
        assert came == expected
        assert len(pair.lan.affected) == bool(hit)

    play(body, latency=latency)


def test_shares_are_drawn_by_the_seed() -> None:
    async def body(pair: Pair) -> None:
        async with pair.lan.fault("lose", between=BETWEEN, share=0.5):
            await pair.tell(*range(100))
            await asyncio.sleep(1)
        came.append(pair.listening.came)

    came: list[list[int]] = []
    for seed in (1, 1, 2):
        play(body, seed=seed)
    assert came[0] == came[1] != came[2]
    assert 30 < len(came[0]) < 70


@given(seed=st.integers(0, 99), dos=st.permutations(sorted(EXAMPLES)))
def test_equal_seeds_have_equal_traces_whatever_goes_wrong(seed: int, dos: list[str]) -> None:
    async def body(pair: Pair) -> None:
        lan = pair.lan
        for do in dos:
            fault = lan.inject(do, **EXAMPLES[do])
            calls = [asyncio.create_task(never_ends(pair.ask(n), 2)) for n in range(3)]
            if not pair.channel.closed:  # type: ignore[attr-defined]
                await pair.tell(1, 2, 3)
            ended = await asyncio.gather(*calls, return_exceptions=True)
            lan.undo(fault)
            texts = [str(each) for each in ended]
            details = {"alert": do, "severity": "warning", "value": [lan.now_ms, *texts]}
            lan.trace.record("alert.raised", details=details)
            lan.trace.record("alert.cleared", details={"alert": str(pair.listening.came)})
            lan.trace.record("alert.cleared", details={"alert": str(pair.seen)})

    latency = {"min": 0, "max": 5 * MS}
    first, second = (play(body, seed=seed, latency=latency) for _ in range(2))
    assert trace_digest(first) == trace_digest(second)
    assert fault_events(first).count("undone") == len(EXAMPLES)


def test_each_fault_draws_for_itself() -> None:
    async def body(pair: Pair, do: str) -> None:
        async with pair.lan.fault(do, between=BETWEEN, share=0.5):
            await pair.tell(*range(100))
            await asyncio.sleep(1)
        came = pair.listening.came
        hit[do] = {n for n in range(100) if came.count(n) != 1}

    hit: dict[str, set[int]] = {}
    for do in ("lose", "duplicate"):
        play(partial(body, do=do))
    assert 30 < len(hit["lose"] & hit["duplicate"]) + len(hit["lose"] ^ hit["duplicate"]) < 100
    assert hit["lose"] != hit["duplicate"]
