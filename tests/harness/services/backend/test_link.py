"""The link: CONNECT, heartbeats, reports, and coming back after whatever breaks it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from care_kit import Care, report
from windtunnel.services.wire.messages import message
from windtunnel_models import run as run_simulated

FIRST, SECOND = "token-1", "token-2"


def played(script: Callable[[Care], Coroutine[Any, Any, None]], **options: Any) -> Care:
    """Play a script while the services run; return what they left."""

    async def main() -> Care:
        care = Care(**options)
        care.start()
        await script(care)
        care.crash()
        return care

    return run_simulated(main(), debug=True)


@pytest.mark.spec("RT-W1", "RT-W2", "RT-W4")
def test_it_connects_says_who_it_is_and_beats_every_30_s() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(0.5)
        assert care.state.connected
        assert care.book.told == ["new_link", (4, 0, 1)]
        await asyncio.sleep(100)

    care = played(script)
    connect = care.dispatcher.heard[0][1]
    assert connect["type"] == "CONNECT"
    assert connect["data"]["clientId"] == "task-queue-backend"
    assert connect["data"]["token"] == FIRST
    assert connect["data"]["timestamp"].startswith("1970-01-01T00:00:00")
    beats = [at for at, one in care.dispatcher.heard if one["type"] == "HEARTBEAT"]
    assert beats == pytest.approx([30.007, 60.007, 90.007])
    assert care.notes.of("link.lost") == []
    assert care.notes.of("capacity.known")[:1] == [{"online": 4, "busy": 0, "available": 4}]


@pytest.mark.spec("RT-W2", "RT-W3")
def test_a_dispatcher_that_does_not_answer_its_heartbeat_breaks_the_link() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(10)
        care.dispatcher.beats = False
        await asyncio.sleep(50)

    care = played(script)
    assert care.notes.at("link.lost") == pytest.approx([40.006])
    assert care.notes.of("link.lost") == [{"why": "silent", "again_in": 10**9}]
    assert care.notes.at("link.connected") == pytest.approx([0.006, 41.01])


@pytest.mark.spec("RT-W2", "RT-W3")
def test_a_dispatcher_that_never_says_yes_is_given_up_each_10_s() -> None:
    async def script(care: Care) -> None:
        care.dispatcher.acks = False
        await asyncio.sleep(60)

    care = played(script)
    assert [one["why"] for one in care.notes.of("link.lost")] == ["silent"] * 4
    # 10 s of waiting, then 1, 2, 4 s until the next attempt
    assert care.notes.at("link.lost") == pytest.approx([10, 21, 33, 47], abs=0.1)
    assert not care.state.connected


@pytest.mark.spec("RT-W3")
def test_it_comes_back_after_1_2_4_8_16_32_32_s_and_a_success_begins_anew() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(1)
        care.cluster.crash()
        await asyncio.sleep(110)
        assert care.state.attempts == 7
        care.dispatcher.start()
        await asyncio.sleep(20)
        await care.dispatcher.hang_up()
        await asyncio.sleep(5)
        assert care.state.connected
        assert care.state.attempts == 0

    care = played(script)
    lost = care.notes.of("link.lost")
    assert [one["again_in"] // 10**9 for one in lost] == [1, 2, 4, 8, 16, 32, 32, 32, 1]
    assert [one["why"] for one in lost] == ["closed", *["refused"] * 7, "closed"]


@pytest.mark.spec("RT-B3")
def test_a_network_that_is_cut_while_it_connects_hangs_nothing() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(5)
        care.cluster.cut()
        await asyncio.sleep(60)
        assert [one["why"] for one in care.notes.of("link.lost")] == ["silent"] * 3
        care.cluster.mend()
        await asyncio.sleep(15)
        assert care.state.connected

    played(script)


def test_one_that_hangs_up_on_the_token_gets_another() -> None:
    async def script(care: Care) -> None:
        care.dispatcher.hangs_up = True
        await asyncio.sleep(0.5)
        assert care.notes.of("link.lost") == [{"why": "refused", "again_in": 10**9}]
        assert care.dispatcher.logins == 2
        care.dispatcher.hangs_up = False
        await asyncio.sleep(1)
        assert care.state.connected
        assert care.dispatcher.heard[-1][1]["data"]["token"] == SECOND

    played(script)


UNFIT: dict[str, Any] = {
    "no object": "CAPACITY_UPDATE",
    "a list": ["CAPACITY_UPDATE", {}],
    "no type": {"data": {}},
    "a type that is no text": {"type": 7, "data": {}},
    "no data": {"type": "CAPACITY_UPDATE"},
    "data that is no object": {"type": "HEARTBEAT_ACK", "data": "ok"},
    "no summary": message("CAPACITY_UPDATE", bridges=[], sequence=9),
    "no sequence": message("CAPACITY_UPDATE", bridges=[], summary={}),
    "a negative count": report(-1, 0, 9),
    "more busy than online": report(2, 3, 9),
    "a count that is text": message(
        "CAPACITY_UPDATE",
        bridges=[],
        sequence=9,
        summary={"onlineInstances": "4", "busyInstances": 0, "availableCapacity": 4},
    ),
    "bridges that are none": message(
        "CAPACITY_UPDATE",
        bridges=1,
        sequence=9,
        summary={"onlineInstances": 4, "busyInstances": 0, "availableCapacity": 4},
    ),
}


@pytest.mark.spec("RT-W6")
@pytest.mark.parametrize("sent", UNFIT.values(), ids=UNFIT.keys())
def test_what_is_broken_is_ignored_and_the_channel_goes_on(sent: Any) -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(1)
        await care.dispatcher.send(sent)
        await care.dispatcher.tell(3, 1)
        await asyncio.sleep(1)

    care = played(script)
    assert care.notes.of("message.ignored") == [{"party": "backend", "why": "broken"}]
    assert care.book.told[-1] == (3, 1, 2)
    assert care.notes.of("link.lost") == []


@pytest.mark.spec("RT-W6")
def test_unknown_late_and_repeated_messages_are_ignored() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(1)
        await care.dispatcher.tell(4, 4, sequence=7)
        for sent in (
            message("SING"),
            report(4, 1, 6),
            report(4, 2, 7),
            message("HEARTBEAT_ACK"),
            message("CONNECT_ACK"),
            message("INSTANCE_BUSY", taskId="t"),
        ):
            await care.dispatcher.send(sent)
        await asyncio.sleep(1)
        assert care.state.capacity(2 * 10**9).busy == 4

    care = played(script)
    whys = [one["why"] for one in care.notes.of("message.ignored")]
    assert whys == ["unknown", "late", "repeated", "repeated", "repeated"]
    assert care.book.told == ["new_link", (4, 0, 1), (4, 4, 7)]


def test_reports_of_a_new_link_are_counted_anew() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(1)
        await care.dispatcher.tell(4, 4, sequence=700)
        await asyncio.sleep(1)
        await care.dispatcher.hang_up()
        await asyncio.sleep(3)

    care = played(script)
    assert care.book.told == ["new_link", (4, 0, 1), (4, 4, 700), "new_link", (4, 0, 1)]
    assert care.notes.of("message.ignored") == []


def test_as_listed_a_late_report_is_taken() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(1)
        await care.dispatcher.tell(4, 4, sequence=7)
        await care.dispatcher.tell(4, 1, sequence=6)
        await asyncio.sleep(1)

    assert played(script, reports="erase").book.told[-1] == (4, 1, 6)


@pytest.mark.spec("RT-R1")
def test_a_report_runs_out_60_s_after_it_came_whatever_came_before() -> None:
    async def script(care: Care) -> None:
        await asyncio.sleep(31)
        await care.dispatcher.tell(5, 1)
        await asyncio.sleep(70)

    care = played(script)
    assert care.book.told == ["new_link", (4, 0, 1), (5, 1, 2), "unknown"]
    assert care.notes.of("capacity.known")[-1] == {"online": 0, "busy": 0, "available": 0}
    assert care.notes.at("capacity.known")[-1] == pytest.approx(91.001)


PIECES = st.one_of(
    st.none(),
    st.integers(-2, 9),
    st.text(max_size=3),
    st.sampled_from(["CAPACITY_UPDATE", "HEARTBEAT_ACK", "CONNECT_ACK", "INSTANCE_IDLE"]),
)
KEYS = st.sampled_from(
    [
        "type",
        "data",
        "summary",
        "bridges",
        "instances",
        "sequence",
        "onlineInstances",
        "busyInstances",
        "availableCapacity",
    ]
)
ANYTHING = st.recursive(
    PIECES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5)
)
MESSAGES = st.one_of(
    ANYTHING,
    st.fixed_dictionaries({"type": PIECES, "data": ANYTHING}),
    st.builds(report, st.integers(-1, 4), st.integers(-1, 4), st.integers(-1, 9)),
)


@pytest.mark.spec("RT-W6")
@settings(max_examples=60, deadline=None)
@given(st.lists(MESSAGES, max_size=12))
def test_for_all_messages_the_channel_goes_on_and_capacity_never_goes_back(sent: list[Any]) -> None:
    async def script(care: Care) -> None:
        care.dispatcher.on_connect = None
        await asyncio.sleep(1)
        for one in sent:
            await care.dispatcher.send(one)
        await care.dispatcher.tell(3, 2, sequence=10)
        await asyncio.sleep(1)

    care = played(script)
    assert care.notes.of("link.lost") == []
    taken = care.book.told[1:]
    assert taken[-1] == (3, 2, 10)
    sequences = [sequence for _, _, sequence in taken]
    assert sequences == sorted(set(sequences))
    assert len(care.notes.of("message.ignored")) <= len(sent)
