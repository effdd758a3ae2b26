"""Poller: at once when something has changed, at the latest with the next poll."""

from __future__ import annotations

import asyncio

import pytest

from path_kit import Stage, on_stage


@pytest.mark.spec("RT-S2", "RT-S5")
@pytest.mark.parametrize(
    ("internal", "external", "tasks", "to_internal", "to_external", "waiting"),
    [
        (30, 10, 25, 25, 0, 0),
        (30, 10, 30, 30, 0, 0),
        (30, 10, 35, 30, 5, 0),
        (30, 10, 40, 30, 10, 0),
        (30, 10, 45, 30, 10, 5),
        (0, 10, 5, 0, 5, 0),
        (30, 0, 35, 30, 0, 5),
    ],
)
def test_the_boundaries(
    internal: int, external: int, tasks: int, to_internal: int, to_external: int, waiting: int
) -> None:
    async def script(stage: Stage) -> None:
        for i in range(tasks):
            await stage.submit(f"t.{i}", 10.0)
        await asyncio.sleep(1)
        figures = (stage.figure("to_internal"), stage.figure("to_external"))
        assert (*figures, stage.figure("waiting")) == (to_internal, to_external, waiting)

    on_stage(script, online=internal, external=external)


@pytest.mark.spec("RT-S5", "RT-P3")
def test_a_batch_is_decided_in_one_and_said_once() -> None:
    async def script(stage: Stage) -> None:
        await asyncio.gather(*(stage.submit(f"t.{i}", 10.0) for i in range(9)))
        await asyncio.sleep(1)
        assert stage.of("route.decided") == [
            (
                "",
                {
                    "waiting": 9,
                    "internal": 4,
                    "external": 3,
                    "to_internal": 4,
                    "to_external": 3,
                },
            )
        ]

    on_stage(script, external=3)


@pytest.mark.spec("RT-S5")
def test_the_remainder_goes_in_order_as_room_comes() -> None:
    async def script(stage: Stage) -> None:
        for i in range(12):
            await stage.submit(f"t.{i:02}", 1.0)
        await stage.settle(12)
        sent = [op for op, _ in stage.of("task.sent")]
        assert sent == sorted(sent)
        assert stage.now < 6.5, "no poll is waited for, nor a report"

    on_stage(script, online=2, external=0)


@pytest.mark.spec("RT-S5")
def test_a_large_queue_is_taken_batch_by_batch() -> None:
    async def script(stage: Stage) -> None:
        await asyncio.gather(*(stage.submit(f"t.{i}", 10.0) for i in range(9)))
        await asyncio.sleep(1)
        assert stage.figure("inside") == 9
        moved = [d["to_internal"] for _, d in stage.of("route.decided")]
        assert (max(moved), sum(moved)) == (2, 9)

    on_stage(script, online=20, batch=2)


@pytest.mark.spec("RT-B2")
def test_a_burst_of_1000() -> None:
    async def script(stage: Stage) -> None:
        await asyncio.gather(*(stage.submit(f"t.{i}", 1.0) for i in range(1000)))
        await stage.settle(1000)
        assert all(answer.status == "done" for _, answer in stage.told)
        assert len({answer.id for _, answer in stage.told}) == 1000
        inside = [d["to_internal"] for _, d in stage.of("route.decided")]
        assert max(inside) == 30
        assert stage.of("task.refused") == []

    on_stage(script, online=40)


def test_what_time_alone_brings_is_seen_with_the_next_poll() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault(
            "reject", target="external", path="/task/openapi/create", status=502, times=1
        )
        await stage.submit("t", 1.0)
        await stage.settle(1)
        sent = next(at for at, kind, _, _ in stage.notes if kind == "task.sent")
        assert 1.0 < sent < 1.2, "a pause of 1 s, a poll of 0.1 s"

    on_stage(script, online=0)


def test_an_empty_queue_is_not_polled() -> None:
    async def script(stage: Stage) -> None:
        turns = 0
        assert stage.backend is not None
        router = stage.backend._poller._router
        decide = router.decide

        def count(*args: object) -> object:
            nonlocal turns
            turns += 1
            return decide(*args)  # type: ignore[arg-type]

        router.decide = count  # type: ignore[assignment, method-assign]
        await asyncio.sleep(8)
        assert turns == 0
        await stage.submit("t", 1.0)
        await asyncio.sleep(0.5)
        assert turns > 0

    on_stage(script)
