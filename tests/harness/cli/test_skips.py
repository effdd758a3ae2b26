"""What is skipped is told by its reasons."""

from __future__ import annotations

import io

from rich.console import Console

from windtunnel.checks.base import Verdict
from windtunnel.cli.skips import MOST_REASONS, print_skipped
from windtunnel.scenario.results import CellResult


def skipped(scenario: str, reason: str, verdict: Verdict = Verdict.SKIPPED) -> CellResult:
    return CellResult(
        scenario, f"{scenario}.yaml", 1, scenario, {}, "sim", "specified", None, 0, verdict, reason
    )


def printed(*results: CellResult) -> list[str]:
    stream = io.StringIO()
    print_skipped(Console(file=stream, width=1000), results)
    return stream.getvalue().splitlines()


def test_a_reason_is_told_once_and_that_of_most_cells_first() -> None:
    few = [skipped("s", "no display"), skipped("t", "no display")]
    many = [skipped(name, "no pause") for name in "abcda"]
    assert printed(*few, *many, skipped("p", "fine", Verdict.PASS)) == [
        "",
        "skipped 5 cells: no pause (4 scenarios)",
        "skipped 2 cells: no display (s, t)",
    ]


def test_nothing_skipped_nothing_told() -> None:
    assert printed(skipped("p", "", Verdict.PASS)) == []


def test_many_reasons_are_counted() -> None:
    lines = printed(*(skipped("s", f"why {n}") for n in range(MOST_REASONS + 3)))
    assert len(lines) == 1 + MOST_REASONS + 1
    assert lines[-1] == "… and 3 more cells for 3 other reasons"
