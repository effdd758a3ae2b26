"""Platforms: a request within its time, with another token where one is refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from path_kit import Stage, on_stage
from windtunnel.ports.network import Response
from windtunnel.services.backend.platforms import Refusal, Taken
from windtunnel.services.wire.addresses import CREATE_PATH, LOGIN_PATH, TASK_PATH
from windtunnel.services.wire.task import Task

TASK = Task("t", {"workflow_id": "w", "work_ns": 1_000_000_000})


async def submit(stage: Stage, side: str) -> Taken | Refusal:
    assert stage.backend is not None
    return await stage.backend._submitter._platforms.submit(side, TASK)  # type: ignore[arg-type]


@pytest.mark.spec("RT-A3", "RT-S4")
def test_what_was_taken() -> None:
    async def script(stage: Stage) -> None:
        last = stage.inside.sequence
        assert await submit(stage, "internal") == Taken("md-t", last + 1)
        assert await submit(stage, "external") == Taken("external-1")

    on_stage(script)


@pytest.mark.spec("RT-J2", "RT-B5")
def test_an_expired_token_is_refreshed_and_the_request_repeated_once() -> None:
    async def script(stage: Stage) -> None:
        stage.inside.revoked = {"token-1"}
        assert isinstance(await submit(stage, "internal"), Taken)
        assert (stage.inside.logins, stage.inside.tokens) == (2, ["token-2"])
        stage.inside.revoked = {"token-2", "token-3"}
        assert await submit(stage, "internal") == Refusal("token", 401, "token")
        assert stage.inside.logins == 3, "once"

    on_stage(script)


@pytest.mark.spec("RT-J2", "RT-B5")
def test_many_at_once_make_one_refresh_and_lose_nothing() -> None:
    async def script(stage: Stage) -> None:
        stage.inside.revoked = {"token-1"}
        await asyncio.gather(*(stage.submit(f"t.{i}", 1.0) for i in range(8)))
        await stage.settle(8)
        assert stage.inside.logins == 2
        assert stage.of("task.refused") == []
        assert stage.figure("to_internal") == 8

    on_stage(script, online=8)


@pytest.mark.spec("RT-X2")
def test_where_no_token_is_to_be_had() -> None:
    async def script(stage: Stage) -> None:
        stage.inside.revoked = {"token-1"}
        await stage.fault("reject", target="dispatcher", path=LOGIN_PATH, status=500)
        said = await submit(stage, "internal")
        assert isinstance(said, Refusal)
        assert (said.why, said.code) == ("token", None)
        (_, met) = stage.of("error.met")[-1]
        assert (met["error"], met["reaction"]) == ("token", "refresh")

    on_stage(script)


@pytest.mark.spec("RT-H6")
@pytest.mark.parametrize(
    ("side", "target", "path"),
    [("internal", "dispatcher", TASK_PATH), ("external", "external", CREATE_PATH)],
)
def test_it_takes_no_longer_than_it_may(side: str, target: str, path: str) -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("unanswered", target=target, path=path)
        began = stage.now
        assert await submit(stage, side) == Refusal("timeout")
        assert stage.now - began == pytest.approx(2.5)
        (_, met) = stage.of("error.met")[-1]
        assert (met["error"], met["severity"]) == ("network_timeout", "low")

    on_stage(script, task_timeout_s=2.5)


def test_nobody_there() -> None:
    async def script(stage: Stage) -> None:
        await stage.fault("flap", between=["backend", "external"])
        said = await submit(stage, "external")
        assert isinstance(said, Refusal)
        assert said.why == "unreachable"

    on_stage(script)


@pytest.mark.spec("RT-X2")
def test_an_error_nobody_thought_of_is_a_refusal_and_degrades() -> None:
    async def script(stage: Stage) -> None:
        stage.inside.answers["t"] = Response(200, {"success": True, "data": {"requestId": "md-t"}})
        assert stage.backend is not None
        adapters = stage.backend._submitter._platforms._adapters

        def broken(*_: object) -> str:
            raise ZeroDivisionError

        adapters["internal"].header = broken  # type: ignore[assignment, method-assign]
        assert await submit(stage, "internal") == Refusal("refused", None, "ZeroDivisionError")
        assert stage.figure("degraded")

    on_stage(script)


@pytest.mark.spec("F-R14", "F-R25")
@pytest.mark.parametrize(
    ("refusal", "of_capacity", "of_platform", "told"),
    [
        (Refusal("refused", 421, "queue full"), True, False, "REFUSED 421: queue full"),
        (Refusal("refused", 415), True, False, "REFUSED 415"),
        (Refusal("refused", 429), True, False, "REFUSED 429"),
        (Refusal("refused", 503), False, True, "REFUSED 503"),
        (Refusal("refused", -1, "odd"), False, True, "REFUSED -1: odd"),
        (Refusal("refused", 301), False, False, "REFUSED 301"),
        (Refusal("timeout"), False, True, "TIMEOUT"),
        (Refusal("unreachable", None, "gone"), False, True, "UNREACHABLE: gone"),
        (Refusal("breaker"), False, False, "BREAKER"),
        (Refusal("token"), False, False, "TOKEN"),
    ],
)
def test_whose_fault_a_refusal_is(
    refusal: Refusal, of_capacity: bool, of_platform: bool, told: str
) -> None:
    assert (refusal.of_capacity, refusal.of_platform) == (of_capacity, of_platform)
    assert str(refusal) == told


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize("side", ["internal", "external"])
def test_an_answer_that_nobody_can_read_is_a_refusal_and_says_nothing(side: str) -> None:
    async def script(stage: Stage) -> None:
        assert stage.backend is not None
        platforms = stage.backend._submitter._platforms

        def broken(_: Response) -> None:
            raise ZeroDivisionError

        adapter: Any = platforms._adapters[side]  # type: ignore[index]
        adapter.success_tasks = adapter.task_result = broken
        assert await submit(stage, side) == Refusal("refused", None, "ZeroDivisionError")
        assert await platforms.ask(side, "md-t", "t") is None  # type: ignore[arg-type]
        assert [met["error"] for _, met in stage.of("error.met")] == ["unknown"] * 2

    on_stage(script)
