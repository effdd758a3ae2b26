"""The simulated world: a loop in virtual time, a trace on its clock, a minimal desktop machine."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from windtunnel import units
from windtunnel.ports import Ports
from windtunnel.trace import Trace
from windtunnel.world import Main, RunEnd, WorldSpec
from windtunnel_models.access import AccessLog
from windtunnel_models.display import SimDisplay
from windtunnel_models.errors import Deadlock, LoopError, WallLimit
from windtunnel_models.loop import SimLoop
from windtunnel_models.processes import SimProcesses
from windtunnel_models.wall import wall_limit

RUNNING: Final = ("wechat",)
"""The processes that are there at the start."""


class SimWorld:
    """One run in virtual time; `spec.given` may hold `display: {lock: per_command | none}`."""

    name: str = "sim"

    def __init__(self, spec: WorldSpec) -> None:
        self._limits = spec.limits
        self.loop = SimLoop()
        self.loop.seed = spec.seed
        self.accesses = AccessLog()
        self._limit_reached: str = ""
        self._main: asyncio.Task[None] | None = None
        self.trace = Trace(self.loop.time_ns, limit=spec.limits.events, on_limit=self._reach_events)
        display: Mapping[str, Any] = (spec.given or {}).get("display", {})
        self.ports = Ports(
            display=SimDisplay(
                self.trace, self.accesses, locked=display.get("lock", "per_command") != "none"
            ),
            processes=SimProcesses(self.trace, self.accesses, RUNNING),
        )

    def _reach_events(self) -> None:
        self._reach(f"{self._limits.events} trace events")

    def _reach_time(self) -> None:
        self._reach(f"{units.format_duration(self._limits.sim)} of simulated time")

    def _reach(self, what: str) -> None:
        self._limit_reached = f"the limit of {what} was reached"
        self.trace.close()
        if self._main is not None:
            self._main.cancel()

    def run(self, main: Main) -> RunEnd:
        """Run `main()` in virtual time; see `windtunnel.world.World.run`."""
        try:
            with self._wall(), asyncio.Runner(loop_factory=lambda: self.loop) as runner:
                runner.run(self._guard(main))
                self.loop.cancel_leftovers()
        except WallLimit as error:
            return RunEnd("limit", str(error))
        except asyncio.CancelledError:
            if not self._limit_reached:
                return RunEnd("error", "the run was cancelled by the code under test")
        except Deadlock as error:
            return RunEnd("deadlock", str(error))
        except LoopError as error:
            return RunEnd("error", f"{type(error).__name__}: {error}")
        if self._limit_reached:
            return RunEnd("limit", self._limit_reached)
        return RunEnd("finished")

    async def _guard(self, main: Main) -> None:
        self._main = asyncio.current_task()
        limit = self.loop.call_later(units.to_seconds(self._limits.sim), self._reach_time)
        try:
            await main()
        finally:
            limit.cancel()

    def _wall(self) -> AbstractContextManager[None]:
        """Bound real time where that can be done: signals reach the main thread only."""
        if threading.current_thread() is not threading.main_thread():
            return nullcontext()
        return wall_limit(units.to_seconds(self._limits.wall))
