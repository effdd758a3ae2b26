"""The hands: what is done to a real display, by a driver and the clipboard.

Imports the drivers, the clipboard, the typist and the programs.
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
from windtunnel_real.programs.finding import find_program
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


PROGRAMS: Final[Mapping[DriverName, tuple[str, ...]]] = MappingProxyType(
    {"xtest": (), "xdotool-pipe": ("xdotool", "setpriv"), "xdotool": ("xdotool",)}
)
"""Driver → the programs that it starts, as late as at its first command."""


async def open_hands(
    connection: Connection, name: str | None, timeout: float, stack: AsyncExitStack
) -> Hands:
    """Make a driver by its name, XTEST unless said, and what types with it; the stack closes both.

    Raises `MissingProgramError` for one that is not installed, `KeyError` for an unknown name.
    """
    chosen = cast("DriverName", name or "xtest")
    driver = MAKERS[chosen](connection)
    for program in PROGRAMS[chosen]:
        find_program(program)
    stack.push_async_callback(driver.close)
    clipboard = await Clipboard.open(connection.address, timeout)
    stack.push_async_callback(clipboard.close)
    return Hands(driver, Typist(driver, clipboard))
