"""A command of the real desktop on its way: recorded, bounded, pictured before and after.

What goes wrong below becomes what the port says: past its bound it is TIMEOUT, without a window
WINDOW_NOT_FOUND. Imports the shared command, frames and what the stand-in tells.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Literal

from windtunnel.errors import BridgeError, Code
from windtunnel.machine.commands import Command, Commands
from windtunnel.ports import COMMAND_BOUND_S
from windtunnel_real.machine.told import Told

RESOURCE: Final = "display"

When = Literal["before", "after"]
Picture = Callable[[Command, When], Awaitable[None]]
"""Keeps a picture of the display around a command; never fails."""


async def no_picture(_command: Command, _when: When) -> None:
    """Keep none."""


@dataclass(frozen=True, slots=True)
class Going:
    """A command at work."""

    command: Command
    deadline: float
    """By the loop's clock."""

    def left(self) -> float:
        """Return the seconds until it is given up; raises `TimeoutError` when there are none."""
        left = self.deadline - asyncio.get_running_loop().time()
        if left <= 0:
            raise TimeoutError
        return left


@dataclass(frozen=True, slots=True)
class Goings:
    """What all commands of one desktop share."""

    commands: Commands
    told: Told
    picture: Picture

    @asynccontextmanager
    async def begin(
        self, port: str, target: str = "", *, bound: float = COMMAND_BOUND_S
    ) -> AsyncIterator[Going]:
        """Have a command go; raises as the port says when its block goes wrong."""
        command = Command(self.commands, port, RESOURCE)
        with command:
            await self.picture(command, "before")
            work = self.told.begin(command.who, target)
            deadline = asyncio.get_running_loop().time() + bound
            try:
                async with asyncio.timeout_at(deadline):
                    yield Going(command, deadline)
            except TimeoutError as error:
                raise command.given_up(bound) from error
            finally:
                self.told.end(work)
                await self.picture(command, "after")


def no_window(command: Command) -> BridgeError:
    """Return the error of a command that finds no window."""
    return BridgeError(Code.WINDOW_NOT_FOUND, f"{command.name} found no window of WeChat")
