"""Backend: each command under the lock, the look-up never, all of it handed on as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.errors import BridgeError, Code
from windtunnel.ports import Desktop, Frame, Region
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.flows.ui_lock import UILock
from windtunnel.units import MS

Run = Callable[[Coroutine[Any, Any, None]], None]

CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("activate", ("wechat",)),
    ("click", ("send",)),
    ("key", ("Down", 2)),
    ("type_text", ("hello",)),
    ("paste_text", ("hello",)),
    ("capture", (Region(1, 2, 3, 4),)),
    ("login_state", ()),
    ("wait_window", (1.0,)),
    ("hold", (0.1,)),
]


@pytest.mark.spec("UI-L1")
@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_every_command_holds_the_lock_while_it_runs(
    run: Run, world: Any, name: str, arguments: tuple[Any, ...], locked: bool
) -> None:
    async def main() -> None:
        lock = UILock() if locked else None
        backend = Backend(world.desktop, lock)
        command = asyncio.create_task(getattr(backend, name)(*arguments))
        await asyncio.sleep(0.05)
        assert world.desktop.names == [name]
        assert lock is None or lock.locked()
        await command
        assert lock is None or not lock.locked()

    run(main())
    assert world.desktop.log[0][1] == (arguments[0] if arguments else None)


def test_it_is_a_desktop_itself_and_results_come_back(run: Run, world: Any) -> None:
    async def main() -> None:
        backend = Backend(world.desktop, UILock())
        assert isinstance(backend, Desktop)
        assert await backend.capture() == Frame(1, 1, b"\0\0\0\0")
        assert await backend.login_state() == "logged_in"
        assert await backend.wait_window(1.0) is world.desktop.shown

    run(main())


@pytest.mark.spec("UI-C2")
def test_the_window_is_looked_up_without_waiting(run: Run, world: Any) -> None:
    async def main() -> None:
        lock = UILock()
        await lock.acquire()
        assert await Backend(world.desktop, lock).window() is world.desktop.shown

    run(main())


def test_a_command_that_fails_gives_the_lock_back(run: Run, world: Any) -> None:
    world.desktop.errors["click"] = BridgeError(Code.TARGET_NOT_FOUND, "nowhere")

    async def main() -> None:
        lock = UILock()
        with pytest.raises(BridgeError, match="TARGET_NOT_FOUND"):
            await Backend(world.desktop, lock).click("confirm")
        assert not lock.locked()

    run(main())


@pytest.mark.spec("UI-C4")
@pytest.mark.parametrize("locked", [True, False])
def test_a_timed_look_tells_how_long_it_waited(run: Run, world: Any, locked: bool) -> None:
    async def main() -> None:
        backend = Backend(world.desktop, UILock() if locked else None)
        clicking = asyncio.create_task(backend.click("send"))
        await asyncio.sleep(0.03)
        waits: list[int] = []
        assert await backend.login_state(waits.append) == "logged_in"
        assert waits == ([70 * MS] if locked else [])
        await clicking

    run(main())
    assert world.desktop.overlaps == (0 if locked else 1)
