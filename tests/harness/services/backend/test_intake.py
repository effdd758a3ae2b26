"""Intake: tasks are stored when `submit` returns, once each, and one of the wrong form fails."""

from __future__ import annotations

import asyncio

import pytest

from path_kit import Stage, on_stage
from windtunnel.services.wire.task import Task


@pytest.mark.spec("RT-S5", "RT-R3")
def test_a_task_is_stored_when_it_was_submitted() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t")
        assert stage.watch.path("t") != ""

    on_stage(script)


@pytest.mark.spec("RT-R3")
def test_a_task_that_is_known_changes_nothing() -> None:
    async def script(stage: Stage) -> None:
        await asyncio.gather(stage.submit("t"), stage.submit("t"))
        await stage.submit("t")
        await stage.settle(1)
        await stage.submit("t")
        await asyncio.sleep(5)
        assert stage.watch.path("t") == "waiting sending inside done"
        assert stage.inside.submitted == ["t"]
        assert len(stage.told) == 1

    on_stage(script)


@pytest.mark.spec("RT-K1")
@pytest.mark.parametrize(
    "body", [{}, {"workflow_id": 7}, {"workflow_id": "w", "node_info_list": "x"}]
)
def test_a_task_of_the_wrong_form_fails_at_once_and_is_not_sent(body: dict[str, object]) -> None:
    async def script(stage: Stage) -> None:
        assert stage.backend is not None
        await stage.backend.submit(Task("t", body))
        await asyncio.sleep(1)
        assert stage.outcome("t") == [("failed", "WRONG_FORM")]
        assert stage.watch.path("t") == "failed"
        assert stage.inside.submitted == []
        assert stage.of("task.refused") == [("t", {"side": "internal", "why": "wrong_form"})]

    on_stage(script)


@pytest.mark.spec("RT-K1")
def test_so_does_one_that_is_no_json() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", odd={1, 2})
        await stage.submit("u", platform="elsewhere", odd=float("inf"))
        await asyncio.sleep(1)
        assert stage.outcome("t") == stage.outcome("u") == [("failed", "WRONG_FORM")]

    on_stage(script)


@pytest.mark.spec("RT-S6")
@pytest.mark.parametrize(("enabled", "platform"), [(False, "runninghub"), (True, "elsewhere")])
def test_what_is_not_routed_is_not_judged(enabled: bool, platform: str) -> None:
    async def script(stage: Stage) -> None:
        assert stage.backend is not None
        await stage.backend.submit(Task("t", {"workflow_id": ""}, platform))
        await stage.settle(1)
        # The platform judges it.
        assert stage.of("task.refused") == [
            ("t", {"side": "external", "why": "wrong_form", "code": 301})
        ]

    on_stage(script, enabled=enabled)


@pytest.mark.spec("RT-X2")
def test_in_an_emergency_no_task_is_taken_in() -> None:
    async def script(stage: Stage) -> None:
        backend = stage.backend
        assert backend is not None
        backend._errors.met(MemoryError())
        submitted = asyncio.ensure_future(stage.submit("t"))
        await asyncio.sleep(15)
        assert not submitted.done()
        assert stage.watch.path("t") == ""
        await asyncio.sleep(30)  # three good checks
        await submitted
        assert stage.of("router.recovered")

    on_stage(script)


@pytest.mark.spec("RT-X2")
def test_while_the_store_is_down_it_waits() -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("store_down", target="backend")
        submitted = asyncio.ensure_future(stage.submit("t"))
        await asyncio.sleep(10)
        assert not submitted.done()
        await undo()
        async with asyncio.timeout(2):
            await submitted
        await stage.settle(1)

    on_stage(script)
