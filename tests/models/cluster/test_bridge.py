"""The bridge: it joins, is heard of, hands tasks on, and tells of results until it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet_kit import Desk, body, play
from windtunnel.canonical import digest
from windtunnel.errors import FaultError
from windtunnel.ports.network import ChannelClosedError
from windtunnel.services.wire.messages import INSTANCE_OFFLINE, INSTANCE_ONLINE
from windtunnel.services.wire.task import result_of
from windtunnel.trace import Outcome
from windtunnel.units import MS, SECOND
from windtunnel.world import Fault, Ties
from windtunnel_models.world import SimWorld

Script = Callable[[SimWorld, Desk], Awaitable[None]]


def with_a_desk(script: Script, *, acknowledges: bool = True, **given: Any) -> Desk:
    """Play a script with a dispatcher that is there from the start."""
    desks: list[Desk] = []

    async def body(world: SimWorld) -> None:
        desks.append(Desk(world, acknowledges=acknowledges))
        await asyncio.sleep(0.001)  # so that what is due at the start has happened
        await script(world, desks[0])

    play(body, **given)
    return desks[0]


def times_of_joins(desk: Desk) -> list[float]:
    return [round(at, 3) for at, _, type_ in desk.types() if type_ == "JOIN"]


async def sleep_until(world: SimWorld, second: float) -> None:
    await asyncio.sleep(second - world.loop.time())


def test_joins_at_once_and_is_heard_of_every_heartbeat() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await sleep_until(world, 25)

    desk = with_a_desk(script, internal=3, bridges=2, off=["inst-1"])
    assert desk.said[:2] == [
        (
            0,
            "bridge-0",
            "JOIN",
            {
                "bridgeId": "bridge-0",
                "instances": [{"instanceId": "inst-0", "taskId": None, "attempt": None}],
            },
        ),
        (
            0,
            "bridge-1",
            "JOIN",
            {
                "bridgeId": "bridge-1",
                "instances": [{"instanceId": "inst-2", "taskId": None, "attempt": None}],
            },
        ),
    ]
    assert [(at, type_) for at, _, type_ in desk.types()] == [
        *[(0, "JOIN")] * 2,
        *[(10, "ALIVE")] * 2,
        *[(20, "ALIVE")] * 2,
    ]


def test_hands_a_task_on_and_tells_what_came_of_it_once() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await asyncio.sleep(0.02)
        await desk.give("inst-3", "t", 2)
        await sleep_until(world, 25)

    desk = with_a_desk(script, network={"latency": 3 * MS})
    (said,) = [each for each in desk.said if each[2] == "DONE"]
    result = result_of(body("t", 2))
    assert said[1] == "bridge-1"
    assert said[3] == {"taskId": "md-t", "instanceId": "inst-3", "attempt": 1, "result": result}
    assert desk.views()[0] == {"inst-0": None, "inst-1": None}


def test_says_what_each_instance_works_on() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await desk.give("inst-0", "t", 15, attempt=2)
        await sleep_until(world, 25)

    desk = with_a_desk(script, bridges=1, internal=2)
    assert desk.views() == [{"inst-0": "md-t", "inst-1": None}, {"inst-0": None, "inst-1": None}]
    assert desk.said[1][3]["instances"][0]["attempt"] == 2


def test_a_result_is_sent_again_with_each_heartbeat_until_it_is_acknowledged() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await desk.give("inst-0", "t", 2)
        await sleep_until(world, 25)
        desk.acknowledges = True
        await sleep_until(world, 55)

    desk = with_a_desk(script, acknowledges=False, bridges=1)
    assert [at for at, _, _ in desk.results()] == [2.001, 10, 20, 30]
    at_ten = [type_ for at, _, type_ in desk.types() if at == 10]
    assert at_ten == ["DONE", "ALIVE"]  # the other way round the task would be missed


def test_a_result_that_is_on_its_way_is_not_sent_again_yet() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await desk.give("inst-0", "t", 9.5)
        await sleep_until(world, 25)

    desk = with_a_desk(script, acknowledges=False, bridges=1)
    assert [at for at, _, _ in desk.results()] == [9.501, 20]


def test_a_busy_instance_and_one_that_is_not_there_refuse() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await desk.give("inst-0", "a", 5)
        await desk.give("inst-0", "b")
        await desk.give("inst-9", "c")
        await asyncio.sleep(1)

    desk = with_a_desk(script)
    assert [(task, told) for _, task, told in desk.results()] == [
        ("md-b", "busy"),
        ("md-c", "no instance inst-9 here"),
    ]


def test_tells_at_once_when_an_instance_goes_and_comes() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        crash = Fault("c", "crash", {"target": "inst-0"})
        world.inject(crash)
        await asyncio.sleep(2)
        world.inject(Fault("o", "off", {"target": ["inst-1"]}))
        world.undo(crash)
        await asyncio.sleep(1)

    desk = with_a_desk(script)
    told = [(round(at, 3), type_, data) for at, _, type_, data in desk.said if "_O" in type_]
    whose = {"bridgeId": "bridge-0", "instanceId": "inst-0"}
    assert told == [
        (
            0.001,
            INSTANCE_OFFLINE,
            {**whose, "reason": "crashed", "timestamp": "1970-01-01T00:00:00.001000+00:00"},
        ),
        (
            2.001,
            INSTANCE_OFFLINE,
            {
                **whose,
                "instanceId": "inst-1",
                "reason": "switched off",
                "timestamp": "1970-01-01T00:00:02.001000+00:00",
            },
        ),
        (2.001, INSTANCE_ONLINE, {**whose, "timestamp": "1970-01-01T00:00:02.001000+00:00"}),
    ]


@pytest.mark.spec("RT-C3")
def test_an_instance_that_is_cut_off_is_not_heard_of_until_it_is_heard_again() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await desk.give("inst-0", "t", 2)
        await asyncio.sleep(1)
        cut = Fault("p", "partition", {"target": "inst-0"})
        world.inject(cut)
        await sleep_until(world, 15)
        world.undo(cut)
        await sleep_until(world, 25)

    desk = with_a_desk(script, bridges=1, internal=2)
    assert desk.views() == [{"inst-1": None}, {"inst-0": None, "inst-1": None}]
    assert [at for at, _, _ in desk.results()] == [15]


def test_what_it_does_not_know_is_passed_over() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await desk.send("bridge-0", {"type": "DANCE", "data": {}})
        await desk.send("bridge-0", {})
        await desk.give("inst-0", "t")
        await asyncio.sleep(2)

    assert len(with_a_desk(script).results()) == 1


# ---------------------------------------------------------------- channels that come and go


@pytest.mark.parametrize(
    ("there_at", "joins_at"), [(0.5, 1), (1.5, 3), (6.5, 7), (62, 63), (64, 95), (100, 127)]
)
def test_tries_again_after_one_second_doubling_to_32(there_at: float, joins_at: float) -> None:
    joined: list[float] = []

    async def body(world: SimWorld) -> None:
        await asyncio.sleep(there_at)
        desk = Desk(world)
        await asyncio.sleep(60)
        joined.append(desk.said[0][0])

    play(body, bridges=1)
    assert joined == [joins_at]


def test_an_attempt_that_is_not_answered_is_given_up() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await desk.hang_up("bridge-0")
        await asyncio.sleep(0.5)
        world.inject(Fault("l", "lose", {"between": ["bridge-0", "dispatcher"], "times": 1}))
        await sleep_until(world, 30)

    # tried at 1.001 s, given up at 11.001, tried again 2 s later
    assert times_of_joins(with_a_desk(script, bridges=1)) == [0, 13.001]


def test_after_a_success_the_first_pause_is_short_again() -> None:
    async def body(world: SimWorld) -> None:
        await asyncio.sleep(4)
        desk = desks[0] = Desk(world)
        await asyncio.sleep(6)
        await desk.hang_up("bridge-0")
        await asyncio.sleep(10)

    desks: dict[int, Desk] = {}
    play(body, bridges=1)
    assert times_of_joins(desks[0]) == [7, 11]


def test_joins_first_whatever_was_to_be_said_when_the_channel_closed() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        flap = Fault("f", "flap", {"between": ["bridge-0", "dispatcher"]})
        world.inject(flap)
        world.inject(Fault("c", "off", {"target": ["inst-0", "inst-1"]}))
        world.undo(flap)
        await asyncio.sleep(2)

    desk = with_a_desk(script, bridges=1)
    assert [type_ for _, _, type_ in desk.types()] == ["JOIN", "JOIN"]


def test_after_the_channel_has_closed_it_joins_again_and_tells_what_is_left_to_tell() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await desk.give("inst-0", "a", 0.5)
        await desk.give("inst-1", "b", 2.5)
        await asyncio.sleep(0.2)
        await desk.hang_up("bridge-0")
        await asyncio.sleep(4)

    desk = with_a_desk(script, bridges=1, internal=2)
    assert [(round(at, 3), type_) for at, _, type_ in desk.types()] == [
        (0, "JOIN"),
        (1.201, "JOIN"),
        (1.201, "DONE"),
        (2.501, "DONE"),
    ]
    assert desk.views("JOIN")[1] == {"inst-0": None, "inst-1": "md-b"}


def test_a_dispatcher_that_is_started_again_is_joined_again() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        crash = Fault("c", "crash", {"target": "dispatcher"})
        world.inject(crash)
        await sleep_until(world, 2)
        world.undo(crash)
        await sleep_until(world, 9)

    desk = with_a_desk(script, bridges=1)
    assert [round(at, 3) for at, _, _ in desk.types()] == [0, 3.001]  # tried at 1.001 and 3.001


def test_a_bridge_that_crashes_forgets_and_its_instances_go_on() -> None:
    async def script(world: SimWorld, desk: Desk) -> None:
        await desk.give("inst-0", "a", 0.5)
        await desk.give("inst-1", "b", 3)
        await asyncio.sleep(1)
        crash = Fault("c", "crash", {"target": "bridge-0"})
        world.inject(crash)
        await asyncio.sleep(4)
        world.undo(crash)
        await asyncio.sleep(20.5)

    desk = with_a_desk(script, acknowledges=False, bridges=1, internal=2)
    results = [(round(at, 3), task) for at, task, _ in desk.results()]
    # a was told, and is forgotten; b ended while the bridge was not there
    assert results == [(0.501, "md-a"), (5.001, "md-b"), (15.001, "md-b"), (25.001, "md-b")]
    assert desk.views("JOIN")[1] == {"inst-0": None, "inst-1": None}


# ---------------------------------------------------------------- whatever happens

FAULTS = {
    "crash": ["inst-0", "inst-2", "bridge-0", "dispatcher"],
    "partition": ["inst-0", "inst-1", "bridge-1", "dispatcher"],
    "off": ["inst-1"],
}
HAPPENINGS = st.lists(
    st.tuples(
        st.integers(0, 40),
        st.sampled_from([(do, target) for do in FAULTS for target in FAULTS[do]]),
        st.integers(1, 80),
    ),
    max_size=8,
)


@pytest.mark.spec("RT-C3")
@settings(max_examples=60, deadline=None)
@given(
    happenings=HAPPENINGS,
    gives=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30)), max_size=12),
    loss=st.sampled_from([0.0, 0.3]),
    seed=st.integers(0, 99),
)
def test_whatever_happens_results_are_of_tasks_given_and_work_ends(
    happenings: Any, gives: Any, loss: float, seed: int
) -> None:
    desks: list[Desk] = []
    right = {f"t{i}": result_of(body(f"t{i}", each[1] / 10)) for i, each in enumerate(gives)}

    async def befall(world: SimWorld, number: int, happening: Any) -> None:
        at, (do, target), lasts = happening
        await asyncio.sleep(at / 10)
        fault = Fault(f"f{number}", do, {"target": target})
        try:
            world.inject(fault)
        except FaultError:
            return  # it is down already
        await asyncio.sleep(lasts / 10)
        world.undo(fault)

    async def script(world: SimWorld) -> None:
        desk = Desk(world)
        desks.append(desk)
        async with asyncio.TaskGroup() as group:
            for number, happening in enumerate(happenings):
                group.create_task(befall(world, number, happening))
            for number, (instance, tenths) in enumerate(gives):
                await asyncio.sleep(0.5)
                with suppress(ChannelClosedError, KeyError, TimeoutError):
                    async with asyncio.timeout(0.1):
                        await desk.give(f"inst-{instance}", f"t{number}", tenths / 10)
        await asyncio.sleep(60)

    world = play(script, heartbeat=SECOND, seed=seed, network={"latency": MS, "loss": loss})
    for _, task, told in desks[0].results():
        assert told in ("busy", right[task.removeprefix("md-")])
    at_work: dict[str, str] = {}
    for event in world.trace.of("work.started", "work.ended"):
        if event.kind == "work.started":
            assert event.resource not in at_work
            at_work[event.resource] = event.op
        else:
            assert at_work.pop(event.resource) == event.op
            assert event.outcome in (Outcome.DONE, Outcome.ABORTED)
    assert at_work == {}
    crashed = [event.details["why"] for event in world.trace.of("host.crashed")]
    assert "raised" not in crashed


@pytest.mark.parametrize("ties", [Ties(), Ties("lifo"), Ties("seeded", 3)])
def test_equal_seeds_give_equal_traces(ties: Ties) -> None:
    async def script(world: SimWorld) -> None:
        desk = Desk(world)
        await asyncio.sleep(1)
        for number in range(40):
            await desk.give(f"inst-{number % 4}", f"t{number}", 0.3)
            await asyncio.sleep(0.1)
        await asyncio.sleep(20)

    network = {"latency": {"min": 0, "max": 5 * MS}, "loss": 0.2}
    worlds = [play(script, seed=7, ties=ties, network=network) for _ in range(2)]
    assert digest(worlds[0].trace) == digest(worlds[1].trace)
    other = play(script, seed=8, ties=ties, network=network)
    assert digest(other.trace) != digest(worlds[0].trace)
