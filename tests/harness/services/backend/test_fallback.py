"""Fallback: inside, outside, waiting: what becomes of a task whose submission failed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from path_kit import Stage, on_stage
from windtunnel.services.wire.addresses import CREATE_PATH, TASK_PATH


@pytest.mark.spec("RT-H6")
@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ({"do": "reject", "status": 503}, "refused"),
        ({"do": "unanswered"}, "timeout"),
        ({"do": "unanswered", "after": True}, "timeout"),
    ],
)
def test_a_submission_that_fails_inside_is_completed_outside(
    fault: dict[str, Any], why: str
) -> None:
    async def script(stage: Stage) -> None:
        await stage.fault(target="dispatcher", path=TASK_PATH, times=1, **fault)
        await stage.submit("t", 100.0)
        await stage.settle(1)
        ((op, details),) = stage.of("task.refused")
        assert (op, details["side"], details["why"]) == ("t", "internal", why)
        assert stage.of("task.fell_back") == [("t", {"why": why})]
        assert stage.watch.path("t") == "waiting sending waiting sending outside done"
        assert stage.figure("reserved") == 0
        fell = next(at for at, kind, _, _ in stage.notes if kind == "task.fell_back")
        assert fell < 30.1, "RT-H6: no longer than 30 s"

    on_stage(script)


@pytest.mark.spec("RT-H6")
def test_nobody_there_is_unreachable() -> None:
    async def script(stage: Stage) -> None:
        crashed = asyncio.ensure_future(stage.fault("crash", target="dispatcher"))
        await stage.submit("t", 1.0)
        await crashed
        await stage.settle(1)
        ((_, details),) = stage.of("task.refused")
        assert details == {"side": "internal", "why": "unreachable"}

    on_stage(script)


@pytest.mark.spec("RT-H6")
def test_where_the_outside_is_full_it_waits_for_that() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=503, times=1)
        await stage.submit("a", 10.0, platform="runninghub")
        await asyncio.sleep(1)
        assert stage.figure("outside") == 1
        await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=503, times=1)
        await stage.submit("b", 1.0)
        await asyncio.sleep(2)
        assert stage.watch.path("b") == "waiting sending waiting"
        assert stage.figure("capacity_internal") == 4, "there is room inside: not for this one"
        await stage.settle(2)
        assert stage.watch.path("b") == "waiting sending waiting sending outside done"

    on_stage(script, external=1)


@pytest.mark.spec("RT-K1")
def test_a_fallback_that_fails_begins_another_round_until_the_last() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=503)
        await stage.fault("reject", target="external", path=CREATE_PATH, status=502)
        await stage.submit("t", 1.0)
        await stage.settle(1)
        sides = [details["side"] for _, details in stage.of("task.refused")]
        assert sides == ["internal", "external"] * 3
        ((status, error),) = stage.outcome("t")
        assert status == "failed"
        assert error is not None
        assert error.startswith("REFUSED 502")
        assert 3 < stage.now < 4, "pauses of 1 and 2 s"

    on_stage(script)


@pytest.mark.spec("RT-K1", "F-R16")
def test_a_round_that_succeeds_ends_it() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=503, times=2)
        await stage.fault("reject", target="external", path=CREATE_PATH, status=502, times=2)
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert stage.outcome("t") == [("done", None)]
        assert stage.watch.paths["t"][-2:] == ["inside", "done"], "the third round, inside again"

    on_stage(script)


@pytest.mark.spec("RT-K1")
def test_without_an_outside_the_next_level_is_waiting() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=503, times=2)
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert stage.of("task.fell_back") == []
        assert (
            stage.watch.path("t") == "waiting sending waiting sending waiting sending inside done"
        )
        assert 4 < stage.now < 5, "pauses of 1 and 2 s"

    on_stage(script, external=0)


@pytest.mark.spec("RT-K1")
def test_without_an_outside_it_fails_after_the_last_round() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=500)
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert stage.outcome("t") == [("failed", "REFUSED 500: refused")]
        assert len(stage.of("task.refused")) == 3

    on_stage(script, external=0)


@pytest.mark.spec("RT-X2")
def test_what_is_out_of_service_for_a_while_fails_nothing() -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=503)
        await stage.submit("t", 1.0)
        await asyncio.sleep(40)
        assert len(stage.of("task.refused")) > 3
        await undo()
        await stage.settle(1)
        assert stage.outcome("t") == [("done", None)]

    on_stage(script, external=0)


@pytest.mark.spec("F-R25")
def test_a_refusal_for_lack_of_capacity_uses_up_no_round() -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("occupy", slots=2)
        for i in range(3):
            await stage.submit(f"t.{i}", 1.0)
        await asyncio.sleep(40)
        refused = stage.of("task.refused")
        assert {details["code"] for _, details in refused} == {421}
        assert 5 <= len(refused) <= 16, "1, 2, 4, 8, 16 s: two at a time"
        assert stage.figure("waiting") == 3
        await undo()
        await stage.settle(3)
        assert [answer.id for _, answer in stage.told] == ["t.0", "t.1", "t.2"], "in order"
        assert all(stage.outcome(f"t.{i}") == [("done", None)] for i in range(3))

    on_stage(script, online=0, external=2)


@pytest.mark.spec("F-R25")
def test_a_full_dispatcher_uses_up_no_round_either() -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=429)
        await stage.submit("t", 1.0)
        await asyncio.sleep(60)
        assert stage.figure("waiting") == 1
        await undo()
        await stage.settle(1)
        assert stage.outcome("t") == [("done", None)]

    on_stage(script, external=0)


@pytest.mark.spec("F-R10")
def test_room_that_comes_free_outside_ends_the_pause() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("occupy", slots=1)
        await stage.submit("a", 5.5)
        await stage.submit("b", 1.0)
        await asyncio.sleep(6.8)
        assert len(stage.of("task.refused")) == 3, "at 0, 1, 3 s; the next were at 7 s"
        assert [answer.id for _, answer in stage.told] == ["a", "b"]

    on_stage(script, online=0, external=2)


@pytest.mark.spec("RT-K1")
@pytest.mark.parametrize(("target", "path", "status"), [("dispatcher", TASK_PATH, 400)])
def test_a_task_that_a_platform_finds_ill_formed_fails_at_once(
    target: str, path: str, status: int
) -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("reject", target=target, path=path, status=status)
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert stage.outcome("t") == [("failed", "WRONG_FORM")]
        assert len(stage.of("task.refused")) == 1

    on_stage(script)


@pytest.mark.spec("RT-S6")
def test_other_platforms_are_not_paused_with_ours() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("reject", target="external", path=CREATE_PATH, status=502, times=1)
        await stage.submit("ours", 1.0)
        await asyncio.sleep(0.1)
        await stage.submit("theirs", 1.0, platform="elsewhere")
        await asyncio.sleep(0.5)
        assert stage.watch.path("theirs") == "waiting sending outside"
        assert stage.figure("outside_slots") == 0, "nor do they take our slots"
        await stage.settle(2)

    on_stage(script, online=0)


@pytest.mark.spec("RT-K1", "RT-P4")
def test_a_submission_outside_that_was_not_answered_is_waited_for() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target="external", path=CREATE_PATH, after=True)
        await stage.submit("t", 100.0)
        await asyncio.sleep(31)
        assert stage.watch.path("t") == "waiting sending outside", "its name there is not known"
        assert stage.figure("outside_slots") == 1
        await stage.settle(1)
        assert 100 < stage.now < 101
        assert stage.outcome("t") == [("done", None)]
        assert stage.figure("outside_slots") == 0
        started = [event for event in stage.world.trace if event.kind == "work.started"]
        assert len(started) == 1

    on_stage(script, online=0)


@pytest.mark.spec("RT-K1")
def test_one_that_was_not_taken_has_another_round_when_it_was_waited_for_long_enough() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target="external", path=CREATE_PATH)
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert stage.watch.path("t") == " ".join(["waiting sending outside"] * 3 + ["failed"])
        assert stage.outcome("t") == [("failed", "TIMEOUT")]
        assert 3 * (30 + 90) < stage.now < 3 * (30 + 90) + 30
        assert stage.figure("outside_slots") == 0

    on_stage(script, online=0)


@pytest.mark.spec("RT-K1", "RT-B4")
@pytest.mark.parametrize("taken", [True, False])
def test_a_restart_goes_on_waiting_for_it(taken: bool) -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("unanswered", target="external", path=CREATE_PATH, after=taken)
        await stage.submit("t", 100.0)
        await asyncio.sleep(40)
        await (await stage.fault("crash", target="backend"))()
        await undo()
        await asyncio.sleep(1)
        assert stage.figure("outside_slots") == 1
        await stage.settle(1)
        rest = "done" if taken else "waiting sending outside done"
        assert stage.watch.path("t") == f"waiting sending outside {rest}"

    on_stage(script, online=0)


@pytest.mark.spec("RT-K1")
def test_a_task_that_the_dispatcher_may_have_does_not_fail_before_it_was_asked() -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("unanswered", target="dispatcher", path=TASK_PATH, after=True)
        await stage.submit("t", 1000.0)
        await asyncio.sleep(100)
        assert stage.watch.places["t"] == "inside", "three rounds of 30 s are over"
        await undo()
        await stage.settle(1, 1200)
        assert stage.outcome("t") == [("done", None)]
        assert stage.inside.submitted == ["t"] * 3, "a task is accepted once there"

    on_stage(script, external=0, breaker_failures=9)


@pytest.mark.spec("RT-K1")
@pytest.mark.parametrize(("silent", "error"), [(False, "REFUSED: lost inside"), (True, "TIMEOUT")])
def test_it_fails_when_the_dispatcher_has_it_not_or_is_silent_for_long(
    silent: bool, error: str
) -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("unanswered", target="dispatcher", path=TASK_PATH)
        await stage.submit("t", 1.0)
        await asyncio.sleep(100)
        assert stage.watch.places["t"] == "inside"
        if not silent:
            await undo()
        await stage.settle(1)
        assert stage.outcome("t") == [("failed", error)]
        assert stage.inside.submitted == []

    on_stage(script, external=0, breaker_failures=9)


@pytest.mark.spec("RT-K1")
def test_a_platform_that_was_cut_off_is_waited_for_before_a_task_fails() -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("crash", target="external")
        await stage.submit("t", 1.0)
        await asyncio.sleep(4)
        assert stage.watch.path("t").split()[-2:] == ["sending", "outside"], "three rounds are over"
        await undo()
        await stage.settle(1)
        assert stage.outcome("t") == [("failed", "TIMEOUT")]
        assert 90 < stage.now < 100

    on_stage(script, online=0)


@pytest.mark.spec("RT-K1")
def test_what_the_dispatcher_loses_time_and_again_fails() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1000.0)
        for _ in range(3):
            await asyncio.sleep(1)
            del stage.inside.status["t"]
            await asyncio.sleep(35)
        await stage.settle(1)
        assert stage.outcome("t") == [("failed", "REFUSED: lost inside")]
        assert stage.inside.submitted == ["t"] * 3

    on_stage(script)


@pytest.mark.spec("RT-H6", "RT-C3")
def test_a_failure_inside_does_not_end_what_runs_outside() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target="dispatcher", path=TASK_PATH, after=True, times=1)
        await stage.submit("t", 40.0)
        await asyncio.sleep(35)
        assert stage.watch.places["t"] == "outside"
        stage.inside.end("t", "FAILED", error="no luck")
        await stage.settle(1)
        assert stage.outcome("t") == [("done", None)]
        assert stage.of("result.ignored") == [("t", {"party": "backend", "why": "late"})]

    on_stage(script)
