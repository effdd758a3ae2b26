"""A process of xdotool per command: what bridges do today.

Imports the driver that uses it, the address of a display and the programs.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from typing import Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.drivers.xdotool import Said, XdotoolDriver, ending
from windtunnel_real.drivers.xdotool_words import Words
from windtunnel_real.errors import DeadlineError
from windtunnel_real.programs.finding import find_program

PROGRAM: Final = "xdotool"


class XdotoolProcesses:
    """Runs each command in a process of its own; it holds nothing between two commands.

    A process that hangs is killed and reaped at its deadline. It has no parent-death signal, which
    would cost another `exec` for each command: it ends by itself with its server.
    """

    def __init__(self, address: DisplayAddress, *, program: str = PROGRAM) -> None:
        self._program = program
        self._environment = environment_of(address)

    async def run(self, words: Words, *, timeout: float) -> Said:
        """Run a command; errors as of `Runner`."""
        program = find_program(self._program)
        process: Process | None = None
        try:
            async with asyncio.timeout(timeout):
                process = await asyncio.create_subprocess_exec(
                    program,
                    *words,
                    stdin=DEVNULL,
                    stdout=PIPE,
                    stderr=PIPE,
                    env=self._environment,
                )
                output, complaints = await process.communicate()
        except TimeoutError:
            raise DeadlineError(f"xdotool {words[0]} did not end in {timeout:g} s") from None
        finally:
            if process is not None:
                await kill(process)
        return Said(
            output.decode(errors="replace"),
            complaints.decode(errors="replace"),
            ending(process.returncode),
        )

    async def close(self) -> None:
        """Do nothing: it holds nothing."""


async def kill(process: Process) -> None:
    """Kill and reap a process; nothing happens to one that has ended."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(process.wait())


def environment_of(address: DisplayAddress) -> dict[str, str]:
    """Return the environment of an xdotool on a display, where it says what is wrong alone."""
    found = address.environment()
    found.pop("DEBUG", None)
    return found


def process_driver(
    address: DisplayAddress, *, delay_ms: int | None = None, program: str = PROGRAM
) -> XdotoolDriver:
    """Return a driver that starts an xdotool for each command."""
    runner = XdotoolProcesses(address, program=program)
    return XdotoolDriver("xdotool", runner, delay_ms=delay_ms)
