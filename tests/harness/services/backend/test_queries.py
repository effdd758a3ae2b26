"""Queries: what no webhook has told is asked for."""

from __future__ import annotations

import asyncio

import pytest

from path_kit import Stage, on_stage
from windtunnel.services.wire.addresses import CREATE_PATH, OUTPUTS_PATH, TASK_PATH, path_of


@pytest.mark.spec("RT-D3")
def test_a_task_inside_whose_webhook_does_not_come() -> None:
    async def script(stage: Stage) -> None:
        stage.inside.calls = False
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert 30 < stage.now < 34
        assert stage.outcome("t") == [("done", None)]

    on_stage(script)


@pytest.mark.spec("RT-P4")
def test_a_task_outside_whose_webhook_was_lost() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1.0)
        await asyncio.sleep(0.5)
        undo = await stage.fault("partition", target=["external"])
        await asyncio.sleep(5)
        await undo()
        await stage.settle(1)
        assert stage.outcome("t") == [("done", None)]

    on_stage(script, online=0)


def test_a_task_that_the_dispatcher_knows_no_longer_waits_again() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1000.0)
        await asyncio.sleep(1)
        del stage.inside.status["t"]
        await stage.settle(1, 1200)
        assert stage.watch.path("t") == "waiting sending inside waiting sending inside done"
        assert stage.inside.submitted == ["t", "t"]

    on_stage(script)


@pytest.mark.spec("RT-K1")
def test_a_task_that_the_platform_knows_no_longer_has_used_up_a_round() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 100.0)
        await asyncio.sleep(1)
        unknown = {"code": 807, "msg": "no task"}
        await stage.fault("reject", target="external", path=OUTPUTS_PATH, status=200, body=unknown)
        await stage.settle(1)
        assert stage.watch.path("t").count("outside") == 3
        assert stage.outcome("t") == [("failed", "REFUSED: lost outside")]
        assert stage.figure("outside_slots") == 0

    on_stage(script, online=0)


def test_one_that_still_runs_is_let_be_and_asked_for_again() -> None:
    async def script(stage: Stage) -> None:
        asked: list[float] = []
        found = stage.inside._answer

        async def listen(request: object) -> object:
            if request.method == "GET" and path_of(request.url) == TASK_PATH:  # type: ignore[attr-defined]
                asked.append(round(stage.now))
            return await found(request)  # type: ignore[arg-type]

        stage.inside._answer = listen  # type: ignore[assignment, method-assign]
        undo = await stage.fault("crash", target="dispatcher")
        await undo()
        await asyncio.sleep(35)
        await stage.submit("t", 100.0)
        began = round(stage.now)
        await stage.settle(1)
        assert [at - began for at in asked] == [30, 60, 90]

    on_stage(script)


def test_a_platform_that_does_not_answer_teaches_nothing() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 100.0)
        await asyncio.sleep(1)
        await stage.fault("unanswered", target="external", path=OUTPUTS_PATH)
        await asyncio.sleep(70)
        assert stage.watch.places["t"] == "outside"
        await stage.settle(1)
        assert {op for op, _ in stage.of("error.met")} == {"t"}

    on_stage(script, online=0)


@pytest.mark.spec("F-R17", "F-R10")
def test_a_slot_whose_task_is_over_here_ends_when_the_platform_says_so() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target="dispatcher", path=TASK_PATH, after=True, times=1)
        await stage.submit("t", 35.0)  # inside, and outside from 30 s on
        await stage.settle(1)
        undo = await stage.fault("partition", target=["external"])
        await asyncio.sleep(60)
        assert stage.figure("outside_slots") == 1, "its webhook is lost"
        await undo()
        await asyncio.sleep(31)
        assert stage.figure("outside_slots") == 0

    on_stage(script)


@pytest.mark.spec("RT-B4")
def test_after_a_restart_it_asks_at_once() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1.0)
        await asyncio.sleep(0.5)
        undo = await stage.fault("crash", target="backend")
        await asyncio.sleep(5)  # the platform's one call finds nobody
        await undo()
        await stage.settle(1, within=2)
        assert stage.outcome("t") == [("done", None)]

    on_stage(script, online=0)


@pytest.mark.spec("RT-H6")
def test_an_answer_that_was_lost_outside_is_made_up_for() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target="external", path=CREATE_PATH, after=True, times=1)
        await stage.submit("t", 5.0)
        await stage.settle(1)
        assert stage.watch.path("t") == "waiting sending done", "by its webhook"
        await asyncio.sleep(60)
        assert stage.figure("outside_slots") == 0
        assert stage.outcome("t") == [("done", None)]

    on_stage(script, online=0)


@pytest.mark.spec("RT-R6", "F-R7")
def test_no_question_is_asked_twice_at_once_and_a_silent_platform_holds_up_no_other() -> None:
    async def script(stage: Stage) -> None:
        stage.inside.calls = False
        for i in range(200):
            await stage.submit(f"out.{i}", 10_000.0, platform="elsewhere")
        await asyncio.sleep(2)
        assert stage.figure("outside") == 200
        await stage.fault("unanswered", target="external", path=OUTPUTS_PATH)
        assert stage.backend is not None
        queries = stage.backend._queries
        most = 0
        for _ in range(20):
            await asyncio.sleep(15)
            most = max(most, queries.under_way)
        assert 16 < most <= 200
        began = stage.now
        await stage.submit("in", 1.0)
        await stage.settle(1)
        assert stage.now - began < 35

    on_stage(script, external=200)
