"""A single run: one cell once, from a world made for it to a result. One direction, no way back.

Cell → world → system under test → timeline played → trace → checks → verdict.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

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
from windtunnel.scenario.playing import pulse
from windtunnel.scenario.playing.faults import NotBroughtAboutError, verified
from windtunnel.scenario.playing.garbage import looked_at_twice
from windtunnel.scenario.playing.holding import Holding
from windtunnel.scenario.playing.judging import Judgement, judge_cell
from windtunnel.scenario.playing.run_name import run_name
from windtunnel.scenario.playing.timeline import Player
from windtunnel.scenario.results import FINE, CellResult, FaultLine
from windtunnel.scenario.systems import load_system
from windtunnel.systems.base import Operation, Setup, System
from windtunnel.trace import Trace
from windtunnel.world import RunEnd, World, WorldOptions, WorldSpec

USUAL: Final = WorldOptions()
"""What a real world does unless it is told otherwise."""


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
        """Build the system, play the timeline, close the trace, take the system down.

        A sign of life is given at the begin and at the end: a real world takes its time before
        and after, which is not the run's.
        """
        pulse.beat()
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
            pulse.beat()
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
def run_once(
    cell: Cell, *, keep_trace: bool = False, options: WorldOptions = USUAL, number: int = 0
) -> CellResult:
    """Run a cell in one order of ties and judge it; never raises for what is under test.

    `options` are those of a real world, and `number` that of the run among the cell's repeats.

    Raises `PluginError` or `WorldUnavailableError` when the system or the world is not there.
    """
    started = time.perf_counter()
    system = load_system(cell.system)
    world: World = load_plugin("worlds", cell.world)(
        WorldSpec(cell.seed, cell.limits, cell.given.model_dump(), cell.ties, system.parts, options)
    )
    run = Run(cell, system, world)
    name = run_name(cell, number)
    try:
        end = run.end(world.run(run.play))
        pulse.beat()  # to judge, and to keep what is kept, takes time of its own too
        judgement = _judged(run, end, cell, system, world.trace)
    except BaseException as error:
        _break_off(world, name, error)
        raise
    judgement, kept = _kept(world, name, judgement)
    trace = world.trace
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
        kept=kept,
        trace=tuple(canonical.lines(trace)) if keep_trace else (),
    )
    trace.release()
    return result


def _judged(run: Run, end: RunEnd, cell: Cell, system: System, trace: Trace) -> Judgement:
    trace.end(end.reason)
    return _without_a_run(run.failure) or judge_cell(
        cell, system, trace, run.judged_end(end), tuple(run.idle())
    )


def _kept(world: World, name: str, judgement: Judgement) -> tuple[Judgement, str]:
    """Have the world keep what it has of the run; return the verdict, and the folder if any.

    A full disk costs the pictures, not the verdict: its reason says so.
    """
    try:
        return judgement, world.keep(name, failed=judgement.verdict not in FINE)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        told = f"frames not kept: {where}{error.strerror or error}"
        reason = f"{judgement.reason} ({told})" if judgement.reason else told
        return replace(judgement, reason=reason), ""


def _break_off(world: World, name: str, error: BaseException) -> None:
    """Have the world keep what it has of a run that nobody judges.

    For an error of the tool itself the pictures are evidence, and the error tells where they are.
    After an interrupt nobody is told of them, and little time is left: they are dropped.
    """
    failed = isinstance(error, Exception)
    try:
        kept = world.keep(name, failed=failed)
    except Exception as lost:  # noqa: BLE001 - it must not take the place of the error
        kept = f"not kept: {lost}"
    if kept:
        error.add_note(f"frames: {kept}")


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
