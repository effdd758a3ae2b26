"""The real processes: the port `Processes` over what runs on one display.

Imports the ports, the commands, the children and the scope.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from windtunnel.machine.commands import Command, Commands
from windtunnel.ports import ProcessSpec, Program
from windtunnel.trace import Outcome
from windtunnel.units import from_seconds
from windtunnel_real.machine.children import Child, Children
from windtunnel_real.machine.handle import ProcessHandle
from windtunnel_real.machine.programs import RealProgram
from windtunnel_real.machine.scope import Scope

RESOURCE: Final = "processes"
END_NOTED_S: Final = 1.0
"""Seconds in which the end of a process that was sent a signal is waited for."""

Argv = Callable[[], tuple[str, ...]]
Show = Callable[[], Awaitable[None]]


async def _nothing() -> None:
    """There is no window to show."""


class RealProcesses:
    """The processes of one display, and of none beside it.

    `programs` gives what a name stands for in this world: such a program runs once at most.
    Starting it while it runs starts nothing: `show` brings up its window, and its number is
    returned. A signal works as it is sent, a start at the end of its command. Nothing outside the
    scope is ever sent a signal.
    """

    def __init__(
        self,
        commands: Commands,
        children: Children,
        scope: Scope,
        programs: Mapping[str, Argv],
        show: Show = _nothing,
    ) -> None:
        self._commands = commands
        self._children = children
        self._scope = scope
        self._programs = programs
        self._show = show
        self._seen: dict[int, int] = {}

    async def find(self, name: str) -> Sequence[int]:
        """Return the numbers of the live processes of that name, the oldest first."""
        with self._begin("find") as command:
            await command.take()
            found = self._scope.live(name)
            self._seen |= {each.pid: each.started for each in found}
            return [each.pid for each in found]

    async def terminate(self, id: int) -> None:  # noqa: A002 - the port's published name
        """Ask a process to end; one that does not heed it has 1 s, and lives on."""
        await self._signal("terminate", id, signal.SIGTERM)

    async def kill(self, id: int) -> None:  # noqa: A002 - the port's published name
        """End a process at once."""
        await self._signal("kill", id, signal.SIGKILL)

    async def start(self, spec: ProcessSpec) -> int:
        """Start a process that lives until it is killed, and return its number.

        Raises `WorldError` when the program is not on this machine.
        """
        with self._begin("start") as command:
            await command.take()
            return await self.launch(spec)

    async def launch(self, spec: ProcessSpec) -> int:
        """Start a process now, unless it is a program of this world and runs."""
        running = self._scope.live(spec.name) if spec.name in self._programs else []
        if running:
            await self._show()
            return running[0].pid
        return self._children.start(spec.name, self._argv(spec)).pid

    async def send(self, pid: int, number: int) -> None:
        """Send a signal, unless the process is not of the scope; over when its end is noted.

        One that does not end is left alone after 1 s.
        """
        process = self.watch(pid)
        if process is not None and process.state == "live":
            process.signal(number)
            await _over(process, asyncio.get_running_loop().time() + END_NOTED_S)

    def watch(self, pid: int) -> Child | None:
        """Have the end of a process in the scope noted, whoever started it, and return it.

        None: there is none of that number, or it is another one than `find` saw.
        """
        child = self._children.get(pid)
        if child is not None:
            return child if self._is_the_same(pid) else None
        handle = _handle(pid)
        if handle is None:
            return None
        running = self._scope.get(pid)  # asked after the handle is there: it is of that process
        if running is None or self._seen.get(pid, running.started) != running.started:
            handle.close()
            return None
        return self._children.watch(handle, running.name)

    async def wait_exit(self, id: int, timeout: float) -> bool:  # noqa: A002 - the port
        """Return whether the process has ended within `timeout` seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        with self._begin("wait_exit") as command:
            if not await command.passes(command.seconds(), timeout):
                return False
            process = self.watch(id)
            if process is None:
                return await self._gone(id, deadline)
            await _over(process, deadline)
            return process.state != "live"

    async def run(self, spec: ProcessSpec) -> Program:
        """Start a program that ends by itself.

        Its command ends when the program does: until then it is at work on `spec.resource`. A fault
        that makes it hang, or longer, holds it before its first step. Raises `WorldError` when the
        program is not on this machine.
        """
        command = Command(self._commands, "run", spec.resource)
        command.begin()
        met = command.meet(spec.name)
        if met.code:
            command.end(Outcome.FAILED)
            command.fail(met)
        wait = from_seconds(command.seconds()) + met.slower
        held = met.hangs or wait > 0
        try:
            program = RealProgram(self._children, command, spec.name, self._argv(spec), held=held)
        except Exception:
            command.end(Outcome.FAILED)
            raise
        if held:
            await program.hold(None if met.hangs else wait)
        return program

    def _argv(self, spec: ProcessSpec) -> tuple[str, ...]:
        return self._programs[spec.name]() if spec.name in self._programs else spec.argv

    def _begin(self, port: str) -> Command:
        return Command(self._commands, port, RESOURCE)

    async def _signal(self, port: str, pid: int, number: int) -> None:
        with self._begin(port) as command:
            met = command.meet()
            if not met.hangs and not met.code:
                await self.send(pid, number)
            await command.take_met(met)

    async def _gone(self, pid: int, deadline: float) -> bool:
        """Wait for one that is not of this display, unless `find` saw it: then it is gone."""
        handle = None if pid in self._seen else _handle(pid)
        if handle is None:
            return True
        try:
            return await handle.ended(deadline)
        finally:
            handle.close()

    def _is_the_same(self, pid: int) -> bool:
        running = self._scope.get(pid)
        return running is None or self._seen.get(pid, running.started) == running.started


def _handle(pid: int) -> ProcessHandle | None:
    try:
        return ProcessHandle(pid) if pid > 0 else None
    except ProcessLookupError:
        return None


async def _over(process: Child, deadline: float) -> None:
    """Wait until the end of a process is noted, or the loop's clock says `deadline`."""
    try:
        async with asyncio.timeout_at(deadline):
            await process.over.wait()
    except TimeoutError:
        return
