"""The HTTP health check: three failures running are a verdict, which answers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from care_kit import Cluster, Dispatcher, Notes
from windtunnel.ports.network import Response
from windtunnel.services.backend.http_health import HttpHealth, Verdict
from windtunnel.services.wire.addresses import DISPATCHER_URL
from windtunnel_models import run as run_simulated

S = 10**9
GOOD = {"status": "ok", "bridges": 3, "onlineInstances": 7, "version": "1"}


class Scene:
    def __init__(self) -> None:
        self.cluster = Cluster()
        self.dispatcher = Dispatcher(self.cluster)
        self.notes = Notes()
        self.met: list[str] = []
        self.health = HttpHealth(
            self.cluster.backend,
            DISPATCHER_URL,
            self.notes,
            met=lambda error: self.met.append(type(error).__name__),
        )


def played(script: Callable[[Scene], Coroutine[Any, Any, None]]) -> Scene:
    async def main() -> Scene:
        scene = Scene()
        await script(scene)
        await scene.health.loop.stop()
        return scene

    return run_simulated(main(), debug=True)


@pytest.mark.spec("RT-H5")
def test_it_asks_every_10_s_and_keeps_the_figures() -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.health = Response(200, GOOD)
        assert scene.health.verdict() == Verdict(True, "not checked yet", None)
        scene.health.loop.start()
        await asyncio.sleep(35)
        assert scene.dispatcher.health_asked == 4
        assert scene.health.verdict() == Verdict(True, "", 30 * S + 2_000_000, 3, 7)

    scene = played(script)
    assert scene.notes.of("health.probed") == [{"ok": True, "verdict": "healthy"}] * 4


@pytest.mark.spec("RT-H5")
def test_three_failures_running_are_unhealthy_and_one_success_mends_it() -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.health = Response(200, GOOD)
        await scene.health.probe()
        scene.dispatcher.health = Response(503)
        verdicts = [(await scene.health.probe()).healthy for _ in range(4)]
        assert verdicts == [True, True, False, False]
        assert scene.health.verdict().reason == "answered with 503"
        assert scene.health.verdict().online == 7  # by the last that was answered
        scene.dispatcher.health = Response(200, GOOD)
        assert (await scene.health.probe()).healthy

    played(script)


@pytest.mark.spec("RT-H5", "RT-P1")
def test_a_silent_dispatcher_costs_5_s_of_a_check_and_no_time_of_a_query() -> None:
    async def script(scene: Scene) -> None:
        loop = asyncio.get_running_loop()
        scene.cluster.cut()
        scene.health.loop.start()
        await asyncio.sleep(4.9)
        assert scene.health.verdict().at is None
        await asyncio.sleep(0.2)
        before = loop.time()
        assert scene.health.verdict() == Verdict(True, "no answer within 5 s", 5 * S)
        assert loop.time() == before
        await asyncio.sleep(21)
        assert not scene.health.verdict().healthy

    scene = played(script)
    assert scene.notes.at("health.probed") == [5.0, 15.0, 25.0]
    assert scene.notes.of("health.probed")[2] == {"ok": False, "verdict": "unhealthy"}


def test_a_dispatcher_that_is_not_there_fails_the_check() -> None:
    async def script(scene: Scene) -> None:
        scene.cluster.crash()
        assert "dispatcher" in (await scene.health.probe()).reason

    assert played(script).notes.of("health.probed")[0]["ok"] is False


@pytest.mark.spec("RT-K1")
@pytest.mark.parametrize("version", ["2", 1, None])
def test_another_version_is_unhealthy_at_once_and_warned_of_once(
    version: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.health = Response(200, {**GOOD, "version": version})
        for _ in range(3):
            verdict = await scene.health.probe()
            assert not verdict.healthy
            assert f"has version {version!r}, this backend speaks '1'" in verdict.reason

    assert played(script).met == ["OtherVersionError"] * 3
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (None, "version None"),
        ("fine", "version None"),
        ({**GOOD, "bridges": "3"}, "names no `bridges`"),
        ({**GOOD, "onlineInstances": None}, "names no `bridges`"),
        ({**GOOD, "status": "degraded"}, "the dispatcher is degraded"),
    ],
)
def test_an_answer_that_is_not_well_is_a_failure(body: Any, reason: str) -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.health = Response(200, body)
        assert reason in (await scene.health.probe()).reason

    assert played(script).notes.of("health.probed")[0]["ok"] is False


@pytest.mark.spec("RT-H6")
def test_a_check_that_is_asked_for_is_made_at_once_and_not_twice() -> None:
    async def script(scene: Scene) -> None:
        running = asyncio.ensure_future(scene.health.run())
        scene.health.loop.start()
        await asyncio.sleep(3)
        for _ in range(5):
            scene.health.check_soon()
        await asyncio.sleep(1)
        running.cancel()

    assert played(script).notes.at("health.probed") == [0.002, 3.002]
