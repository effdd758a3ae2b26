"""Faults of the fleet: each is brought about, seen in what happens, and taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet_kit import Caller, Desk, body, cluster_of, play
from windtunnel.errors import FaultError
from windtunnel.services.wire.task import result_of
from windtunnel.units import SECOND
from windtunnel.world import Fault
from windtunnel_models.cluster.fleet_faults import ERROR, KINDS
from windtunnel_models.world import SimWorld

Script = Callable[[SimWorld, Desk, Caller], Awaitable[None]]

EXAMPLES: dict[str, dict[str, Any]] = {
    "crash": {"target": ["inst-0", "bridge-1"]},
    "partition": {"target": ["inst-0", "dispatcher"]},
    "off": {"target": "inst-0"},
    "on": {"target": "inst-3"},
    "slow_work": {"target": ["inst-0", "external"], "by": 2.0},
    "fail_work": {"target": "inst-0"},
    "occupy": {"slots": 3},
}
AT_ONCE = ("crash", "off", "on", "occupy")


def with_all(script: Script, **given: Any) -> SimWorld:
    """Play a script in a cluster with a dispatcher, a backend, and `inst-3` off."""

    async def body(world: SimWorld) -> None:
        desk, caller = Desk(world), Caller(world)
        await asyncio.sleep(0.001)
        await script(world, desk, caller)

    return play(body, **{"off": ["inst-3"], **given})


def fault_events(world: SimWorld) -> list[str]:
    return [
        " ".join(filter(None, (event.kind.removeprefix("fault."), event.details.get("hit"))))
        for event in world.trace.of("fault.injected", "fault.affected", "fault.undone")
    ]


def work_ended(world: SimWorld) -> list[tuple[float, str, str]]:
    return [
        (round(event.time / SECOND, 2), event.op, event.outcome)
        for event in world.trace.of("work.ended")
    ]


def test_there_is_an_example_of_every_kind() -> None:
    assert list(EXAMPLES) == list(KINDS)


@pytest.mark.parametrize("do", EXAMPLES)
def test_is_injected_at_the_call_and_undone_once(do: str) -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        fault = Fault("f", do, EXAMPLES[do])
        world.inject(fault)
        assert fault_events(world) == ["injected", *(["affected"] if do in AT_ONCE else [])]
        with pytest.raises(FaultError, match="is on already"):
            world.inject(fault)
        world.undo(fault)
        assert fault_events(world)[-1] == "undone"
        world.undo(fault)

    assert fault_events(with_all(script)).count("undone") == 1


@pytest.mark.parametrize("do", EXAMPLES)
def test_what_is_still_on_is_undone_at_the_end(do: str) -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        world.inject(Fault("f", do, EXAMPLES[do]))

    world = with_all(script)
    assert fault_events(world)[-1] == "undone"
    fleet = cluster_of(world).fleet
    assert all(instance.is_up for name, instance in fleet.instances.items() if name != "inst-3")
    assert all(instance.is_cut_by("f") is False for instance in fleet.instances.values())
    assert (fleet.conditions.slownesses, fleet.conditions.sabotages) == ([], [])
    assert fleet.external.occupied == 0
    started = [event.resource for event in world.trace.of("host.started")]
    assert started.count("bridge-1") == (2 if do == "crash" else 1)


# ---------------------------------------------------------------- each in what happens


@pytest.mark.spec("RT-C1")
@pytest.mark.parametrize(("do", "state"), [("crash", "crashed"), ("off", "off")])
def test_an_instance_goes_loses_its_work_and_comes_back(do: str, state: str) -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        fault = Fault("f", do, {"target": ["inst-0", "inst-2"]})
        await desk.give("inst-0", "a", 2)
        await desk.give("inst-1", "b", 2)
        await asyncio.sleep(1)
        world.inject(fault)
        instances = cluster_of(world).fleet.instances
        assert [each.state for each in instances.values()] == [state, "busy", state, "off"]
        await desk.give("inst-0", "c", 2)
        await asyncio.sleep(3)
        world.undo(fault)
        assert [each.state for each in instances.values()] == ["idle", "idle", "idle", "off"]
        await desk.give("inst-0", "d", 1)
        await asyncio.sleep(3)

    world = with_all(script)
    assert work_ended(world) == [(1, "a", "aborted"), (2, "b", "done"), (5, "d", "done")]


def test_an_instance_that_is_off_comes_on_for_good() -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        fault = Fault("f", "on", {"target": "inst-3"})
        world.inject(fault)
        world.undo(fault)
        await desk.give("inst-3", "a")
        await asyncio.sleep(2)

    assert work_ended(with_all(script)) == [(1, "a", "done")]


@pytest.mark.spec("RT-C3")
def test_an_instance_that_is_cut_off_works_on_and_is_felt_when_it_would_be_heard() -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        fault = Fault("f", "partition", {"target": "inst-0"})
        await desk.give("inst-0", "a", 1)
        await asyncio.sleep(0.5)
        world.inject(fault)
        await asyncio.sleep(3)
        assert desk.results() == []
        world.undo(fault)
        await asyncio.sleep(1)
        assert [(round(at, 2), task) for at, task, _ in desk.results()] == [(3.5, "md-a")]

    world = with_all(script)
    assert work_ended(world) == [(1, "a", "done")]
    assert fault_events(world) == ["injected", "affected a", "undone"]


def test_hosts_and_instances_are_hit_together() -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        cluster = cluster_of(world)
        crash = Fault("c", "crash", {"target": ["inst-0", "bridge-1", "external"]})
        world.inject(crash)
        up = [cluster.hosts.is_up(name) for name in ("bridge-0", "bridge-1", "external")]
        assert (up, cluster.fleet.instances["inst-0"].state) == ([True, False, False], "crashed")
        world.undo(crash)
        up = [cluster.hosts.is_up(name) for name in ("bridge-0", "bridge-1", "external")]
        assert (up, cluster.fleet.instances["inst-0"].state) == ([True, True, True], "idle")

    with_all(script)


def test_neither_is_hit_where_one_cannot_be() -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        first = Fault("a", "crash", {"target": "bridge-1"})
        world.inject(first)
        with pytest.raises(FaultError, match="`bridge-1` is not up"):
            world.inject(Fault("b", "crash", {"target": ["inst-0", "bridge-1"]}))
        assert cluster_of(world).fleet.instances["inst-0"].is_up

    with_all(script)


@pytest.mark.parametrize("place", ["inst-1", "external"])
def test_work_takes_longer_there_while_it_is_slow(place: str) -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        async def begin(op: str, seconds: float) -> None:
            if place == "external":
                await caller.create(op, seconds)
            else:
                await desk.give(place, op, seconds)

        fault = Fault("f", "slow_work", {"target": place, "by": 3.0})
        await begin("a", 2)
        await asyncio.sleep(1)
        world.inject(fault)
        await asyncio.sleep(3.5)
        await begin("b", 1)
        await asyncio.sleep(1.5)
        world.undo(fault)
        await asyncio.sleep(4)
        await begin("c", 1)
        await asyncio.sleep(4)

    world = with_all(script)
    # a: 1 s, and 1 s at a third of the pace; b: 1.5 s at a third, and the half that is left
    assert work_ended(world) == [(4, "a", "done"), (6.5, "b", "done"), (11, "c", "done")]
    assert fault_events(world) == ["injected", "affected a", "undone"]


@pytest.mark.spec("RT-D4")
def test_work_fails_as_often_as_it_should() -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        fault = Fault("f", "fail_work", {"target": ["inst-0", "inst-1"], "times": 2, "error": "E"})
        world.inject(fault)
        for number in range(3):
            await desk.give("inst-0", f"t{number}", 1)
            await asyncio.sleep(1.5)
        world.undo(fault)  # it is over already
        assert [told for _, _, told in desk.results()] == ["E", "E", result_of(body("t2", 1))]

    world = with_all(script)
    assert [outcome for _, _, outcome in work_ended(world)] == ["failed", "failed", "done"]
    assert fault_events(world) == ["injected", "affected t0", "undone"]


def test_work_fails_outside_until_it_is_undone() -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        fault = Fault("f", "fail_work", {"target": "external"})
        world.inject(fault)
        first = await caller.create("a")
        await asyncio.sleep(1.5)
        assert await caller.outputs(first) == {"status": "FAILED", "error": ERROR}
        world.undo(fault)
        await caller.create("b")
        await asyncio.sleep(1.5)
        assert [told["status"] for _, told in caller.called] == ["FAILED", "SUCCESS"]

    with_all(script)


def test_slots_that_somebody_else_uses_are_not_there() -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        fault = Fault("f", "occupy", {"slots": 2})
        await caller.create("a", 5)
        world.inject(fault)
        assert await caller.create("b") == "queue full"
        world.undo(fault)
        assert await caller.create("c") == "external-2"
        world.inject(Fault("g", "occupy", {"slots": 9}))
        assert await caller.create("d") == "queue full"
        await asyncio.sleep(6)  # what runs is let be
        assert len(caller.called) == 2

    with_all(script, external=3)


# ---------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    ("do", "args", "complaint"),
    [
        ("crash", {"target": "inst-9"}, r"no `inst-9` .* \(there is: dispatcher, .*inst-0, "),
        ("partition", {"target": ["inst-0", "x"]}, "no `x` to aim at in this cluster"),
        ("off", {"target": "bridge-0"}, r"no `bridge-0` .* \(there is: inst-0, inst-1, inst-2, "),
        ("off", {"target": "inst-3"}, "inst-3 cannot go down: none of them is up"),
        ("crash", {"target": ["inst-3"]}, "inst-3 cannot go down: none of them is up"),
        ("crash", {"target": []}, "`crash` is aimed at nobody"),
        ("on", {"target": ["inst-3", "inst-0"]}, r"inst-0 is not off at that instant \(idle\)"),
        ("slow_work", {"target": "backend", "by": 2}, r"no `backend` .*inst-3, external\)"),
        ("slow_work", {"target": "inst-0", "by": 0}, "`by` is over 0"),
        ("fail_work", {"target": "inst-0", "times": 0}, "`times` is at least 1, not 0"),
        ("occupy", {"slots": 0}, "`slots` is at least 1, not 0"),
    ],
)
def test_what_cannot_be_brought_about_is_refused(do: str, args: Any, complaint: str) -> None:
    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        with pytest.raises(FaultError, match=complaint):
            world.inject(Fault("f", do, args))
        fleet = cluster_of(world).fleet
        assert [each.state for each in fleet.instances.values()] == ["idle", "idle", "idle", "off"]

    with_all(script)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_is_on_all_of_it_is_undone(data: st.DataObject) -> None:
    targets = st.lists(
        st.sampled_from(["inst-0", "inst-1", "inst-2", "inst-3"]), min_size=1, unique=True
    )

    async def script(world: SimWorld, desk: Desk, caller: Caller) -> None:
        on: list[Fault] = []
        for number in range(data.draw(st.integers(1, 8))):
            do = data.draw(st.sampled_from(["crash", "off", "partition", "slow_work", "fail_work"]))
            fault = Fault(f"f{number}", do, {"target": data.draw(targets), "by": 2})
            try:
                world.inject(fault)
                on.append(fault)
            except FaultError:
                assert do in ("crash", "off")
            await asyncio.sleep(data.draw(st.sampled_from([0, 0.5, 12])))
            ends: int = data.draw(st.integers(0, 7))
            if ends < len(on):
                world.undo(on.pop(ends))

    world = with_all(script)
    instances = cluster_of(world).fleet.instances
    assert [each.state for each in instances.values()] == ["idle", "idle", "idle", "off"]
    assert all(each.answers() for each in instances.values() if each.is_up)
