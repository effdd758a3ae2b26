"""XKB: locks, latches and groups are let go of, and nothing else is touched."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import InputError
from windtunnel_real.x11 import xkb
from windtunnel_real.x11.xkb import Xkb, _LatchLockState
from x11_kit import FAR_S, connected, own_display, set_layout

GROUPS = 0x6000


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


def lock(xdisplay: Any, *, locks: int = 0, group: int = 0, latches: int = 0) -> None:
    found = xdisplay.query_extension(xkb.NAME)
    _LatchLockState(
        display=xdisplay.display,
        opcode=found.major_opcode,
        device=0x0100,
        affected_locks=0xFF,
        locks=locks,
        lock_group=1,
        locked_group=group,
        affected_latches=0xFF,
        latches=latches,
        latch_group=0,
        latched_group=0,
    )


def state(xdisplay: Any) -> int:
    return int(xdisplay.screen().root.query_pointer().mask)


@pytest.mark.parametrize(
    ("how", "seen"),
    [
        ({"locks": 0x02}, 0x02),
        ({"locks": 0x10}, 0x10),
        ({"locks": 0xFF}, 0xFF),
        ({"latches": 0x01}, 0x01),
        ({"group": 1}, 0x2000),
    ],
    ids=["caps", "num", "all", "latched", "group"],
)
def test_it_lets_go(server: Xvfb, how: dict[str, int], seen: int) -> None:
    async def body() -> None:
        set_layout(server.address, "us,ru")
        async with connected(server.address) as connection:
            made = await connection.call(Xkb, FAR_S)
            await connection.call(lambda d: lock(d, **how), FAR_S)
            assert await connection.call(state, FAR_S) == seen
            await connection.call(made.let_go, FAR_S)
            assert await connection.call(state, FAR_S) == 0

    asyncio.run(body())


def test_a_server_without_it_is_refused(server: Xvfb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xkb, "NAME", "NO-SUCH-EXTENSION")

    async def body() -> None:
        async with connected(server.address) as connection:
            with pytest.raises(InputError, match="XKEYBOARD"):
                await connection.call(Xkb, FAR_S)

    asyncio.run(body())
