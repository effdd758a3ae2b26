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
        await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=503)
        await stage.submit("t", 1.0)
        await stage.settle(1)
        assert stage.outcome("t") == [("failed", "REFUSED 503: refused")]
        assert len(stage.of("task.refused")) == 3

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
