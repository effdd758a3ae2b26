"""The hands: each driver by its name, and what is missing is told before the first command."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest

from display_kit import PATIENCE
from receiver_kit import Receiver
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.driver import DRIVERS, Driver
from windtunnel_real.errors import MissingProgramError
from windtunnel_real.machine.hands import MAKERS, PROGRAMS, Hands, open_hands
from windtunnel_real.x11.connection import Connection


async def opened(display: Xvfb, name: str | None, stack: AsyncExitStack) -> Hands:
    connection = await Connection.open(display.address, PATIENCE)
    stack.push_async_callback(connection.close)
    return await open_hands(connection, name, PATIENCE, stack)


def test_there_is_a_maker_and_a_list_of_programs_for_each_driver() -> None:
    assert tuple(MAKERS) == tuple(PROGRAMS) == DRIVERS


@pytest.mark.parametrize("name", [None, *DRIVERS])
def test_each_types_a_text_of_any_script(fresh_xvfb: Xvfb, name: str | None) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            hands = await opened(fresh_xvfb, name, stack)
            assert isinstance(hands.driver, Driver)
            assert hands.driver.name == (name or "xtest")
            with closing(Receiver(fresh_xvfb.address)) as receiver:
                await hands.typist.type_text("Hi, 张三 😀", timeout=PATIENCE)
                assert await asyncio.to_thread(receiver.take) == "Hi, 张三 😀"

    asyncio.run(main())


@pytest.mark.parametrize("name", ["xdotool-pipe", "xdotool"])
def test_a_driver_that_is_not_installed_is_told_at_once(
    xvfb: Xvfb, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            with pytest.raises(MissingProgramError, match="apt-get install xdotool"):
                await opened(xvfb, name, stack)

    monkeypatch.setenv("PATH", str(tmp_path))
    asyncio.run(main())


def test_there_is_no_driver_of_another_name(xvfb: Xvfb) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            with pytest.raises(KeyError):
                await opened(xvfb, "hand", stack)

    asyncio.run(main())
