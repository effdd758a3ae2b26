"""The router under test: a task's whole way, as the boundary records it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.errors import PluginError, RequirementError
from windtunnel.systems.router import RouterSystem
from windtunnel.trace import Event
from windtunnel.world import WorldSpec
from windtunnel_models.world import SimWorld

BOUNDARY = ("action.submitted", "action.started", "action.settled", "caller.settled")


def way(events: list[Event], host: str) -> list[tuple[str | None, str | None]]:
    return [
        (event.details.get("from"), event.details.get("to"))
        for event in events
        if event.kind == "task.moved" and event.actor == host
    ]


@pytest.mark.spec("RT-P3", "RT-P4", "RT-R3")
def test_a_task_that_goes_inside(kit: Any) -> None:
    async def main(system: Any) -> None:
        await system.submit(kit.submit("t", work="2s", preferred="inst-2"))

    events = kit.bench().play(main)
    boundary = [event for event in events if event.kind in BOUNDARY]
    assert [(event.kind, event.actor, event.outcome) for event in boundary] == [
        ("action.submitted", "owner", ""),
        ("action.started", "internal", ""),
        ("action.settled", "", "done"),
        ("caller.settled", "owner", "done"),
    ]
    assert {(event.op, event.class_) for event in boundary} == {("t", "task")}
    assert boundary[1].resource == "inst-2"
    assert way(events, "backend") == [
        (None, "waiting"),
        ("waiting", "sending"),
        ("sending", "inside"),
        ("inside", "done"),
    ]
    assert way(events, "dispatcher") == [
        (None, "pending"),
        ("pending", "processing"),
        ("processing", "completed"),
    ]


def test_a_task_that_goes_outside(kit: Any) -> None:
    async def main(system: Any) -> None:
        await system.submit(kit.submit("t"))

    events = kit.bench({"fleet": {"internal": 0}}).play(main)
    (started,) = (event for event in events if event.kind == "action.started")
    assert (started.actor, started.resource) == ("external", "external")
    assert way(events, "backend")[-2:] == [("sending", "outside"), ("outside", "done")]
    assert way(events, "dispatcher") == []


@pytest.mark.spec("RT-R3")
@pytest.mark.parametrize("after", [0.0, 0.001, 0.0015, 0.5])
def test_a_task_outlives_the_backend(kit: Any, after: float) -> None:
    bench = kit.bench()

    async def main(system: Any) -> None:
        closed = system.submit(kit.submit("t"))
        await asyncio.sleep(after)
        fault = bench.fault("crash", target=["backend"])
        await asyncio.sleep(5)
        assert not closed.done()
        bench.world.undo(fault)
        await closed

    events = bench.play(main)
    assert [event.outcome for event in events if event.kind == "caller.settled"] == ["done"]
    assert [event.kind for event in events].count("action.settled") == 1


def test_equal_seeds_are_equal_runs(kit: Any) -> None:
    async def main(system: Any) -> None:
        closed = [system.submit(kit.submit(f"t.{n}")) for n in range(6)]
        await asyncio.gather(*closed)

    given = {"network": {"latency": {"min": "1ms", "max": "9ms"}}}
    first, second = (kit.bench(given, seed=3).play(main) for _ in range(2))
    assert first == second


def test_another_seed_chooses_another_instance(kit: Any) -> None:
    async def main(system: Any) -> None:
        await system.submit(kit.submit("t"))

    chosen = {
        event.resource
        for seed in range(12)
        for event in kit.bench(seed=seed).play(main)
        if event.kind == "work.started"
    }
    assert len(chosen) > 1


def test_a_foreign_scheduler_is_not_for_this_system(kit: Any) -> None:
    with pytest.raises(RequirementError, match="takes no scheduler, such as a:B"):
        RouterSystem().build(kit.bench(scheduler="a:B").setup)


def test_a_world_without_hosts_is_refused(kit: Any) -> None:
    setup = kit.bench().setup
    bare = SimWorld(WorldSpec(parts=("desktop",)))
    object.__setattr__(setup, "world", bare)
    with pytest.raises(PluginError, match="the world sim has no hosts"):
        RouterSystem().build(setup)
