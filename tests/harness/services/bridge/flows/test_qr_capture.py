"""QrCapture: bounded, killed, reaped; unbounded and unlocked before the change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.errors import BridgeError
from windtunnel.services.bridge.flows.qr_capture import QrCapture
from windtunnel.services.bridge.flows.ui_lock import UILock

Run = Callable[[Coroutine[Any, Any, None]], None]


def test_the_picture_comes_back_and_the_program_is_reaped(run: Run, world: Any) -> None:
    async def main() -> None:
        lock = UILock()
        capture = asyncio.ensure_future(QrCapture(world.processes, lock, 5.0).run())
        await asyncio.sleep(0.1)
        assert lock.locked()
        assert await capture == b"picture"
        assert not lock.locked()
        assert asyncio.get_running_loop().time() == 0.2

    run(main())
    (program,) = world.processes.programs
    assert program.reaped
    assert not program.killed


@pytest.mark.spec("UI-AC4")
def test_a_program_that_hangs_is_killed_and_reaped_after_5_s(run: Run, world: Any) -> None:
    world.processes.capture_s = None

    async def main() -> None:
        lock = UILock()
        with pytest.raises(TimeoutError, match=r"no picture in 5\.0 s"):
            await QrCapture(world.processes, lock, 5.0).run()
        assert asyncio.get_running_loop().time() == 5.0
        assert not lock.locked()

    run(main())
    (program,) = world.processes.programs
    assert program.killed
    assert program.reaped


@pytest.mark.spec("UI-AC4")
def test_one_that_cannot_be_reaped_hangs_nobody(
    run: Run, world: Any, caplog: pytest.LogCaptureFixture
) -> None:
    world.processes.capture_s = None

    async def main() -> None:
        capture = asyncio.ensure_future(QrCapture(world.processes, None, 5.0).run())
        await asyncio.sleep(1)
        world.processes.programs[0].stubborn = True
        with pytest.raises(TimeoutError):
            await capture
        assert asyncio.get_running_loop().time() == 10.0

    run(main())
    assert "cannot be reaped" in caplog.text


@pytest.mark.spec("UI-C1", "UI-C8")
@pytest.mark.parametrize("wiring", ["before", "phase1"])
def test_before_the_change_it_waits_for_ever_and_takes_no_lock(
    run: Run, world: Any, wiring: str
) -> None:
    world.processes.capture_s = None

    async def main() -> None:
        bridge = world.bridge(wiring)
        await bridge.lock.acquire()
        capture = asyncio.ensure_future(bridge.qr_capture.run())
        await asyncio.sleep(3600)
        assert not capture.done()
        bridge.lock.release()
        start = asyncio.ensure_future(bridge.action("qr_start", {})())
        await asyncio.sleep(3600)
        assert not start.done()
        for task in (capture, start):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run(main())
    assert all(program.killed and program.reaped for program in world.processes.programs)


@pytest.mark.spec("UI-AC4")
def test_after_the_change_the_flow_around_it_ends_too(run: Run, world: Any) -> None:
    world.processes.capture_s = None

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await world.bridge().action("qr_start", {})()
        assert asyncio.get_running_loop().time() == pytest.approx(5.1)

    run(main())


def test_whoever_gives_up_leaves_no_program_behind(run: Run, world: Any) -> None:
    world.processes.capture_s = None

    async def main() -> None:
        capture = asyncio.ensure_future(QrCapture(world.processes, UILock(), 5.0).run())
        await asyncio.sleep(1)
        capture.cancel()
        with pytest.raises(asyncio.CancelledError):
            await capture
        assert asyncio.get_running_loop().time() == 1.0

    run(main())
    assert world.processes.programs[0].reaped


def test_a_program_that_fails_is_an_error(run: Run, world: Any) -> None:
    world.processes.capture_status = 2

    async def main() -> None:
        with pytest.raises(BridgeError, match="status 2"):
            await QrCapture(world.processes, None, 5.0).run()

    run(main())
