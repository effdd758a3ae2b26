"""The real world: asyncio's own loop, a trace on its clock, a display with the stand-in on it.

The same services run in it as in the simulation, unchanged. Imports the display, the machine,
the folders and the contract `windtunnel.world`.
"""

from __future__ import annotations

import asyncio
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
from windtunnel_real.display.running import RunningDisplay
from windtunnel_real.drivers.driver import DRIVERS
from windtunnel_real.errors import DisplayDiedError
from windtunnel_real.folders import make_folder, remove_folder
from windtunnel_real.machine.background import Background
from windtunnel_real.machine.faults import fault_kinds
from windtunnel_real.machine.filming import Film
from windtunnel_real.machine.machine import RealFigures, RealMachine
from windtunnel_real.machine.stage import WINDOW_MANAGERS, open_display

FEATURES: Final = frozenset({"faults", "desktop", "processes", "records", "friend_requests"})
TAKE_DOWN_S: Final = 5.0
ENDS: Final = (WorldError, FaultError)
"""What may come out of the code under test as the end of a run."""
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
        self._cutting = asyncio.Event()
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
            remove_folder(folder)

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
        except DisplayDiedError as error:
            raise await _told_best(machine.display, error) from error
        finally:
            await self._take_down(machine)
        failed = background.failures()
        if failed and (self._cut_short is None or self._cut_short.reason == "limit"):
            return RunEnd("error", failed)
        return self._cut_short or RunEnd("finished")

    async def _to_the_end(self, machine: RealMachine, main: Main) -> None:
        """Run `main()` until it ends, the display does, or something cuts it short."""
        loop = asyncio.get_running_loop()
        self._main = loop.create_task(main())
        died = loop.create_task(machine.display.died())
        cut = loop.create_task(self._cutting.wait())
        limits = self._spec.limits
        limit = min(limits.sim, limits.wall)
        handle = loop.call_later(units.to_seconds(limit), self._reach_time, limit)
        try:
            await asyncio.wait({self._main, died, cut}, return_when=asyncio.FIRST_COMPLETED)
            await self._end_main()
            if died.done() or not machine.display.alive():
                raise await died  # there is no verdict on the code under test
            self._note_end(self._main)
        finally:
            handle.cancel()
            died.cancel()
            cut.cancel()

    async def _end_main(self) -> None:
        """Cancel `main()` if it still runs, and wait until it is over, for seconds at the most."""
        if self._main is not None and not self._main.done():
            self._main.cancel()
            await asyncio.wait({self._main}, timeout=TAKE_DOWN_S)

    def _note_end(self, main: asyncio.Task[None]) -> None:
        """Say how `main()` ended where it did not finish; raises what is no affair of a world."""
        if main.done() and not main.cancelled() and (error := main.exception()) is not None:
            if isinstance(error, DisplayDiedError) or not isinstance(error, ENDS):
                raise error
            self._cut_short = RunEnd("error", f"{type(error).__name__}: {error}")
        elif self._cut_short is None and main.cancelled():
            self._cut_short = RunEnd("error", "the run was cancelled by the code under test")

    async def _take_down(self, machine: RealMachine) -> None:
        """Take back what is on and end what was started; a fault that stays on is the end."""
        await self._end_main()
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
        self._cutting.set()


async def _told_best(display: RunningDisplay, error: DisplayDiedError) -> DisplayDiedError:
    """Return what the display says of its end, which whoever met it first does not know."""
    try:
        async with asyncio.timeout(TAKE_DOWN_S):
            return await display.died()
    except TimeoutError:
        return error


def _limit(what: str) -> RunEnd:
    return RunEnd("limit", f"the limit of {what} was reached")
