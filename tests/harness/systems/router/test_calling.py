"""The calling: what each call reaches, and how its end is recorded."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.errors import PluginError
from windtunnel.systems.router.calling import BOUND_S
from windtunnel.systems.router.calls import CALLS
from windtunnel.trace import Event


def ended(events: list[Event]) -> dict[str, tuple[str, dict[str, Any]]]:
    return {
        event.op: (event.outcome, dict(event.details))
        for event in events
        if event.kind == "call.ended"
    }


@pytest.mark.spec("RT-A4", "RT-H5", "RT-J1")
def test_every_call_is_answered(kit: Any) -> None:
    async def main(system: Any) -> None:
        closed = system.submit(kit.submit("t", work="8s"))
        await asyncio.sleep(1)
        args = {name: {"task": "t"} for name in ("backend.submit_again", "backend.query")}
        for name in CALLS:
            await system.call(kit.call(name.replace(".", "_"), name, **args.get(name, {})))
        await closed

    found = ended(kit.bench().play(main))
    assert {outcome for outcome, _ in found.values()} == {"done"}
    results = {id_: details["result"] for id_, (_, details) in found.items()}
    assert results["dispatcher_health"] == {
        "status": "ok",
        "bridges": 2,
        "onlineInstances": 4,
        "version": "1",
    }
    assert results["dispatcher_overview"] == {
        "totalBridges": 2,
        "totalInstances": 4,
        "onlineInstances": 4,
        "busyInstances": 1,
        "availableCapacity": 3,
    }
    asked = results["backend_query"]
    assert (asked["requestId"], asked["client_task_id"], asked["status"]) == (
        "md-t",
        "t",
        "RUNNING",
    )
    assert results["backend_refresh_token"] is True
    assert results["backend_submit_again"] is True
    assert results["backend_health"]["healthy"] is True


@pytest.mark.spec("RT-R3")
def test_a_task_that_is_submitted_again_is_not_done_again(kit: Any) -> None:
    async def main(system: Any) -> None:
        closed = system.submit(kit.submit("t"))
        await asyncio.sleep(0.5)
        await system.call(kit.call("c", "backend.submit_again", task="t"))
        await closed
        await system.call(kit.call("d", "backend.submit_again", task="t"))
        await asyncio.sleep(60)

    events = kit.bench().play(main)
    kinds = [event.kind for event in events if event.op == "t"]
    assert kinds.count("work.started") == kinds.count("action.settled") == 1
    assert kinds.count("caller.settled") == 1


def test_a_call_of_a_backend_that_is_down_has_failed(kit: Any) -> None:
    bench = kit.bench()

    async def main(system: Any) -> None:
        bench.fault("crash", target=["backend"])
        await system.call(kit.call("c", "backend.health"))

    found = ended(bench.play(main))
    assert found == {"c": ("failed", {"error": "CallError", "code": "DOWN"})}


def test_a_call_of_a_dispatcher_that_is_down_has_failed(kit: Any) -> None:
    bench = kit.bench()

    async def main(system: Any) -> None:
        bench.fault("crash", target=["dispatcher"])
        await system.call(kit.call("c", "dispatcher.health"))

    found = ended(bench.play(main))
    assert found == {"c": ("failed", {"error": "UnreachableError"})}


def test_a_call_that_nobody_answers_ends_all_the_same(kit: Any) -> None:
    bench = kit.bench()
    took: list[float] = []

    async def main(system: Any) -> None:
        bench.fault("unanswered", target="dispatcher", path="/api/overview")
        began = bench.world.loop.time()
        await system.call(kit.call("c", "dispatcher.overview"))
        took.append(bench.world.loop.time() - began)

    found = ended(bench.play(main))
    assert found == {"c": ("failed", {"error": "TimeoutError"})}
    assert took == [BOUND_S]


def test_what_the_dispatcher_refuses_is_told_by_its_status(kit: Any) -> None:
    bench = kit.bench()

    async def main(system: Any) -> None:
        bench.fault("reject", target="dispatcher", path="/api/overview", status=401)
        await system.call(kit.call("c", "dispatcher.overview"))

    found = ended(bench.play(main))
    assert found == {"c": ("failed", {"error": "CallError", "code": "401"})}


def test_a_task_that_was_never_submitted_is_a_mistake(kit: Any) -> None:
    async def main(system: Any) -> None:
        with pytest.raises(PluginError, match="t has not been submitted"):
            await system.call(kit.call("c", "backend.submit_again", task="t"))

    kit.bench().play(main)
