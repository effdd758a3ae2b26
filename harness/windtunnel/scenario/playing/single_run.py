"""A single run: one cell once, from a world made for it to a result. One direction, no way back.

Cell → world → system under test → timeline played → trace → checks → verdict.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from windtunnel import canonical, units
from windtunnel.builtin import load_plugin
from windtunnel.checks.base import Verdict
from windtunnel.checks.observation import observation
from windtunnel.errors import (
    FaultError,
    PluginError,
    RequirementError,
    ScenarioError,
    WindtunnelError,
)
from windtunnel.scenario.cells import Cell, FaultEntry
from windtunnel.scenario.playing.faults import NotBroughtAboutError, verified
from windtunnel.scenario.playing.garbage import looked_at_twice
from windtunnel.scenario.playing.holding import Holding
from windtunnel.scenario.playing.judging import Judgement, judge_cell
from windtunnel.scenario.playing.timeline import Player
from windtunnel.scenario.results import CellResult, FaultLine
from windtunnel.scenario.systems import load_system
from windtunnel.systems.base import Operation, Setup, System
from windtunnel.trace import Trace
from windtunnel.world import RunEnd, World, WorldSpec


class Run:
    """One cell in one world; `play` is what the world's loop runs."""

    def __init__(self, cell: Cell, system: System, world: World) -> None:
        self._cell = cell
        self._system = system
        self._world = world
        self._player: Player | None = None
        self._holding = Holding(cell.order, world.trace)
        self._broken_off = False
        self.failure: WindtunnelError | None = None
        """Why there is nothing to judge: what is lacking here, or a plug-in or fault gone wrong."""

    async def play(self) -> None:
        """Build the system, play the timeline, close the trace, take the system down."""
        try:
            await self._play()
        except (FaultError, PluginError, RequirementError, ScenarioError) as error:
            if not self._broken_off:  # else it is the breaking off that has gone wrong
                self.failure = self.failure or error

    async def _play(self) -> None:
        self._require()
        system = self._system.build(self._setup())
        await system.start()
        self._world.trace.begin()
        self._player = player = Player(self._cell, system, self._world, self._holding)
        try:
            await player.play()
        except (asyncio.CancelledError, KeyboardInterrupt):
            self._broken_off = True  # a limit, or the end of the loop
            raise
        finally:
            undoing = player.faults.undo_all()
            self._world.trace.close()
            try:
                await verified(undoing)
            except FaultError as error:  # told, but not in the place of what ended the run
                self.failure = error
            finally:
                await system.stop()

    def _require(self) -> None:
        """Raise `RequirementError` for what the cell needs and the world has not."""
        lacking = [name for name in self._cell.requires if name not in self._world.features]
        if lacking:
            raise RequirementError(f"the world {self._world.name} has no {', no '.join(lacking)}")

    def _setup(self) -> Setup:
        cell = self._cell
        return Setup(
            world=self._world,
            given=cell.given,
            policy=cell.policy_options,
            scheduler=cell.scheduler,
            planned=tuple(self._first_operations()),
            checks=frozenset(line.check for line in cell.expect),
            gate=self._holding.gate if cell.order else None,
            seed=cell.seed,
        )

    def _first_operations(self) -> Iterable[Operation]:
        return (entry.template.make(0) for entry in self._cell.timeline)

    def end(self, end: RunEnd) -> RunEnd:
        """Return how the run ended, `until` told from having finished."""
        if end.reason == "finished" and self._player is not None and self._player.reached_until:
            return RunEnd("until", "operations were still open at `until`")
        return end

    def judged_end(self, end: RunEnd) -> RunEnd:
        """Return the end that the verdict rests on.

        With something still held the order that was asked for did not come about: as after a
        limit, what has failed by then has failed, and nothing else is known.
        """
        unreached = self._holding.unreached()
        if not unreached or end.reason == "error":
            return end
        how = end.message.strip().partition("\n")[0].removesuffix(", and")
        return RunEnd("limit", f"order not reachable: {'; '.join(filter(None, (*unreached, how)))}")

    def idle(self) -> Iterator[str]:
        """Yield one text for each part of the scenario that came to nothing."""
        waiting = tuple(self._player.waiting.values()) if self._player is not None else ()
        for entry in waiting:
            if entry.after is not None:
                what = f" of fault `{entry.fault.id}`" if isinstance(entry, FaultEntry) else ""
                yield f"`after: {entry.after.text}`{what} (line {entry.line}) never happened"
        yield from self._idle_faults(frozenset(map(id, waiting)))
        yield from self._holding.unapplied()

    def _idle_faults(self, waiting: frozenset[int]) -> Iterator[str]:
        trace = self._world.trace
        injected = {event.op for event in trace.of("fault.injected")}
        affected = {event.op for event in trace.of("fault.affected")}
        for entry in self._cell.faults:
            id_ = entry.fault.id
            if id_ in affected or id(entry) in waiting:
                continue
            how = "affected nothing" if id_ in injected else "was never brought about"
            yield f"fault `{id_}` (line {entry.line}) {how}"


@looked_at_twice()
def run_once(cell: Cell, *, keep_trace: bool = False) -> CellResult:
    """Run a cell in one order of ties and judge it; never raises for what is under test.

    Raises `PluginError` or `WorldUnavailableError` when the system or the world is not there.
    """
    started = time.perf_counter()
    system = load_system(cell.system)
    world: World = load_plugin("worlds", cell.world)(
        WorldSpec(cell.seed, cell.limits, cell.given.model_dump(), cell.ties, system.parts)
    )
    run = Run(cell, system, world)
    end = run.end(world.run(run.play))
    trace = world.trace
    trace.end(end.reason)
    judgement = _without_a_run(run.failure) or judge_cell(
        cell, system, trace, run.judged_end(end), tuple(run.idle())
    )
    result = CellResult.of(
        cell,
        judgement.verdict,
        judgement.reason,
        mistake=isinstance(run.failure, PluginError | NotBroughtAboutError),
        checks=judgement.checks,
        faults=tuple(_fault_lines(cell, trace)),
        tie_seed=_tie_seed(cell, world),
        metrics=_metrics(trace),
        observed=_observed(cell, trace),
        digest=canonical.digest(trace),
        events=len(trace),
        seconds=time.perf_counter() - started,
        trace=tuple(canonical.lines(trace)) if keep_trace else (),
    )
    trace.release()
    return result


def _without_a_run(failure: WindtunnelError | None) -> Judgement | None:
    if failure is None:
        return None
    skipped = isinstance(failure, RequirementError)
    return Judgement(Verdict.SKIPPED if skipped else Verdict.ERROR, str(failure))


def _tie_seed(cell: Cell, world: World) -> int | None:
    seeded = cell.ties.order == "seeded" and "ties" in world.features
    return cell.ties.seed if seeded else None


def _fault_lines(cell: Cell, trace: Trace) -> Iterator[FaultLine]:
    """Yield what became of each fault."""
    times: dict[tuple[str, str], int] = {}
    for event in trace.of("fault.injected", "fault.affected", "fault.undone"):
        times.setdefault((event.op, event.kind), event.time)
    for entry in cell.faults:
        line = FaultLine(entry.fault.id, entry.fault.do, entry.line)
        yield replace(
            line,
            injected=times.get((line.id, "fault.injected")),
            affected=times.get((line.id, "fault.affected")),
            undone=times.get((line.id, "fault.undone")),
        )


def _observed(cell: Cell, trace: Trace) -> dict[str, Any]:
    """Return what was observed of the outputs of the cell's row, by their names."""
    seen = observation(trace)
    if cell.case is None or seen is None:
        return {}
    return {name: seen.values[name] for name in cell.case.outputs if name in seen.values}


def _metrics(trace: Trace) -> dict[str, Any]:
    outcomes = Counter(event.outcome for event in trace.of("action.settled"))
    return {
        "sim_seconds": units.to_seconds(trace[len(trace) - 1].time),
        "operations": sum(1 for _ in trace.of("action.submitted")),
        "outcomes": dict(sorted(outcomes.items())),
    }
