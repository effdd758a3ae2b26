"""One xdotool that is kept open and reads its commands from a pipe.

A command is acknowledged by the answer to a question that stands in the line after it. xdotool
reads the line when the command is over, and asks the X server over the same connection: so the
server has then taken all that was before, and refused what it refuses. The question is where the
pointer is, in its form for shells: it alone bears a mark of ours and leaves no window behind that
later keys would be sent to.

Imports the driver that uses it, its words, the address of a display and the programs.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import PIPE, Process
from typing import Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.drivers.xdotool import Said, XdotoolDriver, ending
from windtunnel_real.drivers.xdotool_process import PROGRAM, environment_of, kill
from windtunnel_real.drivers.xdotool_words import DOLLAR, Words, script_line
from windtunnel_real.errors import DeadlineError
from windtunnel_real.programs.guard import guarded

_STARTS: Final = 2
"""How often it is started for one command: again when it had died before it read anything."""


class XdotoolPipe:
    """Runs commands in one xdotool, one after the other; started at the first, and again when gone.

    An xdotool that did not acknowledge in time is killed: nothing can then be sent late by it.
    """

    def __init__(self, address: DisplayAddress, *, program: str = PROGRAM) -> None:
        self._program = program
        self._environment = environment_of(address)
        self._turn = asyncio.Lock()
        self._open: _Open | None = None

    @property
    def pid(self) -> int | None:
        """The process that is open now, if any."""
        return None if self._open is None else self._open.process.pid

    async def run(self, words: Words, *, timeout: float) -> Said:
        """Run a command; errors as of `Runner`."""
        try:
            async with asyncio.timeout(timeout), self._turn:
                return await self._run(words)
        except TimeoutError:
            raise DeadlineError(f"xdotool {words[0]} did not end in {timeout:g} s") from None

    async def close(self) -> None:
        """End the xdotool that is open."""
        async with self._turn:
            await self._drop()

    async def _run(self, words: Words) -> Said:
        line, last_words = script_line(words), ""
        try:
            for _ in range(_STARTS):
                if self._open is None:
                    self._open = await _Open.start(self._program, self._environment)
                if self._open.send(line):
                    break
                # It had died before it could read this: nothing is lost.
                last_words = await self._open.last_words()
                await self._drop()
            else:
                return Said("", last_words, "before it read anything")
            said = await self._open.answer()
        except BaseException:
            await self._drop()
            raise
        if said.ended:
            await self._drop()
        return said

    async def _drop(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            await opened.end()


class _Open:
    """An xdotool that reads a script from a pipe, and a file in memory for its complaints."""

    def __init__(self, process: Process, complaints: int) -> None:
        self.process = process
        self._complaints = complaints
        self._count = 0

    @classmethod
    async def start(cls, program: str, environment: dict[str, str]) -> _Open:
        command = guarded((program, "-", DOLLAR))
        # A file can never be full, so that complaints nobody reads block nobody; and what was
        # written before an acknowledgement is in it when that arrives.
        complaints = os.memfd_create("complaints", os.MFD_CLOEXEC)
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=complaints,
                env=environment,
            )
        except BaseException:
            os.close(complaints)
            raise
        return cls(process, complaints)

    def send(self, line: str) -> bool:
        """Send a command and the question that acknowledges it; return whether it was taken."""
        pipe = self.process.stdin
        if pipe is None or self.process.returncode is not None or pipe.is_closing():
            return False
        self._count += 1
        pipe.write(f"{line}getmouselocation --shell --prefix {self._mark}\n".encode())
        return not pipe.is_closing()

    async def answer(self) -> Said:
        """Wait for the acknowledgement, or the end."""
        pipe = self.process.stdout
        assert pipe is not None
        last = f"{self._mark}WINDOW="
        lines: list[str] = []
        while not (lines and lines[-1].startswith(last)):
            line = await pipe.readline()
            if not line:
                ended = ending(await self.process.wait()) or "exit code 0"
                return Said("".join(lines), self._complained(), ended)
            lines.append(line.decode(errors="replace"))
        output = "".join(line for line in lines if not line.startswith(self._mark))
        return Said(output, self._complained())

    async def last_words(self) -> str:
        """Wait until one that reads no more has ended, and return what it complained of."""
        await self.process.wait()
        return self._complained()

    async def end(self) -> None:
        """End it, and let go of its files."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        await kill(self.process)
        if self._complaints >= 0:
            os.close(self._complaints)
            self._complaints = -1

    @property
    def _mark(self) -> str:
        return f"w{self._count}"

    def _complained(self) -> str:
        size = os.fstat(self._complaints).st_size
        if not size:
            return ""
        found = os.pread(self._complaints, size, 0)
        os.ftruncate(self._complaints, 0)
        os.lseek(self._complaints, 0, os.SEEK_SET)  # the file's position is xdotool's too
        return found.decode(errors="replace")


def pipe_driver(
    address: DisplayAddress, *, delay_ms: int | None = 0, program: str = PROGRAM
) -> XdotoolDriver:
    """Return a driver that keeps one xdotool open."""
    return XdotoolDriver("xdotool-pipe", XdotoolPipe(address, program=program), delay_ms=delay_ms)
