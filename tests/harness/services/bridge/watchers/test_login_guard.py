"""LoginGuard: looks under the lock, warns when it waited long for it, keeps what it saw."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import BridgeError, Code
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.flows.ui_lock import UILock
from windtunnel.services.bridge.watchers.login_guard import LoginGuard
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("UI-C4")
@given(held_ms=st.integers(0, 5000) | st.sampled_from([1999, 2000, 2001]))
def test_warns_exactly_when_it_waited_over_2_s(make_world: Callable[[], Any], held_ms: int) -> None:
    async def main() -> None:
        world = make_world()
        lock = UILock()
        guard = LoginGuard(Backend(world.desktop, lock), note=world.note)
        await lock.acquire()
        asyncio.get_running_loop().call_later(held_ms / 1000, lock.release)
        assert await guard.look() == "logged_in"
        expected = [("guard.warned", "", {"waited": held_ms * 1_000_000})]
        assert world.notes == (expected if held_ms > 2000 else [])

    run_simulated(main())


@pytest.mark.spec("UI-C4")
def test_the_warning_is_logged(run: Run, world: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        lock = UILock()
        await lock.acquire()
        asyncio.get_running_loop().call_later(3, lock.release)
        await LoginGuard(Backend(world.desktop, lock)).look()

    run(main())
    assert "waited 3s for the UI lock" in caplog.text


@pytest.mark.spec("UI-C4")
def test_warns_of_its_wait_though_the_look_fails(run: Run, world: Any) -> None:
    async def main() -> None:
        lock = UILock()
        await lock.acquire()
        asyncio.get_running_loop().call_later(3, lock.release)
        world.desktop.errors["login_state"] = BridgeError(Code.TIMEOUT, "hangs")
        with pytest.raises(BridgeError):
            await LoginGuard(Backend(world.desktop, lock), note=world.note).look()

    run(main())
    assert world.notes == [("guard.warned", "", {"waited": 3_000_000_000})]


@pytest.mark.spec("UI-C3")
def test_keeps_the_state_for_two_periods(run: Run, world: Any) -> None:
    async def main() -> None:
        guard = LoginGuard(Backend(world.desktop, None), period_s=5.0)
        assert guard.state() == "unknown"
        await guard.look()
        assert guard.state() == "logged_in"
        world.desktop.state = "qr"
        await asyncio.sleep(10)
        assert guard.state() == "logged_in"
        await asyncio.sleep(0.1)
        assert guard.state() == "unknown"
        await guard.look()
        assert guard.state() == "qr"

    run(main())


def test_a_look_that_fails_leaves_it_unknown_and_the_loop_goes_on(run: Run, world: Any) -> None:
    async def main() -> None:
        guard = LoginGuard(Backend(world.desktop, None), period_s=5.0)
        guard.loop.start()
        await asyncio.sleep(1)
        world.desktop.errors["login_state"] = BridgeError(Code.TIMEOUT, "hangs")
        await asyncio.sleep(5)
        assert guard.state() == "unknown"
        world.desktop.errors.clear()
        await asyncio.sleep(5)
        assert guard.state() == "logged_in"
        await guard.loop.stop()

    run(main())
    assert [(at, op) for at, op, _ in world.desktop.commands] == [
        (0.0, "login_guard.0"),
        (5.0, "login_guard.1"),
        (10.0, "login_guard.2"),
    ]
