"""The selection: from paths, overrides and a `-k` expression to the cells to run.

Files are loaded and expanded here; a broken one is reported beside the cells of the others.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from windtunnel.errors import Problem, ScenarioError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.cell_setup import Overrides
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import load_scenario
from windtunnel.scenario.selecting.files import ScenarioFile, find_scenarios
from windtunnel.scenario.selecting.filters import parse_filter, quote_word
from windtunnel.scenario.source.csv_nodes import MAX_CSV_BYTES
from windtunnel.scenario.source.source_text import MAX_BYTES

_HASH_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for; every field may be left out."""

    paths: tuple[str, ...] = ()
    expression: str | None = None
    world: str | None = None
    policy: str | None = None
    scheduler: str | None = None
    seed: int | None = None
    allow_code: bool = False

    def override_options(self) -> tuple[str, ...]:
        """Return the options that lay values over those of the files, as arguments."""
        given = {
            "--world": self.world,
            "--policy": self.policy,
            "--scheduler": self.scheduler,
            "--seed": self.seed,
        }
        options = [
            part
            for flag, value in given.items()
            if value is not None
            for part in (flag, str(value))
        ]
        return (*options, *(["--allow-code"] if self.allow_code else []))

    def arguments(self) -> tuple[str, ...]:
        """Return the arguments of `windtunnel run` that make this request again."""
        expression = () if self.expression is None else ("-k", self.expression)
        return (*map(as_argument, self.paths), *expression, *self.override_options())


@dataclass(frozen=True, slots=True)
class Selection:
    """The cells to run, and what was found on the way to them."""

    cells: tuple[Cell, ...]
    files: tuple[ScenarioFile, ...]
    problems: tuple[Problem, ...]
    """Every problem of every broken file."""
    notes: tuple[str, ...]
    deselected: int
    """Cells that `-k` left out."""
    hash: str
    """The first 12 hex digits of the SHA-256 over the content of all the files, those that they
    include or take their rows from at the end."""


def select(request: Request) -> Selection:
    """Return the cells of a request, in the order of the files and within each as expanded.

    Raises `SelectionError` for paths that hold no scenario, `FilterError` for a bad expression.
    """
    overrides = Overrides(
        request.world, request.policy, request.scheduler, request.seed, request.allow_code
    )
    wanted = parse_filter(request.expression) if request.expression is not None else None
    found = find_scenarios(request.paths)
    cells: list[Cell] = []
    problems: list[Problem] = []
    named: list[Path] = []
    for file in found.files:
        try:
            scenario = load_scenario(file.path, display_name=file.display, root=file.root)
            named.extend(scenario.sources)
            cells.extend(expand(scenario, overrides))
        except ScenarioError as error:
            problems.extend(error.problems)
    chosen = [cell for cell in cells if wanted is None or wanted(haystack(cell))]
    return Selection(
        tuple(chosen),
        found.files,
        tuple(problems),
        found.notes,
        len(cells) - len(chosen),
        content_hash([*(file.path for file in found.files), *dict.fromkeys(named)]),
    )


def haystack(cell: Cell) -> str:
    """Return the text that `-k` is matched against: file, name, tags and covered requirements."""
    return "\n".join((cell.file, cell.name, *cell.tags, *cell.covers))


def as_argument(path: str) -> str:
    """Return a path so that no command takes it for an option."""
    return f"./{path}" if path.startswith("-") else path


def replay_command(cell: Cell, request: Request) -> str:
    """Return the one shell command that runs this cell alone, under the same overrides."""
    options = list(request.override_options())
    if request.seed is None and "seed" not in cell.axes:
        options += ["--seed", str(cell.seed)]
    chosen = ["-k", quote_word(cell.name)] if cell.axes else []
    return shlex.join(["windtunnel", "run", as_argument(cell.file), *chosen, *options])


def replay_all(request: Request, cells: Sequence[Cell]) -> str:
    """Return the shell command that runs the same selection, its seed named if it is one."""
    seeds = {cell.seed for cell in cells}
    options = list(request.arguments())
    if request.seed is None and len(seeds) == 1 and not any("seed" in c.axes for c in cells):
        options += ["--seed", str(*seeds)]
    return shlex.join(["windtunnel", "run", *options])


def _content(path: Path) -> bytes:
    if not path.is_file():  # a pipe or a device may have no end
        return b""
    with path.open("rb") as file:
        return file.read(MAX_CSV_BYTES + 1 if path.suffix == ".csv" else MAX_BYTES + 1)


def content_hash(files: Iterable[Path]) -> str:
    """Return the short SHA-256 over the content of the files, in their order.

    What is no file or cannot be read counts as empty, and no more is read than a scenario may
    hold: its problem is reported where it is loaded.
    """
    state = hashlib.sha256()
    for path in files:
        try:
            content = _content(path)
        except OSError:
            content = b""
        state.update(len(content).to_bytes(8, "big"))
        state.update(content)
    return state.hexdigest()[:_HASH_DIGITS]
