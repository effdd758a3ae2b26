"""A session: cells played to the end, to `--maxfail` or to an interrupt, and fed to the sinks.

Imports the pool and the sinks, no world.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from windtunnel.cli.output_file import OutputError
from windtunnel.cli.progress import Progress
from windtunnel.cli.real_options import NOTHING_SAID, RealOptions
from windtunnel.cli.sinks import Sink
from windtunnel.cli.summaries import short_form
from windtunnel.cli.ties import AS_WRITTEN, TieOptions
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.pool import Played, in_order, play_cells
from windtunnel.scenario.playing.worker import Play
from windtunnel.scenario.results import FINE
from windtunnel.scenario.selecting.selection import Request, replay_command


def replayed(request: Request) -> Request:
    """Return a request as its replay says it: --scheduler implies --allow-code."""
    return dataclasses.replace(request, allow_code=request.allow_code and request.scheduler is None)


@dataclasses.dataclass(slots=True)
class Session:
    """One run over a selection; `play` may be called once."""

    cells: Sequence[Cell]
    request: Request
    sinks: list[Sink]
    ties: TieOptions = AS_WRITTEN
    """What the command line says of ties; it has been applied to the cells."""
    real: RealOptions = NOTHING_SAID
    """What it says of a real world."""
    told: list[Played] = dataclasses.field(default_factory=list)
    """Results in the order of the cells, without their traces."""
    errors: list[OutputError] = dataclasses.field(default_factory=list)
    """Outputs that could not be written; the run goes on without them."""
    interrupted: bool = False
    seconds: float = 0.0
    _finished: dict[int, Played] = dataclasses.field(default_factory=dict)

    def play(self, play: Play, *, jobs: int, maxfail: int | None = None) -> None:
        """Play the cells; an interrupt ends it early, with what had finished by then."""
        began = time.monotonic()
        try:
            with _terminable(), contextlib.closing(play_cells(self.cells, play, jobs=jobs)) as all_:
                for played in in_order(self._watch(all_)):
                    self._tell(played)
                    if maxfail is not None and self.not_passed >= maxfail:
                        break
        except KeyboardInterrupt:
            self.interrupted = True
            for index in sorted(self._finished):
                self._tell(self._finished[index])
        self._finished.clear()
        self.seconds = time.monotonic() - began

    def finish(self) -> None:
        """Commit what the sinks have."""
        for sink in list(self.sinks):
            self._try(sink, sink.commit)

    @property
    def not_passed(self) -> int:
        """How many of the results so far count and are neither passed nor skipped."""
        return sum(one.result.gates and one.result.verdict not in FINE for one in self.told)

    @property
    def not_run(self) -> int:
        """How many cells have no result."""
        return len(self.cells) - len(self.told)

    def _watch(self, played: Iterator[Played]) -> Iterator[Played]:
        """Keep what has finished until it is told, and show the progress."""
        progress = Progress(sys.stderr, len(self.cells))
        done = not_passed = 0
        try:
            for one in played:
                self._finished[one.index] = one
                done += 1
                not_passed += one.result.verdict not in FINE
                progress.show(done, not_passed)
                yield one
        finally:
            progress.clear()

    def _tell(self, played: Played) -> None:
        self._finished.pop(played.index, None)
        cell = self.cells[played.index]
        ties = self.ties.replaying(played.result)
        named = dataclasses.replace(cell, file=short_form(cell.file))
        command = replay_command(named, replayed(self.request))
        replay = shlex.join([*shlex.split(command), *ties, *self.real.replaying(cell)])
        result = dataclasses.replace(played.result, replay=replay)
        line: dict[str, Any] = {**result.as_json(), "covers": list(cell.covers)}
        if played.printed:
            line["output"] = played.printed
        for sink in list(self.sinks):
            self._try(sink, functools.partial(sink.add, result, line))
        kept = dataclasses.replace(result, trace=())
        self.told.append(dataclasses.replace(played, result=kept))

    def _try(self, sink: Sink, action: Callable[[], None]) -> None:
        try:
            action()
        except OutputError as error:
            self.errors.append(error)
            self.sinks.remove(sink)
            sink.discard()


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Make a request to terminate what Ctrl-C is, so that no worker outlives the run."""

    def interrupt(_number: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
