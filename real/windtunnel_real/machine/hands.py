"""The hands: what is done to a real display, by a driver and the clipboard.

Imports the drivers, the clipboard and the typist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, cast

from windtunnel_real.drivers.driver import Driver, DriverName
from windtunnel_real.drivers.xdotool_pipe import pipe_driver
from windtunnel_real.drivers.xdotool_process import process_driver
from windtunnel_real.drivers.xtest import XTestDriver
from windtunnel_real.x11.clipboard import Clipboard
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.typing import Typist


@dataclass(frozen=True, slots=True)
class Hands:
    """A driver, and the typist that makes texts of its keys and the clipboard."""

    driver: Driver
    typist: Typist


MAKERS: Final[Mapping[DriverName, Callable[[Connection], Driver]]] = MappingProxyType(
    {
        "xtest": XTestDriver,
        "xdotool-pipe": lambda connection: pipe_driver(connection.address),
        "xdotool": lambda connection: process_driver(connection.address),
    }
)


async def open_hands(
    connection: Connection, name: str | None, timeout: float, stack: AsyncExitStack
) -> Hands:
    """Make a driver by its name, XTEST unless said, and what types with it; the stack closes both.

    Raises `DisplayStartError` for one that is not installed, `KeyError` for an unknown name.
    """
    driver = MAKERS[cast("DriverName", name or "xtest")](connection)
    stack.push_async_callback(driver.close)
    clipboard = await Clipboard.open(connection.address, timeout)
    stack.push_async_callback(clipboard.close)
    return Hands(driver, Typist(driver, clipboard))
