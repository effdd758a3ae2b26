"""The external platform: what it answers, how many tasks it takes at once, and whom it calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleet_kit import Caller, body, cluster_of, play
from windtunnel.services.wire.addresses import CREATE_PATH, OUTPUTS_PATH
from windtunnel.services.wire.task import result_of
from windtunnel.units import SECOND
from windtunnel.world import Fault
from windtunnel_models.cluster import external
from windtunnel_models.cluster.external import FULL, LOST, NO_SUCH_TASK, OK, WRONG_FORM
from windtunnel_models.world import SimWorld

Script = Callable[[SimWorld, Caller], Awaitable[None]]


def with_a_caller(script: Script, **given: Any) -> tuple[Caller, SimWorld]:
    callers: list[Caller] = []

    async def main(world: SimWorld) -> None:
        callers.append(Caller(world))
        await asyncio.sleep(0.001)
        await script(world, callers[0])

    world = play(main, **given)
    return callers[0], world


def work_of(world: SimWorld) -> list[tuple[float, str, str, str]]:
    """Give (seconds, what, op, outcome) of what the platform did."""
    found = []
    for event in world.trace.of("work.started", "work.ended"):
        assert (event.resource, event.details["side"]) == ("external", "external")
        found.append((event.time / SECOND, event.kind[5:], event.op, event.outcome))
    return found


def test_takes_a_task_works_on_it_and_calls_once() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        id_ = await caller.create("t", 2)
        assert id_ == "external-1"
        assert await caller.outputs(id_) == {"status": "RUNNING"}
        await asyncio.sleep(5)
        result = result_of(body("t", 2))
        assert await caller.outputs(id_) == {"status": "SUCCESS", "result": result}
        told = {"taskId": id_, "client_task_id": "t", "status": "SUCCESS", "result": result}
        assert caller.called == [(2.001, told)]

    _, world = with_a_caller(script)
    assert work_of(world) == [(0.001, "started", "t", ""), (2.001, "ended", "t", "done")]


def test_refuses_what_is_over_its_limit_with_status_200() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        assert [await caller.create(op) for op in "ab"] == ["external-1", "external-2"]
        answer = await caller.ask(CREATE_PATH, body("c"))
        assert (answer.status, answer.body) == (200, {"code": FULL, "msg": "queue full"})
        await asyncio.sleep(1)
        assert await caller.create("c") == "external-3"

    with_a_caller(script, external=2)


def test_a_platform_without_slots_takes_nothing() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        assert await caller.create("a") == "queue full"

    assert work_of(with_a_caller(script, external=0)[1]) == []


def test_knows_no_task_a_second_time() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        assert [await caller.create("a") for _ in "12"] == ["external-1", "external-2"]
        await asyncio.sleep(2)
        assert [told["taskId"] for _, told in caller.called] == ["external-1", "external-2"]

    with_a_caller(script)


@pytest.mark.parametrize(
    ("path", "asked", "code", "message"),
    [
        (CREATE_PATH, {}, WRONG_FORM, "`workflow_id` must be"),
        (CREATE_PATH, {"workflow_id": "w"}, WRONG_FORM, "`client_task_id` must be"),
        (CREATE_PATH, body("t") | {"work_ns": "1s"}, WRONG_FORM, "`work_ns` is a whole number"),
        (OUTPUTS_PATH, {}, NO_SUCH_TASK, "no task None"),
        (OUTPUTS_PATH, {"taskId": "external-1"}, NO_SUCH_TASK, "no task external-1"),
        (CREATE_PATH, body("t"), OK, "success"),
    ],
)
def test_says_what_is_wrong_in_the_body(path: str, asked: Any, code: int, message: str) -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        answer = await caller.ask(path, asked)
        assert answer.status == 200
        assert (answer.body["code"], answer.body["msg"][: len(message)]) == (code, message)

    with_a_caller(script)


def test_what_is_not_there_and_what_is_not_posted() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        assert (await caller.ask("/task", {})).status == 404
        assert (await caller.ask(CREATE_PATH, {}, "GET")).status == 405

    with_a_caller(script)


def test_is_as_slow_as_it_is_given() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        await caller.create("t", 2)
        await asyncio.sleep(9)

    caller, _ = with_a_caller(script, external_slow=3.5)
    assert [at for at, _ in caller.called] == [7.001]


def test_a_webhook_that_nobody_answers_is_not_called_again() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        id_ = await caller.create("t")
        world.inject(Fault("c", "crash", {"target": "backend"}))
        await asyncio.sleep(200)
        world.undo(Fault("c", "crash", {"target": "backend"}))
        await asyncio.sleep(200)
        assert caller.called == []
        assert (await caller.outputs(id_))["status"] == "SUCCESS"
        await caller.create("u")  # and the platform has not suffered
        await asyncio.sleep(2)
        assert len(caller.called) == 1

    with_a_caller(script)


def test_a_webhook_that_is_never_answered_is_given_up() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        def calls() -> int:
            return sum(task.get_coro().__name__ == "_call" for task in asyncio.all_tasks())  # type: ignore[union-attr]

        world.inject(Fault("u", "unanswered", {"target": "backend", "path": "/callback"}))
        await caller.create("t")
        await asyncio.sleep(2)
        assert calls() == 1
        await asyncio.sleep(30)
        assert calls() == 0

    with_a_caller(script)


def test_a_call_that_was_to_be_made_is_lost_in_a_crash() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        await caller.create("t")
        platform = cluster_of(world).fleet.external
        (job,) = platform._running.values()
        assert job.work is not None
        job.work.stop()
        platform._end(job, None)  # and at this instant, before its program goes on:
        crash = Fault("c", "crash", {"target": "external"})
        world.inject(crash)
        world.undo(crash)
        await asyncio.sleep(5)
        assert (await caller.outputs(job.id))["status"] == "SUCCESS"

    assert with_a_caller(script)[0].called == []


def test_a_task_without_a_webhook_calls_nobody() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        await caller.ask(CREATE_PATH, body("t"))
        await asyncio.sleep(2)
        assert (await caller.outputs("external-1"))["status"] == "SUCCESS"

    assert with_a_caller(script)[0].called == []


def test_a_crash_loses_what_it_works_on() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        done = await caller.create("a", 1)
        lost = await caller.create("b", 5)
        await asyncio.sleep(2)
        crash = Fault("c", "crash", {"target": "external"})
        world.inject(crash)
        await asyncio.sleep(1)
        world.undo(crash)
        await asyncio.sleep(10)
        assert (await caller.outputs(done))["status"] == "SUCCESS"
        assert await caller.outputs(lost) == {"status": "FAILED", "error": LOST}
        assert cluster_of(world).fleet.external.free == 10

    caller, world = with_a_caller(script)
    assert [told["taskId"] for _, told in caller.called] == ["external-1"]
    assert work_of(world)[-1] == (2.001, "ended", "b", "aborted")


def test_remembers_the_newest_of_what_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external, "KEPT", 2)

    async def script(world: SimWorld, caller: Caller) -> None:
        for op in "abc":
            await caller.create(op)
        await asyncio.sleep(2)
        told = [(await caller.outputs(f"external-{number}")).get("status") for number in (1, 2, 3)]
        assert told == [None, "SUCCESS", "SUCCESS"]

    with_a_caller(script)


def test_tells_what_is_read_and_written() -> None:
    async def script(world: SimWorld, caller: Caller) -> None:
        heard: list[tuple[str, str]] = []
        world.accesses.listener = lambda resource, mode: heard.append((resource, mode))
        id_ = await caller.create("t")
        assert heard == [("external.slots", "read"), ("external.slots", "write")]
        assert await caller.create("u") == "queue full"
        await caller.outputs(id_)
        assert heard[2:] == [("external.slots", "read")] * 2
        await asyncio.sleep(2)
        assert heard[4:] == [("external.slots", "write")]
        world.accesses.listener = None

    with_a_caller(script, external=1)


@settings(max_examples=50, deadline=None)
@given(
    slots=st.integers(0, 3),
    tasks=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30)), max_size=15),
)
def test_never_works_on_more_than_it_has_slots_and_calls_for_each(
    slots: int, tasks: list[tuple[int, int]]
) -> None:
    taken: list[str] = []

    async def script(world: SimWorld, caller: Caller) -> None:
        for number, (wait, work) in enumerate(tasks):
            await asyncio.sleep(wait / 10)
            running = slots - cluster_of(world).fleet.external.free
            told = await caller.create(f"t{number}", work / 10)
            assert (told == "queue full") == (running == slots)
            if told != "queue full":
                taken.append(told)
        await asyncio.sleep(10)

    caller, world = with_a_caller(script, external=slots)
    assert sorted(told["taskId"] for _, told in caller.called) == sorted(taken)
    running = most = 0
    for _, what, _, _ in work_of(world):
        running += 1 if what == "started" else -1
        most = max(most, running)
    assert (running, most <= slots) == (0, True)
