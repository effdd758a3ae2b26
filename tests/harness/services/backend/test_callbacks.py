"""Callbacks: what a webhook says is believed once, and answered with 200 once it is stored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from path_kit import Stage, on_stage
from windtunnel.ports.network import Request
from windtunnel.services.wire.addresses import CALLBACK_URL, TASK_PATH
from windtunnel_models.cluster.part import ClusterPart


async def post(stage: Stage, body: Any, url: str = CALLBACK_URL, method: str = "POST") -> Any:
    """Call the webhook as the dispatcher's host does."""
    ports = stage.inside._ports
    assert ports is not None
    answer = await ports.network.request(Request(method, url, body))
    return answer.status, answer.body


def said(id_: str, status: str, **more: Any) -> dict[str, Any]:
    return {"taskId": f"md-{id_}", "client_task_id": id_, "status": status, **more}


@pytest.mark.spec("RT-D3", "RT-D6")
@pytest.mark.parametrize(
    ("status", "more", "told"),
    [
        ("SUCCESS", {"result": 1}, ("done", None)),
        ("FAILED", {"error": "no luck"}, ("failed", "no luck")),
        ("FAILED", {}, ("failed", "FAILED")),
        ("EXPIRED", {}, ("expired", "EXPIRED")),
    ],
)
def test_the_end_of_a_task(status: str, more: dict[str, Any], told: Any) -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1000.0)
        await asyncio.sleep(1)
        assert await post(stage, said("t", status, **more)) == (200, {"ok": True})
        await stage.settle(1)
        assert stage.outcome("t") == [told]
        assert stage.watch.places["t"] == told[0]

    on_stage(script)


@pytest.mark.spec("RT-C3", "F-R6", "F-R17")
def test_the_first_result_wins_whichever_platform_says_it() -> None:
    async def script(stage: Stage) -> None:
        # The dispatcher takes the task, and its answer is lost: the task goes outside as well.
        await stage.fault("unanswered", target="dispatcher", path=TASK_PATH, after=True, times=1)
        await stage.submit("t", 40.0)
        await stage.settle(1)
        assert 40 < stage.now < 41, "the inside was first"
        assert stage.figure("outside_slots") == 1, "the platform is still at it"
        await asyncio.sleep(40)
        assert stage.figure("outside_slots") == 0
        assert stage.of("result.ignored") == [("t", {"party": "backend", "why": "repeated"})]
        assert len(stage.told) == 1

    on_stage(script)


def test_a_result_said_again_changes_nothing() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1.0)
        await stage.settle(1)
        for _ in range(2):
            assert await post(stage, said("t", "FAILED")) == (200, {"ok": True})
        assert stage.outcome("t") == [("done", None)]
        assert len(stage.of("result.ignored")) == 2
        assert await post(stage, said("never", "SUCCESS")) == (200, {"ok": True})
        assert stage.of("result.ignored")[-1] == ("never", {"party": "backend", "why": "late"})

    on_stage(script)


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"client_task_id": "t"},
        {"client_task_id": 7, "status": "SUCCESS"},
        {"client_task_id": "t", "status": "ODD"},
    ],
)
def test_what_is_no_webhook_is_refused(body: Any) -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 100.0)
        assert (await post(stage, body))[0] == 400
        assert stage.of("message.ignored") == [("", {"party": "backend", "why": "broken"})]
        assert (await post(stage, body, CALLBACK_URL + "s"))[0] == 404
        assert (await post(stage, body, method="GET"))[0] == 404

    on_stage(script)


@pytest.mark.spec("RT-X2")
def test_what_is_not_stored_is_to_be_said_again() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1000.0)
        await asyncio.sleep(1)
        undo = await stage.fault("store_down", target="backend")
        assert (await post(stage, said("t", "SUCCESS")))[0] == 503
        assert (await post(stage, said("t", "SUCCESS")))[0] == 503
        await undo()
        await asyncio.sleep(1.5)
        assert await post(stage, said("t", "SUCCESS")) == (200, {"ok": True})
        assert len(stage.told) == 1

    on_stage(script)


@pytest.mark.spec("RT-D5")
def test_an_offered_task_is_taken_over_and_completed_outside() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 5.0)
        await asyncio.sleep(1)
        for _ in range(2):  # at least once: the same answer to the same offer
            assert await post(stage, said("t", "OFFERED")) == (200, {"ok": True, "taken": True})
        await stage.settle(1)
        assert stage.watch.path("t") == "waiting sending inside waiting sending outside done"
        assert stage.of("task.fell_back") == [("t", {"why": "offered"})]
        assert await post(stage, said("t", "OFFERED")) == (200, {"ok": True, "taken": True})

    stage = on_stage(script)
    assert isinstance(stage.world.parts["cluster"], ClusterPart)


@pytest.mark.spec("RT-D5")
def test_an_offer_is_not_taken_where_there_is_no_outside_or_the_task_is_elsewhere() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 100.0)
        await asyncio.sleep(1)
        assert await post(stage, said("t", "OFFERED")) == (200, {"ok": True, "taken": False})
        assert await post(stage, said("u", "OFFERED")) == (200, {"ok": True, "taken": False})
        assert stage.watch.places["t"] == "inside"

    on_stage(script, external=0)


@pytest.mark.spec("RT-D5", "RT-K1")
def test_what_was_taken_over_never_goes_inside_again() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 5.0)
        await asyncio.sleep(1)
        await stage.fault(
            "reject", target="external", path="/task/openapi/create", status=502, times=2
        )
        await post(stage, said("t", "OFFERED"))
        await stage.settle(1)
        assert stage.watch.path("t").count("inside") == 1
        assert stage.inside.submitted == ["t"]

    on_stage(script)


@pytest.mark.spec("RT-D5", "RT-C3")
def test_a_task_that_is_over_is_taken_from_the_dispatcher() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1.0)
        await stage.settle(1)
        # Else it would be done once more, for nobody.
        assert await post(stage, said("t", "OFFERED")) == (200, {"ok": True, "taken": True})
        assert stage.watch.places["t"] == "done"

    on_stage(script, external=0)
