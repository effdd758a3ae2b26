"""The token manager: one log-in for all who ask, the old token kept, no secret shown."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from care_kit import Cluster, Dispatcher, Notes
from windtunnel.services.backend.token_manager import TokenManager, TokenRefused
from windtunnel.services.wire.addresses import DISPATCHER_URL
from windtunnel_models import run as run_simulated

HOUR = 3600


class Scene:
    """A manager, its dispatcher and its notes."""

    def __init__(self, **settings: Any) -> None:
        self.cluster = Cluster()
        self.dispatcher = Dispatcher(self.cluster)
        self.notes = Notes()
        self.manager = TokenManager(
            self.cluster.backend, DISPATCHER_URL, "u", "sesame", self.notes, **settings
        )
        self.runs: asyncio.Task[None] | None = None

    def start(self) -> None:
        self.runs = asyncio.ensure_future(self.manager.run())


def played(script: Callable[[Scene], Coroutine[Any, Any, None]], **settings: Any) -> Scene:
    """Play a script; return what is left."""

    async def main() -> Scene:
        scene = Scene(**settings)
        await script(scene)
        if scene.runs is not None:
            scene.runs.cancel()
            await asyncio.wait([scene.runs])
            assert scene.runs.cancelled()
        return scene

    return run_simulated(main(), debug=True)


@pytest.mark.spec("RT-J1")
def test_it_logs_in_at_once_and_refreshes_every_20_h() -> None:
    async def script(scene: Scene) -> None:
        scene.start()
        await asyncio.sleep(1)
        assert scene.manager.token() == "token-1"
        await asyncio.sleep(45 * HOUR)
        assert scene.manager.token() == "token-3"

    scene = played(script)
    assert scene.notes.at("token.obtained") == pytest.approx([0, 20 * HOUR, 40 * HOUR], abs=1)
    assert scene.notes.of("token.obtained")[0] == {"lifetime": 24 * HOUR * 10**9}


def test_a_setting_has_it_refreshed_earlier() -> None:
    async def script(scene: Scene) -> None:
        scene.start()
        await asyncio.sleep(3.5 * HOUR)

    assert played(script, refresh_s=HOUR).dispatcher.logins == 4


def test_before_the_first_log_in_there_is_none() -> None:
    async def script(scene: Scene) -> None:
        with pytest.raises(TokenRefused, match="no token yet"):
            scene.manager.token()

    played(script)


@pytest.mark.spec("RT-J2")
def test_however_many_ask_one_log_in_is_made_and_all_get_its_token() -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.login_s = 2.0
        first = asyncio.ensure_future(scene.manager.refresh())
        others = [asyncio.ensure_future(scene.manager.refresh("token-0")) for _ in range(20)]
        scene.start()
        await asyncio.sleep(1)
        first.cancel()  # who gives up takes nothing from the others
        assert await asyncio.gather(*others) == ["token-1"] * 20
        assert scene.dispatcher.logins == 1

    played(script)


@pytest.mark.spec("RT-J2", "RT-B5")
def test_a_refused_token_that_has_been_replaced_costs_no_log_in() -> None:
    async def script(scene: Scene) -> None:
        assert await scene.manager.refresh() == "token-1"
        assert await scene.manager.refresh("token-1") == "token-2"
        assert await scene.manager.refresh("token-1") == "token-2"
        assert scene.dispatcher.logins == 2
        assert await scene.manager.refresh() == "token-3"

    played(script)


@pytest.mark.spec("RT-J2")
def test_a_failed_refresh_keeps_the_old_token_and_is_tried_again_each_minute() -> None:
    async def script(scene: Scene) -> None:
        scene.start()
        await asyncio.sleep(HOUR)
        scene.dispatcher.login_status = 500
        await asyncio.sleep(19 * HOUR + 150)
        assert scene.manager.token() == "token-1"
        assert scene.manager.failures_last_hour == 3
        await asyncio.sleep(60)
        assert scene.manager.failures_last_hour == 4  # which is an alert
        scene.dispatcher.login_status = 200
        await asyncio.sleep(60)
        assert scene.manager.token() != "token-1"
        await asyncio.sleep(2 * HOUR)
        assert scene.manager.failures_last_hour == 0

    scene = played(script)
    assert scene.notes.of("token.failed") == [{"valid": True}] * 4


def test_a_first_log_in_that_fails_is_tried_again_within_a_minute() -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.login_status = 401
        scene.start()
        await asyncio.sleep(30)
        scene.dispatcher.login_status = 200
        await asyncio.sleep(31)
        assert scene.manager.token() == "token-2"

    scene = played(script)
    assert scene.notes.of("token.failed") == [{"valid": False}]


@pytest.mark.spec("RT-J2")
def test_a_token_that_has_expired_is_none() -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.lifetime = 100
        assert await scene.manager.refresh() == "token-1"
        await asyncio.sleep(99)
        assert scene.manager.token() == "token-1"
        await asyncio.sleep(1)
        with pytest.raises(TokenRefused, match="expired"):
            scene.manager.token()
        assert await scene.manager.refresh("token-1") == "token-2"

    played(script)


def test_a_dispatcher_that_gives_shorter_tokens_is_asked_in_time() -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.lifetime = 600
        scene.start()
        await asyncio.sleep(1)
        for _ in range(100):
            scene.manager.token()
            await asyncio.sleep(60)

    assert played(script).dispatcher.logins == 21


def test_a_silent_dispatcher_is_given_up_and_not_asked_twice_in_a_second() -> None:
    async def script(scene: Scene) -> None:
        loop = asyncio.get_running_loop()
        scene.cluster.cut()
        with pytest.raises(TokenRefused, match="within 3 s"):
            await scene.manager.refresh()
        assert loop.time() == 3
        with pytest.raises(TokenRefused, match="within 3 s"):
            await scene.manager.refresh()
        assert loop.time() == 3
        await asyncio.sleep(1)
        scene.cluster.mend()
        assert await scene.manager.refresh()

    scene = played(script, timeout_s=3.0)
    assert len(scene.notes.of("token.failed")) == 1


def test_a_dispatcher_that_is_not_there_refuses() -> None:
    async def script(scene: Scene) -> None:
        scene.cluster.crash()
        with pytest.raises(TokenRefused, match="does not get through"):
            await scene.manager.refresh()

    played(script)


@pytest.mark.parametrize("lifetime", [None, "a day", True, 0, -5, [], math.nan, math.inf, 1e-12])
def test_a_lifetime_that_means_nothing_is_taken_as_a_day(lifetime: Any) -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.lifetime = lifetime
        await scene.manager.refresh()
        await asyncio.sleep(24 * HOUR - 1)
        assert scene.manager.token() == "token-1"

    assert played(script).notes.of("token.obtained") == [{"lifetime": 24 * HOUR * 10**9}]


@pytest.mark.parametrize(
    "body",
    [None, [], {"success": False}, {"success": True}, {"success": True, "data": {}}]
    + [{"success": True, "data": {"access_token": value}} for value in (None, "", 7)],
)
def test_an_answer_without_a_token_is_a_refusal(body: Any) -> None:
    async def script(scene: Scene) -> None:
        scene.dispatcher.login_body = body
        with pytest.raises(TokenRefused, match="no `access_token`"):
            await scene.manager.refresh()

    played(script)


@pytest.mark.spec("RT-J1")
def test_no_secret_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    texts: list[str] = []

    async def script(scene: Scene) -> None:
        await scene.manager.refresh()
        texts.extend([repr(scene.manager), repr(vars(scene.cluster))])
        scene.dispatcher.login_status = 401
        with pytest.raises(TokenRefused) as refused:
            await scene.manager.refresh()
        texts.extend([str(refused.value), repr(refused.value), repr(scene.notes.all)])

    played(script)
    for text in [*texts, caplog.text]:
        assert "sesame" not in text
        assert "token-" not in text
