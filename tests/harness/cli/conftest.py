"""A command line to call, over files in which each line is a cell that does as it says."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from windtunnel.checks.base import Verdict
from windtunnel.cli import cli
from windtunnel.errors import Problem, ScenarioError, WorldError, WorldUnavailableError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.cell_setup import Overrides
from windtunnel.scenario.results import CellResult, CheckLine
from windtunnel.world import Limits, WorldOptions

MakeCell = Callable[..., Cell]
FAILED = CheckLine("count", Verdict.FAIL, 7, "2 of send_text", (0,), 2, ("> 0.000s #0 [red]x",))


def play(cell: Cell, *, keep_trace: bool, options: WorldOptions) -> CellResult:
    """Do what the cell's line says, in the worker."""
    act = str(cell.variables["act"])
    print(f"printed by {act}")  # noqa: T201 - that is what is tested
    match act:
        case "leave":
            os._exit(3)
        case "hang":
            while True:
                pass
        case "wait":
            time.sleep(0.3)
        case "interrupt":
            os.kill(os.getppid(), 2)
            time.sleep(60)
        case "no-world":
            raise WorldUnavailableError("no display")
        case "world-dies":
            raise WorldError("the display is gone")
    act = act.removeprefix("q-")
    verdict = Verdict(act) if act in set(Verdict) else Verdict.PASS
    return CellResult.of(
        cell,
        verdict,
        "" if verdict is Verdict.PASS else f"it was to {act}",
        checks=(FAILED,) if verdict is Verdict.FAIL else (),
        digest=f"digest of {cell.name}",
        events=2,
        trace=('{"t":0,"seq":0}', '{"t":1,"seq":1}') if keep_trace else (),
    )


@dataclass(frozen=True)
class Fake:
    """A scenario as the fakes read it."""

    file: str
    acts: list[str]
    name: str
    system: Any = field(default_factory=lambda: SimpleNamespace(name="ui"))
    summary: str = "a fake"
    covers: tuple[str, ...] = ("UI-Q1",)
    sources: tuple[Path, ...] = ()


def load(path: Path, *, display_name: str, root: Path) -> Fake:
    assert path.resolve().is_relative_to(root.resolve())
    acts = path.read_text().split()
    problems = [
        Problem(display_name, line, 1, "this line is broken")
        for line, act in enumerate(acts, start=1)
        if act == "broken"
    ]
    if problems:
        raise ScenarioError(problems)
    return Fake(display_name, acts, path.stem)


@pytest.fixture(autouse=True)
def _usual_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def fakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_cell: MakeCell
) -> Callable[[str, str], Path]:
    """Give a function that writes a file of acts; they are loaded and played by the fakes."""

    def expand(scenario: Fake, overrides: Overrides) -> tuple[Cell, ...]:
        fields = {
            name: getattr(overrides, name) for name in ("world", "policy", "scheduler", "seed")
        }
        given = {name: value for name, value in fields.items() if value is not None}
        return tuple(
            replace(
                make_cell(
                    scenario=scenario.name,
                    file=scenario.file,
                    line=number + 1,
                    axes={"n": number},
                    variables={"act": act},
                    covers=scenario.covers,
                    tags=(f"tag-{act}",),
                    limits=Limits(wall=1),
                    status="quarantined" if act.startswith("q-") else "active",
                ),
                **given,
            )
            for number, act in enumerate(scenario.acts)
        )

    import windtunnel.cli.running
    import windtunnel.scenario.expanding.expansion
    import windtunnel.scenario.playing.pool
    import windtunnel.scenario.reading.loading
    import windtunnel.scenario.selecting.selection

    monkeypatch.setattr(windtunnel.scenario.reading.loading, "load_scenario", load)
    monkeypatch.setattr(windtunnel.scenario.selecting.selection, "load_scenario", load)
    monkeypatch.setattr(windtunnel.scenario.expanding.expansion, "expand", expand)
    monkeypatch.setattr(windtunnel.scenario.selecting.selection, "expand", expand)
    monkeypatch.setattr(windtunnel.cli.running, "run_cell", play)
    monkeypatch.chdir(tmp_path)

    def write(name: str, acts: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(acts)
        return path

    return write


@pytest.fixture
def call() -> Callable[..., Result]:
    """Give a function that calls the command line in this process."""

    def run(*arguments: str) -> Result:
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def environment() -> dict[str, str]:
    """Give an environment in which a fresh interpreter finds the packages as this one does."""
    path = os.pathsep.join(part or str(Path.cwd()) for part in sys.path)
    return os.environ | {"PYTHONPATH": path}
