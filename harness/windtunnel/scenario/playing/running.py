"""Running: one cell, from a world made for it to a result. One direction, no way back.

Cell → world → system under test → timeline played → trace → checks → verdict.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from windtunnel import canonical, units
from windtunnel.builtin import load_plugin
from windtunnel.checks.base import Verdict
from windtunnel.errors import PluginError, RequirementError, ScenarioError, WindtunnelError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.judging import Judgement, judge_cell
from windtunnel.scenario.playing.timeline import Player
from windtunnel.scenario.results import CellResult
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
        self.failure: WindtunnelError | None = None
        """Why there is nothing to judge: what the scheduler lacks, or a plug-in that is wrong."""

    async def play(self) -> None:
        """Build the system, play the timeline, close the trace, take the system down."""
        try:
            await self._play()
        except (PluginError, RequirementError, ScenarioError) as error:
            self.failure = error

    async def _play(self) -> None:
        system = self._system.build(self._setup())
        await system.start()
        try:
            self._player = Player(self._cell, system, self._world.trace)
            await self._player.play()
        finally:
            self._world.trace.close()
            await system.stop()

    def _setup(self) -> Setup:
        cell = self._cell
        return Setup(
            world=self._world,
            given=cell.given,
            policy=cell.policy_options,
            scheduler=cell.scheduler,
            planned=tuple(self._first_operations()),
            checks=frozenset(line.check for line in cell.expect),
        )

    def _first_operations(self) -> Iterable[Operation]:
        return (entry.template.make(0) for entry in self._cell.timeline)

    def end(self, end: RunEnd) -> RunEnd:
        """Return how the run ended, `until` told from having finished."""
        if end.reason == "finished" and self._player is not None and self._player.reached_until:
            return RunEnd("until", "operations were still open at `until`")
        return end

    def unfired(self) -> tuple[str, ...]:
        """Return one text for each `after` that never happened."""
        waiting = self._player.waiting.values() if self._player is not None else ()
        return tuple(
            f"`after: {entry.after.text}` (line {entry.line}) never happened"
            for entry in waiting
            if entry.after is not None
        )


def run_cell(cell: Cell, *, keep_trace: bool = False) -> CellResult:
    """Run a cell and judge it; never raises for what the code under test does.

    Raises `PluginError` or `WorldUnavailableError` when the system or the world is not there.
    """
    started = time.perf_counter()
    system = load_system(cell.system)
    world: World = load_plugin("worlds", cell.world)(
        WorldSpec(cell.seed, cell.limits, cell.given.model_dump())
    )
    run = Run(cell, system, world)
    end = run.end(world.run(run.play))
    trace = world.trace
    trace.end(end.reason)
    judgement = _without_a_run(run.failure) or judge_cell(cell, system, trace, end, run.unfired())
    return CellResult.of(
        cell,
        judgement.verdict,
        judgement.reason,
        mistake=isinstance(run.failure, PluginError),
        checks=judgement.checks,
        metrics=_metrics(trace),
        digest=canonical.digest(trace),
        events=len(trace),
        seconds=time.perf_counter() - started,
        trace=tuple(canonical.lines(trace)) if keep_trace else (),
    )


def _without_a_run(failure: WindtunnelError | None) -> Judgement | None:
    if failure is None:
        return None
    skipped = isinstance(failure, RequirementError)
    return Judgement(Verdict.SKIPPED if skipped else Verdict.ERROR, str(failure))


def _metrics(trace: Trace) -> dict[str, Any]:
    outcomes = Counter(event.outcome for event in trace.of("action.settled"))
    return {
        "sim_seconds": units.to_seconds(trace[len(trace) - 1].time),
        "operations": sum(1 for _ in trace.of("action.submitted")),
        "outcomes": dict(sorted(outcomes.items())),
    }
