"""The simulated processes: the port `Processes` over the table of what runs.

WeChat runs once at most. Imports the ports, the table and the models of what runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from windtunnel.machine.commands import Command, Commands
from windtunnel.ports import ProcessSpec, Program
from windtunnel.trace import Outcome
from windtunnel.units import from_seconds
from windtunnel_models.loop.environment import SimEnvironment
from windtunnel_models.machine.process_table import SIGKILL, SIGTERM, ProcessTable
from windtunnel_models.machine.programs import SimProgram
from windtunnel_models.wechat.application import NAME, WeChat

RESOURCE: Final = "processes"


class SimProcesses:
    """The processes of the simulated machine.

    A signal works as it is sent, a start at the end of its command. Starting WeChat while it runs
    starts nothing: the one that runs shows its window, and its number is returned.
    """

    def __init__(
        self, env: SimEnvironment, commands: Commands, table: ProcessTable, wechat: WeChat
    ) -> None:
        self._env = env
        self._commands = commands
        self._table = table
        self._wechat = wechat

    async def find(self, name: str) -> Sequence[int]:
        """Return the numbers of the live processes of that name, the oldest first."""
        with self._begin("find") as command:
            await command.take()
            return [process.pid for process in self._table.live(name)]

    async def terminate(self, id: int) -> None:  # noqa: A002 - the port's published name
        """Ask a process to end; WeChat does so at once, a program that hangs does not."""
        await self._signal("terminate", id, SIGTERM)

    async def kill(self, id: int) -> None:  # noqa: A002 - the port's published name
        """End a process at once."""
        await self._signal("kill", id, SIGKILL)

    async def start(self, spec: ProcessSpec) -> int:
        """Start a process that lives until it is killed, and return its number."""
        with self._begin("start") as command:
            await command.take()
            return self.launch(spec.name)

    def launch(self, name: str) -> int:
        """Start a process now, unless it is WeChat and runs."""
        if name == NAME and self._wechat.pid:
            self._wechat.launched_again()
            return self._wechat.pid
        return self._table.start(name).pid

    async def wait_exit(self, id: int, timeout: float) -> bool:  # noqa: A002 - the port
        """Return whether the process has ended within `timeout` seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        with self._begin("wait_exit") as command:
            if not await command.passes(command.seconds(), timeout):
                return False
            process = self._table.get(id)
            if process is None or process.state != "live":
                return True
            try:
                async with asyncio.timeout_at(deadline):
                    await process.over.wait()
            except TimeoutError:
                return process.state != "live"
            return True

    async def run(self, spec: ProcessSpec) -> Program:
        """Start a program that ends by itself once its latency has passed.

        Its command ends when the program does: until then it is at work on `spec.resource`.
        """
        self._table.log.report(spec.resource, "write")
        command = Command(self._commands, "run", spec.resource)
        command.begin()
        met = command.meet(spec.name)
        if met.code:
            command.end(Outcome.FAILED)
            command.fail(met)
        program = SimProgram(self._table, command, spec.name, self._wechat.screen)
        if met.hangs:
            program.hang()
        else:
            self._env.process(program.live(self._env, from_seconds(command.seconds()) + met.slower))
        return program

    def _begin(self, port: str) -> Command:
        return Command(self._commands, port, RESOURCE)

    async def _signal(self, port: str, pid: int, signal: int) -> None:
        with self._begin(port) as command:
            met = command.meet()
            if not met.hangs and not met.code:
                self._table.signal(pid, signal)
            await command.take_met(met)
