"""Playing cells under pytest: each in a worker process, or in pytest's own to debug it.

In a worker, as under `windtunnel run`, a cell may loop for ever, exit or crash, and pytest goes on.
Imports pytest, the pool and the runner.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import shlex
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from windtunnel import units
from windtunnel.builtin import load_plugin
from windtunnel.checks.base import Verdict
from windtunnel.cli.real_options import RealOptions
from windtunnel.cli.ties import TieOptions
from windtunnel.errors import WindtunnelError, WorldUnavailableError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.pool import Played, in_order, play_cells, usual_jobs
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.selecting.selection import Request, replay_command
from windtunnel.world import WorldOptions


def play(cells: Sequence[Cell], request: Request, config: pytest.Config) -> tuple[Played, ...]:
    """Return the results of cells, in their order, each with the command that replays it.

    The options on ties take the place of what the files say. Never raises for what the code under
    test does, and ends: a worker that is silent beyond its cell's wall limit is killed. In pytest's
    own process the world's wall limit ends what runs on Python's main thread; with a debugger
    there is none.
    """
    ties, real = _ties(config), _real(config)
    options = real.options()
    cells = [ties.applied(cell) for cell in cells]
    if config.getoption("usepdb") or config.getoption("trace"):
        unbounded = [_without_wall_limit(cell) for cell in cells]
        played: Iterator[Played] = _play_here(unbounded, options)
    elif config.getoption("windtunnel_in_process"):
        played = _play_here(cells, options)
    else:
        played = _play_in_workers(cells, options, jobs=_jobs(cells, options, config))
    return tuple(_with_replay(one, cells[one.index], request, ties, real) for one in played)


def _ties(config: pytest.Config) -> TieOptions:
    names = ("ties", "tie_seed", "explore")
    return TieOptions(*(config.getoption(f"windtunnel_{name}") for name in names))


def _real(config: pytest.Config) -> RealOptions:
    return RealOptions(
        frames=config.getoption("windtunnel_frames"),
        frames_folder=config.getoption("windtunnel_frames_dir"),
    )


def _with_replay(
    one: Played, cell: Cell, request: Request, ties: TieOptions, real: RealOptions
) -> Played:
    """Return a result with its command; only one that names a class needs `--allow-code`."""
    needed = request.allow_code and cell.scheduler is not None
    command = replay_command(cell, replace(request, allow_code=needed))
    further = (*ties.replaying(one.result), *real.replaying(cell))
    whole = shlex.join([*shlex.split(command), *further])
    return replace(one, result=replace(one.result, replay=whole))


def _play_here(cells: Sequence[Cell], options: WorldOptions) -> Iterator[Played]:
    return (Played(index, _attempt(cell, options)) for index, cell in enumerate(cells))


def _attempt(cell: Cell, options: WorldOptions) -> CellResult:
    try:
        return run_cell(cell, options=options)
    except WorldUnavailableError as error:
        return CellResult.of(cell, Verdict.SKIPPED, str(error))
    except WindtunnelError as error:
        return CellResult.of(cell, Verdict.ERROR, str(error))


def _without_wall_limit(cell: Cell) -> Cell:
    return replace(cell, limits=replace(cell.limits, wall=units.DAY))


def _play_in_workers(
    cells: Sequence[Cell], options: WorldOptions, *, jobs: int
) -> Iterator[Played]:
    for world in {cell.world for cell in cells}:
        with contextlib.suppress(WindtunnelError):  # a world that is not there: the worker says so
            load_plugin("worlds", world)  # imported once here, instead of once in every worker
    with warnings.catch_warnings():
        # Threads of pytest-xdist: the worker plays on without them, and is killed if it does not.
        warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)
        play = functools.partial(_play_in_worker, options=options)
        yield from in_order(play_cells(cells, play, jobs=jobs))


def _play_in_worker(cell: Cell, *, options: WorldOptions) -> CellResult:
    """Run a cell where nobody reads pytest's log handlers: what it logs is printed instead."""
    logging.getLogger().handlers.clear()
    return run_cell(cell, options=options)


def _jobs(cells: Sequence[Cell], options: WorldOptions, config: pytest.Config) -> int:
    """Return the number of workers; pytest-xdist's own processes share the machine already."""
    return 1 if hasattr(config, "workerinput") else usual_jobs(cells, options)
