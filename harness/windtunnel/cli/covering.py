"""Covering: from a request to the table of requirements and its exit code.

Imports all that `windtunnel coverage` needs; is itself imported only then.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from windtunnel.checks.base import Verdict
from windtunnel.cli.exit_codes import (
    EXIT_FAIL,
    EXIT_INTERRUPTED,
    EXIT_UNKNOWN,
    EXIT_USAGE,
    exit_code,
)
from windtunnel.cli.output_file import OutputFile, refuse_scenario
from windtunnel.cli.session import Session
from windtunnel.cli.sinks import STDOUT, to_json
from windtunnel.cli.texts import STYLES, console_for, plain, plural, print_table
from windtunnel.errors import Problem
from windtunnel.requirements.catalogue import Catalogue, bundled, load_catalogue
from windtunnel.requirements.coverage import (
    NOT_RUN,
    CellKey,
    Outcome,
    Requirement,
    outcome_of,
    requirements,
)
from windtunnel.requirements.markers import Marked, Markers, find_markers
from windtunnel.requirements.results import read_outcomes
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.pool import usual_jobs
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.reading.loading import load_scenario
from windtunnel.scenario.selecting.selection import Request, Selection, select
from windtunnel.world import WorldOptions

TESTS: Final = "tests"
"""The folder of tests, where none is named and it is there."""
MOST_NAMES: Final = 4
"""Scenarios or tests that a row of the table names; `--json` has all of them."""
_BUNDLED: Final = "requirements: the bundled catalogue (--catalogue FILE takes yours)"
_SAID: Final[Mapping[Outcome, str]] = {
    Verdict.ERROR: "in error",
    Verdict.FAIL: "failed",
    Verdict.UNKNOWN: "unknown",
    Verdict.VACUOUS: "vacuous",
    NOT_RUN: "not run",
}
"""Outcome with an exit code of its own → how it is told, the gravest first."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to join with the scenarios, and what to write; paths as the user gave them."""

    tests: tuple[str, ...] = ()
    results: TextIO | None = None
    catalogue: tuple[str, ...] = ()
    require_all: bool = False
    json: str | None = None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What came of the cells."""

    by_cell: Mapping[CellKey, Outcome]
    """File and name of the cell → its outcome; those that were not run are not in it."""
    mistaken: frozenset[CellKey] = frozenset()
    """The cells whose error is the user's to mend."""
    interrupted: bool = False


def cover(request: Request, options: Options) -> int:
    """Show the coverage of a request; return the exit code. Raises `WindtunnelError`."""
    if options.json is not None:
        refuse_scenario(options.json)
    catalogue = load_catalogue([Path(file) for file in options.catalogue] or bundled())
    markers = find_markers(_test_folders(options.tests))
    selection = select(request)
    output = None if options.json in (None, STDOUT) else OutputFile("--json", options.json or "")
    verdicts = _verdicts(selection, request, options.results)
    rows = requirements(catalogue, selection.cells, markers.marked, verdicts.by_cell)
    lines = [to_json(row.as_json()) + "\n" for row in rows]
    if output is not None:
        output.write("".join(lines))
        output.commit()
    elif options.json == STDOUT:
        click.echo("".join(lines), nl=False)
    console = console_for(sys.stderr if options.json == STDOUT else sys.stdout)
    problems = [*selection.problems, *_mistakes(catalogue, selection, markers)]
    _print(console, rows, selection, problems)
    if not options.catalogue:
        console.print(_BUNDLED)
    for line in _not_passed(selection.cells, verdicts):
        console.print(plain(line), soft_wrap=True)
    lacking = options.require_all and not all(row.covered for row in rows)
    if lacking:
        console.print("--require-all: not every requirement is covered")
    also = [*([EXIT_USAGE] if problems else []), *([EXIT_FAIL] if lacking else [])]
    return _exit_code(selection.cells, verdicts, also)


def _test_folders(named: Sequence[str]) -> list[Path]:
    return [Path(folder) for folder in named or ([TESTS] if Path(TESTS).is_dir() else [])]


def _verdicts(selection: Selection, request: Request, results: TextIO | None) -> Verdicts:
    """Return what came of the cells: read, or run now."""
    if results is not None:
        return Verdicts(read_outcomes(results, results.name))
    session = Session(selection.cells, request, [])
    if selection.cells:
        options = WorldOptions(frames="none")  # nothing here would tell where they are
        play = functools.partial(run_cell, options=options)
        session.play(play, jobs=usual_jobs(selection.cells, options))
    told = [one.result for one in session.told]
    mistaken = frozenset((result.file, result.name) for result in told if result.mistake)
    by_cell = {(one.file, one.name): outcome_of(one.verdict, one.status) for one in told}
    return Verdicts(by_cell, mistaken, session.interrupted)


def _mistakes(catalogue: Catalogue, selection: Selection, markers: Markers) -> Iterator[Problem]:
    """Yield every id that no catalogue has, at its place, and what was no id at all."""
    yield from markers.problems
    for one in markers.marked:
        if not catalogue.knows(one.id):
            yield Problem(one.file, one.line, one.column, catalogue.unknown(one.id))
    named = {cell.file for cell in selection.cells if not all(map(catalogue.knows, cell.covers))}
    for file in selection.files:
        if file.display in named:
            scenario = load_scenario(file.path, display_name=file.display, root=file.root)
            covers = scenario.root.child("covers")
            for node in covers.nodes() if covers is not None else ():
                if not catalogue.knows(str(node.value)):
                    yield node.fault(catalogue.unknown(str(node.value))).problem(file.display)


def _print(
    console: Console,
    rows: Sequence[Requirement],
    selection: Selection,
    problems: Iterable[Problem],
) -> None:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for name, fixed in (("requirement", True), ("verdict", True), ("scenarios", False)):
        table.add_column(name, overflow="fold", no_wrap=fixed)
    table.add_column("tests", overflow="fold")
    for row in rows:
        if row.scenarios or row.tests:
            scenarios = [covering.scenario for covering in row.scenarios]
            shown = (_verdict(row.outcome), plain(_names(scenarios)), plain(_names(_short(row))))
            table.add_row(plain(row.id), *shown)
    if table.row_count:
        print_table(console, table)
    missing = [row for row in rows if not row.covered]
    if missing:
        console.print("\nnot covered:")
    for row in missing:
        only = f"scenarios that were {row.outcome}" if row.scenarios else "tests that are skipped"
        why = f" (only by {only})" if row.scenarios or row.tests else ""
        console.print(plain(f"  {row.id}: {row.text}{why}"), soft_wrap=True)
    covered = f"{len(rows) - len(missing)} of {plural(len(rows), 'requirement')} covered"
    cells = f"{plural(len(selection.cells), 'cell')} of {plural(len(selection.files), 'file')}"
    console.print(f"\n{covered}, {cells}")
    for line in [*sorted(set(problems)), *(f"note: {note}" for note in selection.notes)]:
        click.echo(str(line), err=True)


def _not_passed(cells: Iterable[Cell], verdicts: Verdicts) -> Iterator[str]:
    """Yield why the exit code is what it is: `1 cell failed: NAME`."""
    found: dict[Outcome, list[str]] = {outcome: [] for outcome in _SAID}
    for cell in cells:
        outcome = verdicts.by_cell.get((cell.file, cell.name), NOT_RUN)
        if outcome in found and (cell.status != "quarantined" or outcome == NOT_RUN):
            found[outcome].append(cell.name)
    for outcome, names in found.items():
        if names:
            yield f"{plural(len(names), 'cell')} {_SAID[outcome]}: {_names(names)}"


def _verdict(outcome: Outcome) -> Text:
    """Return the outcome in its colour; what only tests name has none of its own."""
    return Text(outcome or "–", STYLES[outcome] if isinstance(outcome, Verdict) else "dim")


def _short(row: Requirement) -> list[str]:
    """Return the tests of a row without their folders and files."""
    return [_name(one) for one in row.tests]


def _name(marked: Marked) -> str:
    _, _, name = marked.test.partition("::")
    return name or Path(marked.file).name


def _names(names: Iterable[str]) -> str:
    found = list(dict.fromkeys(names))
    more = f", and {len(found) - MOST_NAMES} more" if len(found) > MOST_NAMES else ""
    return ", ".join(found[:MOST_NAMES]) + more


def _exit_code(cells: Sequence[Cell], verdicts: Verdicts, also: Sequence[int]) -> int:
    """Return the code of DESIGN §6; a cell without a result is as one whose limit was reached."""
    codes = [*also, *([EXIT_INTERRUPTED] if verdicts.interrupted else [])]
    counting: list[Verdict] = []
    for cell in cells:
        key = (cell.file, cell.name)
        outcome = verdicts.by_cell.get(key)
        gates = cell.status != "quarantined"
        if outcome is None:
            codes.append(EXIT_UNKNOWN)
        elif key in verdicts.mistaken and gates:
            codes.append(EXIT_USAGE)
        elif isinstance(outcome, Verdict) and (gates or outcome is Verdict.SKIPPED):
            counting.append(outcome)
        else:  # known to fail, or quarantined: as good as passed once it has run
            counting.append(Verdict.PASS)
    return exit_code(counting, *codes)
