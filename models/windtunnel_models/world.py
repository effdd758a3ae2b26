"""The simulated world: a loop in virtual time, a trace on its clock, its parts, their faults.

Imports the loop, the parts and the contract `windtunnel.world`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType
from typing import Any, Final

from windtunnel import units
from windtunnel.errors import FaultError, PluginError
from windtunnel.faults import Faults, at_once
from windtunnel.ports import Ports
from windtunnel.trace import Trace
from windtunnel.world import Fault, Main, RunEnd, WorldSpec
from windtunnel_models import profile as profiles
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.part import ClusterPart
from windtunnel_models.errors import Deadlock, LoopError, WallLimit
from windtunnel_models.loop.sim_loop import SimLoop
from windtunnel_models.loop.waiting import report
from windtunnel_models.loop.wall import wall_limit
from windtunnel_models.machine.part import DesktopPart
from windtunnel_models.parts import Ground, Part

FEATURES: Final = frozenset(
    {
        *("faults", "ties", "virtual_time"),
        *("desktop", "processes", "records", "friend_requests"),
        *("hosts", "network", "stores", "fleet", "external_platform"),
    }
)
PARTS: Final[Mapping[str, Callable[[Ground], Part]]] = MappingProxyType(
    {"desktop": DesktopPart, "cluster": ClusterPart}
)
"""The parts that a system may stand on."""


class SimWorld:
    """One run in virtual time.

    `spec.given` is read by `windtunnel.machine.given`; `profile` says how long everything takes,
    the documents' figures unless given.
    """

    name: str = "sim"
    features: frozenset[str] = FEATURES

    def __init__(self, spec: WorldSpec, profile: profiles.Profile | None = None) -> None:
        self._limits = spec.limits
        self.loop = SimLoop()
        self.loop.seed = spec.seed
        self.accesses = AccessLog()
        self._cut_short: RunEnd | None = None
        self._main: asyncio.Task[None] | None = None
        self.trace = Trace(self.loop.time_ns, limit=spec.limits.events, on_limit=self._reach_events)
        if spec.ties.asked:
            self.loop.set_ties(spec.ties)
        ground = Ground(
            self.loop.env,
            self.trace,
            self.accesses,
            spec.given or {},
            profile or profiles.default(),
            spec.seed,
        )
        self.parts = {name: _part(name)(ground) for name in spec.parts}
        self.ports = Ports(**{k: v for part in self.parts.values() for k, v in part.ports.items()})
        kinds = {k: v for part in self.parts.values() for k, v in part.fault_kinds.items()}
        self._faults = Faults("the simulated world", kinds, self.trace)

    @property
    def choices(self) -> tuple[int, ...]:
        """The choices made at ties so far; empty for plain FIFO."""
        return self.loop.choices

    def inject(self, fault: Fault) -> Done:
        """Bring a fault about, at this call; see `windtunnel.world.World.inject`."""
        at_once(self._faults.inject(fault))
        return DONE

    def undo(self, fault: Fault) -> Done:
        """Take a fault back, at this call; see `windtunnel.world.World.undo`."""
        at_once(self._faults.undo(fault))
        return DONE

    def keep(self, _name: str, *, failed: bool) -> str:  # noqa: ARG002 - the protocol's
        """Keep nothing: a run in virtual time is played again at no cost."""
        return ""

    def _reach_events(self) -> None:
        self._cut(_limit(f"{self._limits.events} trace events"))

    def _reach_time(self) -> None:
        # The timer of this limit kept the loop from seeing that nothing else was left to do.
        if self.loop.is_exhausted():
            last = self.trace[len(self.trace) - 1].time if len(self.trace) else 0
            self.trace.close(last)
            self._cut(RunEnd("deadlock", report(self.loop, units.to_seconds(last))))
        else:
            self._cut(_limit(f"{units.format_duration(self._limits.sim)} of simulated time"))

    def _cut(self, end: RunEnd) -> None:
        self._cut_short = end
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
            self._let_go()
            return RunEnd("limit", str(error))
        except SystemExit as error:
            return RunEnd("error", f"the code under test raised SystemExit({error.code!r})")
        except asyncio.CancelledError as error:
            return self._cancelled(error)
        except Deadlock as error:
            return RunEnd("deadlock", str(error))
        except (LoopError, FaultError) as error:
            return RunEnd("error", f"{type(error).__name__}: {error}")
        return self._cut_short or RunEnd("finished")

    def _cancelled(self, error: asyncio.CancelledError) -> RunEnd:
        """Return the end of a run that was cut short; `error` notes what failed (`SimLoop.close`).

        Such a failure may be why the limit was reached, and is told in its place.
        """
        if self._cut_short is None:
            return RunEnd("error", "the run was cancelled by the code under test")
        failed = "\n".join(getattr(error, "__notes__", ()))
        return RunEnd("error", failed) if failed else self._cut_short

    async def _guard(self, main: Main) -> None:
        self._main = asyncio.current_task()
        if self._main is not None:
            self.loop.mark_daemon(self._main)  # it waits for the others: no news in a deadlock
        limit = self.loop.call_later(units.to_seconds(self._limits.sim), self._reach_time)
        try:
            await main()
        finally:
            limit.cancel()
            at_once(self._faults.undo_all())

    def _let_go(self) -> None:
        """Have asyncio say nothing of the tasks that the alarm has left pending."""
        for task in asyncio.all_tasks(self.loop):
            task._log_destroy_pending = False  # type: ignore[attr-defined] # noqa: SLF001 - asyncio has no other way

    def _wall(self) -> AbstractContextManager[None]:
        """Bound real time where that can be done: signals reach the main thread only."""
        if threading.current_thread() is not threading.main_thread():
            return nullcontext()
        return wall_limit(units.to_seconds(self._limits.wall), self.trace.close)


class Done:
    """What has ended already, as something to await."""

    def __await__(self) -> Generator[Any, None, None]:
        """End at once."""
        yield from ()


DONE: Final = Done()


def _part(name: str) -> Callable[[Ground], Part]:
    if name not in PARTS:
        known = ", ".join(sorted(PARTS))
        raise PluginError(f"the simulated world has no part `{name}` (it has {known})")
    return PARTS[name]


def _limit(what: str) -> RunEnd:
    return RunEnd("limit", f"the limit of {what} was reached")
