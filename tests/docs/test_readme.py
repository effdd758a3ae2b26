"""The README is true: its scenario passes, its class runs, its program prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.selecting.selection import Request, select

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [body for found, body in BLOCK.findall(text) if found == language]


def test_the_first_scenario_passes(tmp_path: Path) -> None:
    (scenario,) = blocks("yaml")
    file = tmp_path / "first.yaml"
    file.write_text(scenario, encoding="utf-8")
    selection = select(Request(paths=(str(file),)))
    assert not selection.problems
    assert [run_cell(cell).verdict for cell in selection.cells] == [Verdict.PASS]


def test_the_scheduler_shown_is_the_one_that_is_tested() -> None:
    shown = next(block for block in blocks("python") if "class HeapScheduler" in block)
    source = (ROOT / "tests" / "foreign" / "heap_scheduler.py").read_text(encoding="utf-8")
    assert shown in source


def test_the_scheduler_shown_plays_the_bundled_scenarios(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "foreign"))
    selection = select(Request(scheduler="heap_scheduler:HeapScheduler", allow_code=True))
    results = [run_cell(cell) for cell in selection.cells]
    passed = {result.scenario for result in results if result.verdict is Verdict.PASS}
    skipped = {result.reason for result in results if result.verdict is Verdict.SKIPPED}
    failed = {result.scenario for result in results if result.verdict is Verdict.FAIL}
    assert "logout-never-inside-a-send" in passed
    assert "HeapScheduler lacks drain" in skipped
    assert failed == {"stop-tells-everyone"}
    sys.modules.pop("heap_scheduler", None)


def test_the_program_prints_what_it_says() -> None:
    program = next(block for block in blocks("python") if "windtunnel_models.run" in block)
    (printed,) = blocks("text")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "README.md", "exec"), {"__name__": "readme"})  # noqa: S102 - our own README
    assert out.getvalue() == printed
