"""The README is true: its scenarios pass, its class runs, its program prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from windtunnel.builtin import BUILTIN
from windtunnel.checks import CHECKS
from windtunnel.checks.base import Verdict
from windtunnel.checks.metrics import METRICS
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.selecting.selection import Request, select
from windtunnel.scenario.systems import load_system
from windtunnel.services.bridge.dispatch.call_sites import CALL_SITES
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [body for found, body in BLOCK.findall(text) if found == language]


@pytest.mark.parametrize("scenario", blocks("yaml"), ids=lambda block: block.split()[3])
def test_the_scenarios_shown_pass(scenario: str, tmp_path: Path) -> None:
    file = tmp_path / "first.yaml"
    file.write_text(scenario, encoding="utf-8")
    selection = select(Request(paths=(str(file),)))
    assert not selection.problems
    assert {run_cell(cell).verdict for cell in selection.cells} == {Verdict.PASS}


def test_the_faulty_scenario_is_vacuous_without_a_hit(tmp_path: Path) -> None:
    (scenario,) = (block for block in blocks("yaml") if "do: slow" in block)
    file = tmp_path / "faulty.yaml"
    file.write_text(scenario.replace("[type_query, type_text]", "[click_like]"), encoding="utf-8")
    results = [run_cell(cell) for cell in select(Request(paths=(str(file),))).cells]
    assert {result.verdict for result in results} == {Verdict.VACUOUS}
    assert all("affected nothing" in result.reason for result in results)


def test_the_command_shown_prints_what_is_shown(
    tmp_path: Path, shown: Callable[..., str], printed: Callable[[str, str], str]
) -> None:
    (scenario,) = (block for block in blocks("yaml") if "a-machine-is-cut-off" in block)
    (tmp_path / "cut.yaml").write_text(scenario, encoding="utf-8")
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    command = "windtunnel run cut.yaml"
    assert shown(tmp_path, *command.split()[1:]) == printed(page, command)


def test_the_systems_in_the_table_are_those_that_come_with_it() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| \[`(\w+)`\]\((docs/\w+\.md)\)", page, re.MULTILINE)
    assert {name for name, _ in told} == set(BUILTIN["systems"])
    assert all((ROOT / path).is_file() for _, path in told)


def test_the_contents_of_the_box_are_counted() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    faults = sum(len(load_system(name).faults) for name in BUILTIN["systems"])
    counts = f"{faults} kinds of fault, {len(CHECKS)} checks, thresholds over {len(METRICS)}"
    assert f"{counts} metrics" in text
    assert f"{len(ENDPOINTS)} routes" in text
    assert f"Its {len(CALL_SITES)} call sites" in text


def test_the_scheduler_shown_is_the_one_that_is_tested() -> None:
    shown = next(block for block in blocks("python") if "class HeapScheduler" in block)
    source = (ROOT / "tests" / "foreign" / "heap_scheduler.py").read_text(encoding="utf-8")
    assert shown in source


@pytest.fixture
def scheduler(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the name of the scheduler shown, as it is named from the folder of its file."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "foreign"))
    yield "heap_scheduler:HeapScheduler"
    sys.modules.pop("heap_scheduler", None)


def test_the_scheduler_shown_plays_the_first_scenario(scheduler: str, tmp_path: Path) -> None:
    file = tmp_path / "first.yaml"
    file.write_text(blocks("yaml")[0], encoding="utf-8")
    (cell,) = select(Request(paths=(str(file),), scheduler=scheduler, allow_code=True)).cells
    result = run_cell(cell)
    assert (result.verdict, result.reason) == (Verdict.PASS, "")


def test_the_scheduler_shown_plays_the_bundled_scenarios(scheduler: str) -> None:
    selection = select(Request(world="sim", scheduler=scheduler, allow_code=True))
    results = [run_cell(cell) for cell in selection.cells]
    passed = {result.scenario for result in results if result.verdict is Verdict.PASS}
    skipped = {result.reason for result in results if result.verdict is Verdict.SKIPPED}
    failed = {result.scenario for result in results if result.verdict is Verdict.FAIL}
    assert "logout-never-inside-a-send" in passed
    assert "HeapScheduler lacks drain" in skipped
    assert failed == {"stop-tells-everyone"}
    assert len(skipped_cells(results)) > len(results) / 2  # most
    (stopped,) = (result for result in results if result.verdict is Verdict.FAIL)
    told = " ".join([stopped.reason, *(check.message for check in stopped.checks)])
    assert "expected STOPPED" in told
    assert "the caller of late was never told anything" in told


def skipped_cells(results: list[CellResult]) -> list[CellResult]:
    return [result for result in results if result.verdict is Verdict.SKIPPED]


def test_the_test_shown_passes(
    pytester: pytest.Pytester, pytestconfig: pytest.Config, scheduler: str
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^    from heap_scheduler .*?(?=^\S)", text, re.MULTILINE | re.DOTALL)
    pytester.makepyfile(test_shown=textwrap.dedent(shown))
    (pytester.path / "first.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    assert scheduler.partition(":")[0] in shown
    without = [name for name in pytestconfig.getini("addopts") if name.startswith("no:")]
    result = pytester.runpytest(
        "-p", "windtunnel.pytest_plugin", *(part for name in without for part in ("-p", name))
    )
    result.assert_outcomes(passed=1)


def test_the_program_prints_what_it_says() -> None:
    program = next(block for block in blocks("python") if "windtunnel_models.run" in block)
    (printed,) = blocks("text")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "README.md", "exec"), {"__name__": "readme"})  # noqa: S102 - our own README
    assert out.getvalue() == printed
