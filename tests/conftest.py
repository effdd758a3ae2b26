"""Settings of the whole suite, and what many of its folders use."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import settings

from windtunnel.scenario.results import CellResult

# A deadline would be an assertion on the wall clock of a machine that has other work; the blob in
# a failure's report replays it. `--hypothesis-profile=thorough` looks longer.
settings.register_profile("windtunnel", deadline=None, print_blob=True)
settings.register_profile("thorough", settings.get_profile("windtunnel"), max_examples=3000)
settings.load_profile("windtunnel")

Play = Callable[..., tuple[CellResult, ...]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Give a function that plays every cell of a scenario's text and returns their results.

    The head (`format`, `name`, `system`, `policy`) is added where the text has none.
    """
    from windtunnel.scenario.playing.running import run_cell
    from windtunnel.scenario.selecting.selection import Request, select

    def run(text: str, *, keep_trace: bool = False, **request: str) -> tuple[CellResult, ...]:
        body = dedent(text)
        head = "" if body.startswith("format:") else HEAD
        file = tmp_path / "probe.yaml"
        file.write_text(head + body, encoding="utf-8")
        selection = select(Request(paths=(str(file),), allow_code=True, **request))  # type: ignore[arg-type]
        assert not selection.problems, selection.problems
        return tuple(run_cell(cell, keep_trace=keep_trace) for cell in selection.cells)

    return run


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in `real` as such; where the programs of a display are missing, skip it."""
    real = [item for item in items if _needs_display(item)]
    lacking = _missing_programs() if real else ""
    for item in real:
        item.add_marker(pytest.mark.real)
        if lacking:
            item.add_marker(pytest.mark.skip(f"{NOT_RUN}: no {lacking}"))


def _needs_display(item: pytest.Item) -> bool:
    return item.get_closest_marker("real") is not None or item.path.is_relative_to(REAL)


def _missing_programs() -> str:
    script = REAL.parents[1] / ".ci" / "display-programs"
    done = subprocess.run([script, "--missing"], stdout=subprocess.PIPE, text=True, check=True)
    return ", ".join(done.stdout.split())


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Tell apart what was not run for want of a display: no run without it looks green."""
    return (NOT_RUN_KEY, "N", NOT_RUN) if _not_run(report) else None


def _not_run(report: pytest.TestReport | pytest.CollectReport) -> bool:
    why = report.longrepr
    return isinstance(why, tuple) and why[2].startswith(f"Skipped: {NOT_RUN}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were not run for want of a display, why, and what mends it."""
    reports = terminalreporter.getreports(NOT_RUN_KEY)
    if reports:
        why = reports[0].longrepr[2].removeprefix(f"Skipped: {NOT_RUN}: ")
        line = f"{NOT_RUN}: {len(reports)} real tests: {why}; .ci/display-programs installs them"
        terminalreporter.section(line, sep="!", yellow=True, bold=True)


REAL = Path(__file__).resolve().parent / "real"
"""The folder of tests that need a real display."""
NOT_RUN = "NOT RUN"
NOT_RUN_KEY = "not run"
HEAD = """\
format: 1
name: probe
system: ui
policy: specified
"""
