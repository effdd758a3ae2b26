"""Programs: what is started and watched by its starter, such as the capture program `scrot`.

Imports the children and the command that a program's life is.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from typing import Final

from windtunnel.machine.commands import Command
from windtunnel.trace import Outcome
from windtunnel.units import to_seconds
from windtunnel_real.machine.children import Child, Children

_TAIL: Final = 2000
"""So many bytes of an error output are logged."""

logger = logging.getLogger("windtunnel.processes")


class Output:
    """What a program writes: a file in memory, which is never full as an unread pipe is."""

    def __init__(self, name: str) -> None:
        self.fd = os.memfd_create(name)
        self._read: bytes | None = None

    def read(self) -> bytes:
        """Return all that was written, and let go of the file."""
        if self._read is None:
            with open(self.fd, "rb") as file:  # noqa: PTH123 - it has no path
                file.seek(0)
                self._read = file.read()
        return self._read


class RealProgram:
    """A program from its start on: the port `Program`.

    It is a zombie from its end until `wait`. It outlives its starter, but not the world. Raises
    `WorldError` when the program is not there. `held`: it does not take its first step yet.
    """

    def __init__(
        self,
        children: Children,
        command: Command,
        name: str,
        argv: tuple[str, ...],
        *,
        held: bool = False,
    ) -> None:
        self._children = children
        self._command = command
        self._output = Output("stdout")
        self._errors = Output("stderr")
        try:
            self._child = children.start(
                name,
                argv,
                is_waited=True,
                held=held,
                stdout=self._output.fd,
                stderr=self._errors.fd,
            )
        except BaseException:
            self._output.read()
            self._errors.read()
            raise
        self._child.on_end = self._ended

    @property
    def pid(self) -> int:
        """Its number."""
        return self._child.pid

    async def output(self) -> bytes:
        """Wait for its end and return what it wrote, b"" when it was killed."""
        await self._child.over.wait()
        return b"" if self._child.status < 0 else self._output.read()

    async def errors(self) -> str:
        """Wait for its end and return what it wrote to its error output."""
        await self._child.over.wait()
        return self._errors.read().decode(errors="replace")

    def kill(self) -> None:
        """End it at once, if it lives; one that is held or stopped too."""
        self._child.signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Wait for its end, reap it and return its exit status, negative for a signal."""
        await self._child.over.wait()
        return self._children.reap(self._child)

    async def hold(self, nanoseconds: int | None) -> None:
        """Let one that was started `held` go on after so long; None: never.

        Then it ends neither by itself nor by SIGTERM. Raises `DeadlineError` when it cannot be
        held; it is killed and reaped where the caller will never know of it.
        """
        try:
            await self._child.held()
        except BaseException:
            self.kill()
            self._child.on_end = self._ended_unwatched
            self._children.reap(self._child)  # if it is over already
            raise
        if nanoseconds is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(to_seconds(nanoseconds), self._child.signal, signal.SIGCONT)

    def _ended(self, child: Child) -> None:
        self._output.read()
        if errors := self._errors.read():
            said = errors[-_TAIL:].decode(errors="replace").strip()
            logger.warning("%s (%d) says: %s", child.name, child.pid, said)
        self._command.end(_outcome(child.status))

    def _ended_unwatched(self, child: Child) -> None:
        self._ended(child)
        self._children.reap(child)


def _outcome(status: int) -> str:
    if status < 0:
        return Outcome.ABORTED
    return Outcome.FAILED if status else Outcome.DONE
