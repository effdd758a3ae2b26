"""Submitter: each task by itself, so many at once, and what the platforms' accounts make of it."""

from __future__ import annotations

import asyncio

import pytest

from path_kit import Stage, on_stage
from windtunnel.policies.router.router_options import LISTED
from windtunnel.ports.network import Response
from windtunnel.services.wire.addresses import CREATE_PATH, TASK_PATH

REFUSED = Response(503, {"success": False, "code": 503, "error": "store down"})


@pytest.mark.spec("RT-P3")
def test_a_task_that_was_taken() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t")
        await stage.submit("u", platform="elsewhere")
        await stage.settle(2)
        assert stage.of("task.sent") == [
            ("t", {"side": "internal", "request": "md-t"}),
            ("u", {"side": "external", "request": "external-1"}),
        ]
        assert (stage.figure("to_internal"), stage.figure("to_external")) == (1, 1)
        assert (stage.figure("in_flight"), stage.figure("reserved")) == (0, 0)

    on_stage(script)


@pytest.mark.spec("F-R7")
def test_one_refused_submission_is_its_own_affair() -> None:
    async def script(stage: Stage) -> None:
        stage.inside.answers["t.3"] = REFUSED
        await asyncio.gather(*(stage.submit(f"t.{i}", 5.0) for i in range(8)))
        await asyncio.sleep(1)
        assert stage.figure("inside") == 7
        assert stage.watch.paths["t.3"][-2:] == ["sending", "outside"]
        await stage.settle(8)

    on_stage(script, online=8)


@pytest.mark.spec("F-R7")
def test_as_listed_a_refused_submission_loses_the_rest_of_its_batch() -> None:
    async def script(stage: Stage) -> None:
        stage.inside.answers["t.3"] = REFUSED
        await asyncio.gather(*(stage.submit(f"t.{i}", 5.0) for i in range(8)))
        await asyncio.sleep(20)
        lost = [i for i in range(8) if stage.watch.path(f"t.{i}") == "waiting sending"]
        assert lost == [4, 5, 6, 7]
        assert stage.figure("sending") == 4

    on_stage(script, online=8, options={"batch": "stops", "submissions": 1}, poll_s=0.001)


@pytest.mark.spec("F-R7", "RT-H6")
def test_a_black_hole_holds_up_no_more_than_may_be_under_way() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target="dispatcher", path=TASK_PATH)
        await asyncio.gather(*(stage.submit(f"t.{i:02}", 1.0) for i in range(40)))
        await asyncio.sleep(29)
        assert stage.figure("in_flight") == 30
        sent = {op for op, _ in stage.of("task.sent")}
        assert len(sent) == 10, "the outside goes on"
        await stage.settle(40)
        # Sixteen waited in vain, and that opened the breaker: the others did not have to.
        why = [details["why"] for _, details in stage.of("task.refused")]
        assert why.count("timeout") == 16
        assert stage.now < 40
        assert all(stage.outcome(f"t.{i:02}") == [("done", None)] for i in range(40))

    on_stage(script, online=30)


@pytest.mark.spec("RT-X1")
def test_five_failures_open_the_breaker_and_a_probe_closes_it() -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=500)
        for i in range(6):
            await stage.submit(f"t.{i}", 0.1)
            await asyncio.sleep(0.5)
        assert [d["state"] for _, d in stage.of("breaker.changed")] == ["open"]
        assert len(stage.of("task.refused")) == 5
        assert stage.watch.path("t.5") == "waiting sending outside done"
        await undo()
        await asyncio.sleep(30)
        for i in range(6, 9):
            await stage.submit(f"t.{i}", 5.0)
        await asyncio.sleep(0.5)
        assert [d["state"] for _, d in stage.of("breaker.changed")] == [
            "open",
            "half_open",
            "closed",
        ]
        assert "inside" in stage.watch.path("t.6")

    on_stage(script)


@pytest.mark.spec("F-R14")
@pytest.mark.parametrize("status", [400, 429])
def test_what_the_client_is_to_blame_for_opens_nothing(status: int) -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("reject", target="dispatcher", path=TASK_PATH, status=status)
        for i in range(8):
            await stage.submit(f"t.{i}", 0.1)
            await asyncio.sleep(0.2)
        assert len(stage.of("task.refused")) == 8
        assert stage.of("breaker.changed") == []

    on_stage(script)


@pytest.mark.spec("RT-S4", "F-R11")
def test_a_task_counts_until_a_report_counts_it() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("silent", between=["dispatcher", "backend"])
        for i in range(5):
            await stage.submit(f"t.{i}", 1.0)
        await asyncio.sleep(5)
        # No report has come: the four have ended, but nobody knows whether there is room.
        assert stage.figure("capacity_internal") == 0
        assert stage.figure("reserved") == 4
        assert "outside" in stage.watch.path("t.4")

    on_stage(script)


@pytest.mark.spec("RT-S4", "F-R11")
def test_a_result_that_is_faster_than_the_answer() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("accept_late", target="dispatcher", path=TASK_PATH, by=5_000_000_000)
        await stage.fault("accept_late", target="external", path=CREATE_PATH, by=5_000_000_000)
        await stage.submit("t", 1.0)
        await stage.submit("u", 1.0, platform="elsewhere")
        await stage.settle(2)
        assert stage.now < 2
        assert stage.watch.path("t") == stage.watch.path("u") == "waiting sending done"
        await asyncio.sleep(10)
        assert stage.figure("reserved") == 0
        assert len(stage.of("task.sent")) == 2
        assert stage.watch.path("t") == "waiting sending done"

    on_stage(script)


@pytest.mark.spec("RT-H3")
def test_what_was_not_sent_before_a_degradation_waits_again() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target="dispatcher", path=TASK_PATH, times=1)
        await asyncio.gather(stage.submit("a", 1.0), stage.submit("b", 1.0))
        await asyncio.sleep(15)
        assert stage.backend is not None
        stage.backend._errors.met(ValueError("odd"))
        await asyncio.sleep(17)
        assert stage.watch.path("b") == "waiting sending waiting sending outside done"
        assert not [op for op, _ in stage.of("task.refused") if op == "b"]

    on_stage(script, options={"submissions": 1}, online=2)


def test_the_listed_options_are_a_backend_too() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1.0)
        await asyncio.sleep(5)
        assert stage.figure("done") == 1

    on_stage(script, options=LISTED)
