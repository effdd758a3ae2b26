"""Programs: what is started and watched by its starter, such as the capture program `scrot`.

Imports simpy's environment, the table of processes and the picture of the display.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

from windtunnel.machine.commands import Command
from windtunnel.trace import Outcome
from windtunnel.wechat.screen import Screen
from windtunnel_models.loop.environment import SimEnvironment
from windtunnel_models.machine.process_table import SIGKILL, Process, ProcessTable
from windtunnel_models.wechat.picture import picture

CAPTURE: Final = "scrot"
"""The program that writes a picture of the whole display as it ends."""


class SimProgram:
    """A program from its start on: the port `Program`.

    It is a zombie from its end until `wait`. It outlives its starter: nobody else ends it.
    """

    def __init__(self, table: ProcessTable, command: Command, name: str, screen: Screen) -> None:
        self._table = table
        self._command = command
        self._screen = screen
        self._output = b""
        self._process = table.start(name, is_child=True)
        self._process.on_end = self._ended

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    async def output(self) -> bytes:
        """Wait for its end and return what it wrote: a `Frame`'s pixels, b"" when killed."""
        await self._process.over.wait()
        return self._output

    def kill(self) -> None:
        """End it at once, if it lives."""
        self._table.signal(self._process.pid, SIGKILL)

    async def wait(self) -> int:
        """Wait for its end, reap it and return its exit status, negative for a signal."""
        await self._process.over.wait()
        return self._table.reap(self._process)

    def hang(self) -> None:
        """Be one that does not end by itself, nor by SIGTERM."""
        self._process.heeds_terminate = False

    def live(self, env: SimEnvironment, latency: int) -> Generator[Any, Any, None]:
        """Work for `latency` ns, then end: a process of the simulation."""
        yield env.timeout(latency)
        self._table.exit(self._process)

    def _ended(self, process: Process) -> None:
        if process.status:
            self._command.end(Outcome.ABORTED)
            return
        if process.name == CAPTURE:
            self._output = picture(self._screen).pixels
        self._command.end(Outcome.DONE)
