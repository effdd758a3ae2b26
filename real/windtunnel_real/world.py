"""The real world: asyncio's own loop, a trace on its clock, a display with the stand-in on it.

The same services run in it as in the simulation, unchanged. Imports the display, the machine and
the contract `windtunnel.world`.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path
from typing import Final

from windtunnel import units
from windtunnel.errors import FaultError, PluginError, WorldError
from windtunnel.faults import Faults
from windtunnel.machine.given import read_given
from windtunnel.ports import Ports
from windtunnel.trace import Trace
from windtunnel.world import Fault, Main, RunEnd, WorldOptions, WorldSpec
from windtunnel_real.drivers.driver import DRIVERS
from windtunnel_real.machine.background import Background
from windtunnel_real.machine.faults import fault_kinds
from windtunnel_real.machine.filming import Film
from windtunnel_real.machine.folder import make_folder
from windtunnel_real.machine.machine import RealFigures, RealMachine
from windtunnel_real.machine.stage import WINDOW_MANAGERS, open_display

FEATURES: Final = frozenset({"faults", "desktop", "processes", "records", "friend_requests"})
TAKE_DOWN_S: Final = 5.0
PARTS: Final = ("desktop",)
"""The parts that a system may stand on here."""


class RealWorld:
    """One run on a real display, in real time.

    `spec.given` is read by `windtunnel.machine.given`; a command takes what it takes, and at least
    what `given.latencies` says of it. Raises `WorldUnavailableError` when the display, the stand-in
    or a driver cannot be had on this machine, `DisplayDiedError` when it is gone in the middle of
    the run, `PluginError` for a part that is not here.
    """

    name: str = "real"
    features: frozenset[str] = FEATURES

    def __init__(self, spec: WorldSpec) -> None:
        for part in spec.parts:
            if part not in PARTS:
                known = ", ".join(PARTS)
                raise PluginError(f"the real world has no part `{part}` (it has {known})")
        if (problem := self.options_problem(spec.options)) is not None:
            raise PluginError(problem)
        self._spec = spec
        self._given = read_given(spec.given, RealFigures())
        self._cut_short: RunEnd | None = None
        self._main: asyncio.Task[None] | None = None
        self.trace = Trace(time.monotonic_ns, limit=spec.limits.events, on_limit=self._reach_events)
        self.ports = Ports()
        self._faults = Faults("the real world", {}, self.trace)
        self._film: Film | None = None
        self.machine: RealMachine | None = None
        """What is behind the ports, while it runs."""

    @classmethod
    def options_problem(cls, options: WorldOptions) -> str | None:
        """Return what is wrong with the options, or None."""
        if options.driver is not None and options.driver not in DRIVERS:
            return f"there is no driver {options.driver!r}: it is one of {', '.join(DRIVERS)}"
        manager = options.window_manager
        if manager is not None and manager not in WINDOW_MANAGERS:
            known = ", ".join(WINDOW_MANAGERS)
            return f"there is no window manager {manager!r} here: it is one of {known}"
        if manager is not None and options.display is not None:
            return "a window manager is started on a display of the run's own only"
        return None

    @property
    def choices(self) -> tuple[int, ...]:
        """No choices: nobody orders the ties of a real loop."""
        return ()

    async def inject(self, fault: Fault) -> None:
        """Bring a fault about; see `windtunnel.world.World.inject`."""
        await self._faults.inject(fault)

    async def undo(self, fault: Fault) -> None:
        """Take a fault back; see `windtunnel.world.World.undo`."""
        await self._faults.undo(fault)

    def keep(self, name: str, *, failed: bool) -> str:
        """Keep the pictures of the run, or drop them; see `windtunnel.world.World.keep`."""
        film, self._film = self._film, None
        return "" if film is None else film.keep(name, failed=failed)

    def run(self, main: Main) -> RunEnd:
        """Run `main()` on a display; see `windtunnel.world.World.run`."""
        folder = make_folder()
        try:
            with open_display(self._spec.options) as display, asyncio.Runner() as runner:
                spec = self._spec
                self.machine = machine = RealMachine(
                    display, self.trace, self._given, spec.options, folder, spec.seed
                )
                return runner.run(self._play(machine, main))
        except SystemExit as error:
            return RunEnd("error", f"the code under test raised SystemExit({error.code!r})")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def _play(self, machine: RealMachine, main: Main) -> RunEnd:
        """Open the machine, run `main()` to its end or to what cuts it short, close it."""
        background = Background()
        background.watch(asyncio.get_running_loop())
        try:
            await machine.open()
            self.ports = machine.ports
            self._faults = Faults("the real world", fault_kinds(machine), self.trace)
            self._film_with(machine)
            machine.begin()
            await self._to_the_end(machine, main)
        finally:
            await self._take_down(machine)
        failed = background.failures()
        if failed and (self._cut_short is None or self._cut_short.reason == "limit"):
            return RunEnd("error", failed)
        return self._cut_short or RunEnd("finished")

    async def _to_the_end(self, machine: RealMachine, main: Main) -> None:
        loop = asyncio.get_running_loop()
        self._main = loop.create_task(main())
        died = loop.create_task(machine.display.died())
        limits = self._spec.limits
        limit = min(limits.sim, limits.wall)
        handle = loop.call_later(units.to_seconds(limit), self._reach_time, limit)
        try:
            await asyncio.wait({self._main, died}, return_when=asyncio.FIRST_COMPLETED)
            if not self._main.done():
                # No fault of the code under test: there is no verdict on it.
                self._cut(RunEnd("error", "the display is gone"))
                await asyncio.wait({self._main}, timeout=TAKE_DOWN_S)
                raise died.result()
            await self._ended()
        finally:
            handle.cancel()
            died.cancel()

    async def _ended(self) -> None:
        """Wait for the end of `main()`, and say how it ended where it did not finish."""
        assert self._main is not None, "it is running"
        try:
            await self._main
        except asyncio.CancelledError:
            if self._cut_short is None and not self._main.cancelled():
                raise  # it is us who are cancelled: an interrupt
            self._cut_short = self._cut_short or RunEnd(
                "error", "the run was cancelled by the code under test"
            )
        except (WorldError, FaultError) as error:
            self._cut_short = RunEnd("error", f"{type(error).__name__}: {error}")

    async def _take_down(self, machine: RealMachine) -> None:
        """Take back what is on and end what was started; a fault that stays on is the end."""
        if self._main is not None and not self._main.done():
            self._main.cancel()
            await asyncio.wait({self._main}, timeout=TAKE_DOWN_S)
        try:
            async with asyncio.timeout(TAKE_DOWN_S):
                await self._faults.undo_all()
        except (FaultError, TimeoutError) as error:
            self._cut_short = self._cut_short or RunEnd("error", f"FaultError: {error}")
        finally:
            self.trace.close()
            await machine.close()

    def _film_with(self, machine: RealMachine) -> None:
        options = self._spec.options
        if options.frames != "none":
            folder = Path(options.frames_folder)
            self._film = Film(machine.sight.capture, options.frames, folder)
            machine.picture = self._film.take

    def _reach_events(self) -> None:
        self._cut(_limit(f"{self._spec.limits.events} trace events"))

    def _reach_time(self, limit: int) -> None:
        self._cut(_limit(f"{units.format_duration(limit)} of real time"))

    def _cut(self, end: RunEnd) -> None:
        self._cut_short = self._cut_short or end
        self.trace.close()
        if self._main is not None:
            self._main.cancel()


def _limit(what: str) -> RunEnd:
    return RunEnd("limit", f"the limit of {what} was reached")
