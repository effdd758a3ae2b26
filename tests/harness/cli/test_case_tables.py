"""The tables of cases: a row for each cell, what it says, what was observed, its verdict."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

from rich.console import Console

from windtunnel.checks.base import Verdict
from windtunnel.cli.case_tables import print_case_tables
from windtunnel.scenario.cells import Case
from windtunnel.scenario.results import CellResult

ROW = CellResult("split", "split.yaml", 1, "split", {}, "sim", "specified", None, 0, Verdict.PASS)


def row(name: str, case: Case, **fields: Any) -> CellResult:
    return replace(ROW, cell={"case": name}, case=case, **fields)


def printed(*results: CellResult) -> list[str]:
    stream = io.StringIO()
    print_case_tables(Console(file=stream, width=100), results)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_each_row_has_its_inputs_outputs_and_verdict() -> None:
    lines = printed(
        row("1", Case({"tasks": 25}, {"inside": 25})),
        row("none", Case({"tasks": 5}, {"inside": 0}), verdict=Verdict.FAIL),
    )
    assert lines[1] == "split"
    assert [line.split() for line in (lines[2], *lines[4:])] == [
        ["case", "tasks", "inside", "verdict"],
        ["1", "25", "25", "pass"],
        ["none", "5", "0", "fail"],
    ]


def test_what_was_observed_otherwise_stands_beside() -> None:
    case = Case({}, {"inside": 30, "waits": 5})
    lines = printed(row("5", case, observed={"inside": 29, "waits": 5}, verdict=Verdict.FAIL))
    assert lines[-1].split() == ["5", "30", "(29", "observed)", "5", "fail"]


def test_values_are_written_as_in_a_file() -> None:
    case = Case({"on": True, "who": None, "places": [1, 2]}, {"after": "5s"})
    assert printed(row("a", case))[-1].split() == ["a", "true", "null", "[1,", "2]", "5s", "pass"]


def test_a_scenario_without_cases_has_no_table() -> None:
    assert printed(ROW) == []


def test_each_scenario_has_a_table_of_its_own() -> None:
    one = row("1", Case({"tasks": 1}, {}))
    other = replace(row("1", Case({"kind": "crash"}, {})), scenario="drop")
    headings = [line for line in printed(one, ROW, other) if line in ("split", "drop")]
    assert headings == ["split", "drop"]
