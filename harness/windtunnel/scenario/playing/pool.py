"""The pool: cells played in worker processes, whatever the code under test does to them.

Imports the worker and the results, no world.
"""

from __future__ import annotations

import heapq
import multiprocessing
import os
import sys
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Final

from windtunnel import units
from windtunnel.builtin import BUILTIN, load_plugin
from windtunnel.checks.base import Verdict
from windtunnel.errors import WindtunnelError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.worker import Play, Worker
from windtunnel.scenario.results import FINE, CellResult
from windtunnel.world import WorldOptions

DISPLAYS_PER_CPU: Final = 6
"""Cells of the real world that are played at a time per processor."""
GRACE: Final = 5.0
"""Seconds beyond its wall limit after which a worker that has not answered is killed."""
_PATIENCE: Final = 2.0
"""Seconds an interrupted worker has to undo what it did."""
_LOOK: Final = 0.5
"""Seconds between two looks at workers whose end nothing announces."""


@dataclass(frozen=True, slots=True)
class Played:
    """A cell's result, its place among the cells, and the end of what was printed meanwhile."""

    index: int
    result: CellResult
    printed: str = ""


def usable_cpus() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usual_jobs(cells: Sequence[Cell], options: WorldOptions) -> int:
    """Return how many cells are played at a time, where nobody says it.

    Each cell of the built-in real world has a display of its own, and waits most of the time: of
    these there are several per processor. On a display that is there, and in a world of somebody
    else's, which may be one machine, cells would disturb one another.
    """
    alone = options.display is not None or any(
        cell.world not in BUILTIN["worlds"] for cell in cells
    )
    waiting = any(cell.world == "real" for cell in cells)
    most = usable_cpus() * (DISPLAYS_PER_CPU if waiting else 1)
    return 1 if alone else max(1, min(most, len(cells)))


def play_cells(
    cells: Sequence[Cell], play: Play, *, jobs: int, grace: float = GRACE
) -> Generator[Played, None, None]:
    """Yield the results of the cells as they come, played by at most `jobs` processes at a time.

    A worker that is silent for the cell's wall limit and `grace` seconds is killed (`unknown`); it
    gives a sign of life where a run begins and where it ends, however often a cell is played. One
    that dies is reported (`error`); the other cells go on. Closing the iterator, or an interrupt,
    ends the workers and all that they have started.
    """
    _load_worlds(cells)
    pool = _Pool(cells, play, jobs, grace)
    try:
        while pool.assign():
            yield from pool.collect()
    except BaseException:
        pool.end(_PATIENCE)
        raise
    pool.end()


def _load_worlds(cells: Sequence[Cell]) -> None:
    """Load the built-in worlds of the cells here, so that no worker has to."""
    for name in dict.fromkeys(cell.world for cell in cells):
        if name in BUILTIN["worlds"]:
            with suppress(WindtunnelError):  # the cell's own result says what is wrong
                load_plugin("worlds", name)


def in_order(played: Iterable[Played]) -> Iterator[Played]:
    """Yield results by their index, each as soon as all before it are there."""
    early: list[tuple[int, Played]] = []
    following = 0
    for one in played:
        heapq.heappush(early, (one.index, one))
        while early and early[0][0] == following:
            yield heapq.heappop(early)[1]
            following += 1


def simulated(cell: Cell) -> bool:
    """Tell whether a cell is played in virtual time, and needs nothing of this machine."""
    return cell.world == "sim"


def isolated(cell: Cell) -> bool:
    """Tell whether a cell gets a process that no other cell follows in.

    Code that is not ours may keep state in its modules: it would make a result depend on what ran
    before it, and a replay differ. The threads and programs of a real world end with the process.
    """
    return (
        cell.scheduler is not None or cell.system not in BUILTIN["systems"] or not simulated(cell)
    )


class _Pool:
    """The workers and what is left to do."""

    def __init__(self, cells: Sequence[Cell], play: Play, jobs: int, grace: float) -> None:
        self._cells = cells
        self._play = play
        self._jobs = jobs
        self._grace = grace
        self._waiting = deque(range(len(cells)))
        self._workers: list[Worker] = []
        method = "fork" if sys.platform == "linux" else "spawn"
        self._context = multiprocessing.get_context(method)

    def assign(self) -> bool:
        """Give every idle worker a cell, starting workers as needed; False when all is done."""
        for worker in self._workers:
            if worker.index is None and self._waiting:
                worker.start(self._waiting.popleft())
        while self._waiting and len(self._workers) < self._jobs:
            self._workers.append(Worker(self._context, self._cells, self._play))
            self._workers[-1].start(self._waiting.popleft())
        return any(worker.index is not None for worker in self._workers)

    def collect(self) -> Iterator[Played]:
        """Wait until something happens; yield what has come of it."""
        busy = [worker for worker in self._workers if worker.index is not None]
        signs = [sign for one in busy for sign in (one.connection, one.output, one.sentinel)]
        soonest = min(self._deadline(worker) for worker in busy) - time.monotonic()
        wait(signs, max(0.0, min(soonest, _LOOK)))
        for worker in busy:
            played = self._look(worker)
            if played is not None:
                yield played

    def end(self, patience: float = 0.0) -> None:
        """End every worker; the busy ones have `patience` seconds to undo what they did."""
        try:
            if patience:
                self._interrupt(time.monotonic() + patience)
        finally:
            while self._workers:
                self._workers.pop().end()

    def _interrupt(self, deadline: float) -> None:
        leaving = [worker for worker in self._workers if worker.index is not None]
        for worker in leaving:
            worker.interrupt()
        for worker in leaving:
            wait([worker.sentinel], max(0.0, deadline - time.monotonic()))

    def _deadline(self, worker: Worker) -> float:
        limit = self._cells[worker.index or 0].limits.wall / units.SECOND
        return worker.heard + limit + self._grace

    def _look(self, worker: Worker) -> Played | None:
        """Return what came of the worker's cell, if anything did."""
        index = worker.index or 0
        result = worker.poll()
        if result is not None:
            if isolated(self._cells[index]):
                self._retire(worker)
            return Played(index, result, "" if result.verdict in FINE else worker.printed())
        if worker.dead:
            return self._lost(worker, index, Verdict.ERROR, "worker died with {how}")
        if time.monotonic() >= self._deadline(worker):
            return self._lost(worker, index, Verdict.UNKNOWN, "wall limit: worker killed")
        return None

    def _lost(self, worker: Worker, index: int, verdict: Verdict, reason: str) -> Played:
        seconds = time.monotonic() - worker.started
        how = self._retire(worker)
        result = CellResult.of(self._cells[index], verdict, reason.format(how=how), seconds=seconds)
        return Played(index, result, worker.printed())

    def _retire(self, worker: Worker) -> str:
        self._workers.remove(worker)
        return worker.end()
