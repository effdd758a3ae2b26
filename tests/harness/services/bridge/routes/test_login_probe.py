"""LoginProbe: what each way of looking sees, costs and misses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError, Code

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("UI-C1")
@pytest.mark.parametrize(
    ("state", "refused"),
    [("logged_in", False), ("logged_out", True), ("qr", True), ("unknown", False)],
)
def test_refuses_where_nobody_is_logged_in(run: Run, world: Any, state: Any, refused: bool) -> None:
    world.desktop.state = state

    async def main() -> None:
        probe = world.bridge().probe
        if refused:
            with pytest.raises(BridgeError) as caught:
                await probe.require_login()
            assert caught.value.code == Code.NOT_LOGGED_IN
            assert caught.value.http_status == 409
        else:
            await probe.require_login()

    run(main())


@pytest.mark.spec("UI-C2", "UI-C3")
@pytest.mark.parametrize(("how", "looks"), [("locked", 1), ("lookup", 0), ("cached", 0)])
def test_only_the_locked_way_waits_for_the_lock(run: Run, world: Any, how: str, looks: int) -> None:
    async def main() -> None:
        bridge = world.bridge(probe=how)
        await bridge.login_guard.look()
        world.desktop.log.clear()
        await bridge.lock.acquire()
        asyncio.get_running_loop().call_later(3, bridge.lock.release)
        begin = asyncio.get_running_loop().time()
        assert await bridge.probe.state() == "logged_in"
        waited = asyncio.get_running_loop().time() - begin
        assert waited == pytest.approx(3.1 if looks else 0)

    run(main())
    assert world.desktop.names == ["login_state"] * looks


@pytest.mark.spec("UI-C3")
def test_the_look_up_sees_a_window_and_no_log_out(run: Run, world: Any) -> None:
    world.desktop.state = "logged_out"

    async def main() -> None:
        probe = world.bridge(probe="lookup").probe
        assert await probe.state() == "logged_in"
        world.desktop.shown = None
        assert await probe.state() == "unknown"
        world.processes.pids["wechat"] = []
        assert not await probe.alive()

    run(main())


@pytest.mark.spec("UI-C3")
def test_the_cache_looks_itself_before_the_guard_has_looked(run: Run, world: Any) -> None:
    world.desktop.state = "qr"

    async def main() -> None:
        bridge = world.bridge(probe="cached")
        assert await bridge.probe.state() == "qr"
        assert world.desktop.names == ["login_state"]
        await bridge.login_guard.look()
        world.desktop.state = "logged_in"
        assert await bridge.probe.state() == "qr"  # as old as the guard's last look

    run(main())


def test_it_acts_for_the_operation_that_asks_and_as_no_part_of_its_flow(
    run: Run, world: Any
) -> None:
    seen: list[Any] = []

    async def main() -> None:
        own = Acting("r", "route.send_text", actor="route", command="click_send")
        acting.set(own)
        probe = world.bridge().probe
        original = world.desktop.login_state

        async def login_state() -> Any:
            seen.append(acting.get())
            return await original()

        world.desktop.login_state = login_state
        await probe.look()
        assert acting.get() is own

    run(main())
    (who,) = seen
    assert (who.op, who.class_, who.actor, who.command) == ("r", "probe", "route", "")


def test_it_may_look_for_nobody(run: Run, world: Any) -> None:
    async def main() -> None:
        assert await world.bridge().probe.look() == "logged_in"
        assert await world.bridge().probe.alive()

    run(main())
