"""A run from its request to its exit code: select, play, tell, write, verify.

Imports all that `windtunnel run` needs; is itself imported only then.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import itertools
import os
import shlex
import sys
from collections.abc import Iterator, Sequence

import click
from rich.console import Console
from rich.text import Text

from windtunnel import __version__
from windtunnel.checks.base import Verdict
from windtunnel.cli.case_tables import print_case_tables
from windtunnel.cli.details import print_details
from windtunnel.cli.determinism import UNREPEATABLE, Verification, Verifier
from windtunnel.cli.exit_codes import (
    EXIT_ENVIRONMENT,
    EXIT_FAIL,
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_UNKNOWN,
    EXIT_USAGE,
    exit_code,
)
from windtunnel.cli.output_file import refuse_scenario
from windtunnel.cli.real_options import NOTHING_SAID, RealOptions
from windtunnel.cli.session import Session, replayed
from windtunnel.cli.sinks import STDOUT, JsonFile, JsonStdout, JunitFile, Sink, TraceFile
from windtunnel.cli.summaries import summaries
from windtunnel.cli.table import verdict_table
from windtunnel.cli.texts import console_for, counts, plain, plural, print_table
from windtunnel.cli.ties import AS_WRITTEN, TieOptions
from windtunnel.errors import Problem
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.pool import usual_jobs
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.playing.worker import lacked_its_world
from windtunnel.scenario.results import FINE, CellResult
from windtunnel.scenario.selecting.selection import Request, Selection, replay_all, select


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """How to run and what to write; paths as the user gave them."""

    jobs: int | None = None
    json: str | None = None
    junit: str | None = None
    trace: str | None = None
    maxfail: int | None = None
    verify_determinism: bool = False
    ties: TieOptions = AS_WRITTEN
    tables: bool = False
    """Whether tables of cases are printed."""
    real: RealOptions = NOTHING_SAID


def run(request: Request, options: Options) -> int:
    """Run a request; return the exit code. Raises `WindtunnelError` for a user's mistake."""
    _check_outputs(options)
    console = console_for(sys.stderr if options.json == STDOUT else sys.stdout)
    selection = select(request)
    _print_problems(selection)
    if not selection.cells and not selection.problems:
        _print_nothing(request, selection)
        return EXIT_NOTHING
    if selection.cells:
        options.real.check_cells(selection.cells)
    cells = tuple(map(options.ties.applied, selection.cells))
    selection = dataclasses.replace(selection, cells=cells)
    whole = replay_all(replayed(request), cells)
    further = (*options.ties.arguments(), *options.real.arguments())
    replay = shlex.join([*shlex.split(whole), *further])
    with _sinks(options, selection.problems) as sinks:
        session = Session(cells, request, sinks, options.ties, options.real)
        if selection.cells:
            _print_head(console, selection)
        verification = _play(session, options)
    _print_results(console, session, selection, verification)
    if options.tables:
        print_case_tables(console, [one.result for one in session.told])
    _print_totals(console, session, selection, replay)
    return _exit_code(session, selection, verification)


def _check_outputs(options: Options) -> None:
    for flag, path in (("--junit", options.junit), ("--trace", options.trace)):
        if path == STDOUT:
            raise click.BadParameter("only --json can write to standard output", param_hint=flag)
    named = [path for path in (options.json, options.junit, options.trace) if path]
    for path in named:
        refuse_scenario(path)
    for one, other in itertools.combinations(named, 2):
        if os.path.realpath(one) == os.path.realpath(other) and not one.startswith("/dev/"):
            raise click.UsageError(f"two outputs cannot both go to {one}")


@contextlib.contextmanager
def _sinks(options: Options, problems: Sequence[Problem]) -> Iterator[list[Sink]]:
    """Open every output before the run, so that a wrong path is told at once; leave no parts."""
    with contextlib.ExitStack() as opened:
        sinks: list[Sink] = []

        def add(sink: Sink) -> None:
            opened.callback(sink.discard)
            sinks.append(sink)

        if options.json is not None:
            add(JsonStdout() if options.json == STDOUT else JsonFile(options.json))
        if options.junit is not None:
            add(JunitFile(options.junit, problems))
        if options.trace is not None:
            add(TraceFile(options.trace))
        yield sinks


def _play(session: Session, options: Options) -> Verification | None:
    """Play the session and finish its outputs; then, if asked for, run it twice more."""
    jobs = _jobs(options, session.cells)
    if not options.verify_determinism or not session.cells:
        _play_once(session, options, jobs, keep_trace=options.trace is not None)
        return None
    with contextlib.closing(Verifier()) as verifier:
        session.sinks.append(verifier.sink)
        _play_once(session, options, jobs, keep_trace=True)
        if session.interrupted or session.errors:
            return None
        try:
            return verifier.verify(_again(session), jobs)
        except KeyboardInterrupt:
            session.interrupted = True
            return None


def _play_once(session: Session, options: Options, jobs: int, *, keep_trace: bool) -> None:
    play = functools.partial(run_cell, keep_trace=keep_trace, options=session.real.options())
    gc.freeze()  # what is loaded by now is shared with the workers, not copied by their collectors
    try:
        session.play(play, jobs=jobs, maxfail=options.maxfail)
    finally:
        gc.unfreeze()
    session.finish()


def _again(session: Session) -> tuple[str, ...] | None:
    """Return the arguments that play again what can be compared; None: nothing can.

    No real display plays a cell twice in the same way, so none is asked to where that can be said.
    """
    worlds = {cell.world for cell in session.cells}
    repeatable = worlds - UNREPEATABLE
    if not repeatable:
        return None
    request, real = session.request, session.real.arguments()
    if worlds != repeatable and len(repeatable) == 1:
        request, real = dataclasses.replace(request, world=repeatable.pop()), ()
    return (*request.arguments(), *session.ties.arguments(), *real)


def _jobs(options: Options, cells: Sequence[Cell]) -> int:
    """Return the number of workers: what was asked for, and no more than there are cells."""
    wanted = options.jobs or usual_jobs(cells, options.real.options())
    return max(1, min(wanted, len(cells)))


def _print_problems(selection: Selection) -> None:
    for problem in selection.problems:
        click.echo(str(problem), err=True)
    for note in selection.notes:
        click.echo(f"note: {note}", err=True)


def _print_nothing(request: Request, selection: Selection) -> None:
    if request.expression is not None and selection.deselected:
        total = plural(selection.deselected, "cell")
        click.echo(f"nothing selected: -k {request.expression!r} matches none of {total}", err=True)
    else:
        where = f" in the {request.world} world" if request.world else ""
        click.echo(f"nothing selected: no scenario has a cell{where}", err=True)


def _print_head(console: Console, selection: Selection) -> None:
    cells = selection.cells
    seeds = sorted({cell.seed for cell in cells})
    worlds = ", ".join(sorted({cell.world for cell in cells}))
    seed = f"seed {seeds[0]}" if len(seeds) == 1 else plural(len(seeds), "seed")
    left_out = f" ({selection.deselected} left out)" if selection.deselected else ""
    head = (
        f"windtunnel {__version__}: {seed}, {plural(len(cells), 'cell')}{left_out} of "
        f"{plural(len(selection.files), 'file')}, world {worlds}{_scheduler(cells)}, "
        f"hash {selection.hash}"
    )
    console.print(plain(head), soft_wrap=True)


def _scheduler(cells: Sequence[Cell]) -> str:
    """Return the class that all cells test, if they test the same one of the user's."""
    named = {cell.scheduler for cell in cells}
    return f", scheduler {named.pop()}" if len(named) == 1 and None not in named else ""


def _print_results(
    console: Console, session: Session, selection: Selection, verification: Verification | None
) -> None:
    results = [one.result for one in session.told]
    if (table := verdict_table(results, console.width)) is not None:
        console.print()
        print_table(console, table)
    told = {result.file for result in results if result.verdict not in FINE}
    print_details(console, session.told, summaries(selection.files, told))
    if verification is not None:
        console.print()
        for line in verification.lines():
            console.print(plain(line), soft_wrap=True)
    for error in session.errors:
        click.echo(f"Error: {error}", err=True)


def _print_totals(console: Console, session: Session, selection: Selection, replay: str) -> None:
    verdicts = [one.result.verdict for one in session.told]
    parts = [counts(verdicts)] if verdicts else []
    if set_aside := sum(not one.result.gates for one in session.told):
        parts.append(plain(f"{set_aside} quarantined", "cyan"))
    if session.not_run:
        why = "interrupted" if session.interrupted else "--maxfail"
        parts.append(plain(f"{session.not_run} not run ({why})", "bold yellow"))
    if selection.problems:
        broken = len({problem.file for problem in selection.problems})
        parts.append(plain(f"{plural(broken, 'file')} with errors", "bold red"))
    parts.append(plain(f"{session.seconds:.2f} s"))
    parts.append(plain(f"hash {selection.hash}"))
    console.print()
    if kept := sum(bool(one.result.kept) for one in session.told):
        folder = session.real.options().frames_folder
        console.print(plain(f"frames: of {plural(kept, 'cell')}, in {folder}"), soft_wrap=True)
    console.print(Text(", ").join(parts), soft_wrap=True)
    console.print(plain(f"replay: {replay}"), soft_wrap=True)


def _exit_code(session: Session, selection: Selection, verification: Verification | None) -> int:
    results = [one.result for one in session.told]
    also = []
    named = session.request.world is not None or session.real.given  # its options name it too
    if named and any(map(lacked_its_world, results)):
        also.append(EXIT_ENVIRONMENT)
    if session.interrupted:
        also.append(EXIT_INTERRUPTED)
    if selection.problems or session.errors:
        also.append(EXIT_USAGE)
    if verification is not None and verification.differences:
        also.append(EXIT_FAIL)
    if verification is not None and verification.incomparable:
        also.append(EXIT_UNKNOWN)
    gating = [result for result in results if result.gates]
    if any(result.mistake for result in gating):
        also.append(EXIT_USAGE)
    if any(result.environment for result in gating):
        also.append(EXIT_ENVIRONMENT)
    of_the_cell = (one for one in results if not (one.gates and (one.mistake or one.environment)))
    return exit_code(map(_gating, of_the_cell), *also)


def _gating(result: CellResult) -> Verdict:
    """Return the verdict that counts: what is quarantined is as good as passed once it has run."""
    return result.verdict if result.gates or result.verdict is Verdict.SKIPPED else Verdict.PASS
