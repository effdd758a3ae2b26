"""The real machine: a display, the stand-in on it and its processes, wired to one another.

Imports the parts of the machine; the world makes one per run and gives its ports away.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from windtunnel import streams
from windtunnel.errors import WorldError
from windtunnel.machine.ambushes import Ambushes
from windtunnel.machine.commands import Commands
from windtunnel.machine.given import Given
from windtunnel.machine.latencies import Latencies
from windtunnel.ports import Ports, ProcessSpec
from windtunnel.spans import Span
from windtunnel.trace import Trace
from windtunnel.units import SECOND, to_seconds
from windtunnel.world import WorldOptions
from windtunnel_real.display.running import RunningDisplay
from windtunnel_real.machine.application import Application
from windtunnel_real.machine.autostart import Autostart
from windtunnel_real.machine.children import Children
from windtunnel_real.machine.desktop import RealDesktop
from windtunnel_real.machine.going import Goings, Picture, no_picture
from windtunnel_real.machine.hands import Hands, open_hands
from windtunnel_real.machine.processes import RealProcesses
from windtunnel_real.machine.records import RealRecords
from windtunnel_real.machine.scope import Scope
from windtunnel_real.machine.sight import Sight
from windtunnel_real.machine.standin_command import StandinFiles, standin_command
from windtunnel_real.machine.told import NAME, Told
from windtunnel_real.pictures.capture import Capture
from windtunnel_real.programs.ending import last_lines
from windtunnel_real.x11.connection import Connection

OPEN_S: Final = 10.0
"""How long the machine may take to come up, step by step."""


_AUTOSTART: Final = Span.model_construct(min=5 * SECOND, max=10 * SECOND)


@dataclass(frozen=True, slots=True)
class RealFigures:
    """What a real display has for what a scenario does not say, ns (`machine.given.Figures`)."""

    autostart: Span | None = _AUTOSTART
    start_up: int = 0
    """As fast as it comes."""
    missing_window: int = SECOND


class RealMachine:
    """One desktop machine. Its random draws come from streams `latency` and `autostart`."""

    def __init__(
        self,
        display: RunningDisplay,
        trace: Trace,
        given: Given,
        options: WorldOptions,
        folder: Path,
        seed: int = 0,
    ) -> None:
        self.display = display
        self.trace = trace
        self._given = given
        self._options = options
        self._files = StandinFiles(folder)
        self._seed = seed
        self._stack = AsyncExitStack()
        self._first = True
        self.ambushes = Ambushes()
        self.told = Told(trace)
        self.application = Application(self._files, given.state, self.told)
        self.picture: Picture = no_picture
        self.autostart: Autostart | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.children: Children
        self.scope: Scope
        self.processes: RealProcesses
        self.sight: Sight
        self.hands: Hands
        self.desktop: RealDesktop

    async def open(self) -> None:
        """Come up as given: window, account and session as the run begins.

        Raises `WorldUnavailableError` and `DisplayDiedError`.
        """
        self._files.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        address = self.display.address
        latency = streams.stream(self._seed, "latency")
        latencies = Latencies(self._given.latencies, {}, latency, otherwise=0.0)
        commands = Commands(self.trace, latencies, self.ambushes, asyncio.sleep)
        connection = await Connection.open(address, OPEN_S)
        self._stack.push_async_callback(connection.close)
        capture = await Capture.open(address, OPEN_S)
        self._stack.push_async_callback(capture.close)
        self.sight = Sight(connection, capture)
        self.hands = await open_hands(connection, self._options.driver, OPEN_S, self._stack)
        errors = self._files.errors.open("ab")
        self._stack.callback(errors.close)
        self.children = Children(
            self.trace, address, self._started, self._ended, errors=errors.fileno()
        )
        self.scope = Scope(address, self.children)
        self._stack.callback(self.children.stop_all)
        self._stack.push_async_callback(self.application.close)
        self.processes = RealProcesses(
            commands,
            self.children,
            self.scope,
            {NAME: self._argv},
            self._show,
        )
        self.desktop = RealDesktop(
            Goings(commands, self.told, self._picture),
            self.sight,
            self.hands,
            self.application.place,
            self.application.drain,
            to_seconds(self._given.missing_window),
        )
        await self._be_as_given()

    @property
    def ports(self) -> Ports:
        """The ports of this machine."""
        return Ports(self.desktop, self.processes, RealRecords(self._files.data))

    async def _picture(self, *about: object) -> None:
        await self.picture(*about)  # type: ignore[arg-type] # whichever is set by now

    def _argv(self) -> tuple[str, ...]:
        first, self._first = self._first, False
        return standin_command(self._files, self._given, first=first)

    async def _be_as_given(self) -> None:
        given = self._given
        if given.running:
            self.application.started(self.children.add(NAME, self._argv()).pid)
            await self._comes_up()
        self._first = False
        if given.autostart is not None:
            self.autostart = Autostart(
                given.autostart,
                given.start_up,
                streams.stream(self._seed, "autostart"),
                self._start_again,
            )
        for at, who in given.friend_requests:
            if not at:
                await self.application.befriend(who)

    async def _comes_up(self) -> None:
        if await self.sight.appears(OPEN_S, OPEN_S) is None:
            wrote = last_lines(self._files.errors) or "nothing"
            raise WorldError(f"the stand-in shows no window after {OPEN_S:g} s; it wrote: {wrote}")
        await self.application.look()

    def begin(self) -> None:
        """Let what comes by itself come, from now on."""
        loop = asyncio.get_running_loop()
        for at, who in self._given.friend_requests:
            if at:
                self._stack.callback(loop.call_later(to_seconds(at), self._request, who).cancel)

    def _request(self, who: str) -> None:
        self._spawn(self.application.befriend(who))

    async def _start_again(self) -> None:
        await self.processes.launch(ProcessSpec(NAME, (NAME,)))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def runs(self, name: str) -> bool:
        """Tell whether a process of that name lives on this display."""
        return bool(self.scope.live(name))

    async def kill_all(self, name: str) -> bool:
        """Kill the processes of that name at once; tells whether there was one."""
        found = self.scope.live(name)
        for process in found:
            await self.processes.send(process.pid, signal.SIGKILL)
        return bool(found)

    async def _show(self) -> None:
        await self.application.ask("again")

    def _started(self, name: str, pid: int) -> None:
        if name == NAME:
            self.application.started(pid)
            if self.autostart is not None:
                self.autostart.started()

    def _ended(self, name: str, _pid: int) -> None:
        if name == NAME:
            self.application.ended()
            if self.autostart is not None:
                self.autostart.ended()

    async def close(self) -> None:
        """End everything that was started here, and let the display go."""
        if self.autostart is not None:
            self.autostart.close()
        for task in tuple(self._tasks):
            task.cancel()
        await self._stack.aclose()
