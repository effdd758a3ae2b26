"""The verdict table: what has a row, and what fits."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from windtunnel.checks.base import Verdict
from windtunnel.cli.table import MOST_ROWS, verdict_table
from windtunnel.scenario.results import CellResult

PASSED = CellResult(
    *("a-scenario-with-a-long-name-of-forty-chars", "a.yaml", 1, "", {}),
    *("sim", "specified", None, 0, Verdict.PASS),
    events=5,
    seconds=0.25,
)


def cells(*verdicts: Verdict, **fields: object) -> list[CellResult]:
    return [
        replace(
            PASSED,
            name=f"{PASSED.scenario}[n={number}]",
            verdict=verdict,
            reason="" if verdict is Verdict.PASS else f"why {number} " * 20,
            **fields,  # type: ignore[arg-type]
        )
        for number, verdict in enumerate(verdicts)
    ]


def rendered(results: list[CellResult], width: int) -> list[str]:
    stream = io.StringIO()
    table = verdict_table(results, width)
    assert table is not None
    Console(file=stream, width=width).print(table)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_a_scenario_that_passes_is_one_row() -> None:
    _, _, row = rendered(cells(*[Verdict.PASS] * 4), 1000)
    assert row.split() == ["pass", PASSED.scenario, "4", "sim", "specified", "20", "1.00", "s"]


def test_a_single_cell_is_named_where_it_failed() -> None:
    row = rendered(cells(Verdict.FAIL), 1000)[2]
    assert row.startswith(f"fail     {PASSED.scenario}[n=0] ")


def test_each_cell_that_did_not_pass_has_a_row_below_its_scenario() -> None:
    lines = rendered(cells(Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN), 1000)[2:]
    assert [line.split()[:2] for line in lines] == [
        [PASSED.scenario, "3"],
        ["fail", "[n=1]"],
        ["unknown", "[n=2]"],
    ]
    assert lines[0].endswith("1 pass, 1 fail, 1 unknown")
    assert lines[1].endswith("why 1")


def test_what_is_skipped_has_no_row() -> None:
    assert verdict_table(cells(Verdict.SKIPPED, Verdict.SKIPPED), 1000) is None
    skipped = [replace(one, scenario="other") for one in cells(Verdict.SKIPPED)]
    _, _, row = rendered([*skipped, *cells(Verdict.PASS, Verdict.SKIPPED, Verdict.PASS)], 1000)
    assert row.split()[:5] == ["pass", PASSED.scenario, "2", "of", "3"]
    assert row.endswith("2 pass, 1 skipped")
    lines = rendered(cells(Verdict.FAIL, Verdict.PASS, Verdict.SKIPPED), 1000)[2:]
    assert [line.split()[:2] for line in lines] == [[PASSED.scenario, "2"], ["fail", "[n=0]"]]
    (row,) = rendered(cells(Verdict.SKIPPED, Verdict.FAIL), 1000)[2:]
    assert row.split()[1] == f"{PASSED.scenario}[n=1]"


@pytest.mark.parametrize("width", [120, 150, 400])
def test_a_reason_is_cut_to_what_fits(width: int) -> None:
    lines = rendered(cells(Verdict.FAIL), width)
    assert len(lines) == 3
    assert f"{PASSED.scenario}[n=0]" in lines[2]
    assert lines[2].endswith("…" if width < 400 else "why 0")
    assert len(lines[2]) <= width


def test_too_many_rows_are_counted() -> None:
    lines = rendered(cells(*[Verdict.FAIL] * (MOST_ROWS + 3)), 1000)
    assert len(lines) == 2 + 1 + MOST_ROWS + 1
    assert lines[-1].strip() == "… and 3 more that did not pass"


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_it_fits_the_terminal_and_loses_no_name(width: int) -> None:
    lines = rendered(cells(Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN), width)
    assert max(map(len, lines)) <= width
    first, last = lines[0].index("scenario / cell"), lines[0].index("cells") - 1
    names = "".join(line[first:last].strip() for line in lines[2:])
    assert PASSED.scenario in names
    assert "…" not in names
    assert all(word in lines[0] for word in ("verdict", "world", "policy", "time"))


def test_schedulers_stand_in_the_policys_place_where_they_differ() -> None:
    theirs = cells(Verdict.PASS, scheduler="their:Scheduler")
    (alone,) = rendered(theirs, 1000)[2:]
    assert "specified" in alone
    assert "their:Scheduler" not in alone
    ours = [replace(one, scenario="ours") for one in cells(Verdict.PASS)]
    first, second = rendered([*theirs, *ours], 1000)[2:]
    assert "their:Scheduler" in first
    assert "specified" in second


def test_runs_are_shown_where_a_cell_was_played_often() -> None:
    assert "runs" not in rendered(cells(Verdict.PASS), 1000)[0]
    explored = cells(Verdict.PASS, Verdict.PASS, orders=50, runs=3)
    header, _, row = rendered([*explored, *cells(Verdict.PASS)], 1000)
    assert header.split()[4:7] == ["cells", "runs", "world"]
    assert row.split()[2:4] == ["3", "301"]


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.FAIL])
def test_a_status_stands_with_the_name(verdict: Verdict) -> None:
    lines = rendered(cells(verdict, status="open"), 1000)
    assert "(open)" in lines[2]
    lines = rendered(cells(verdict, Verdict.FAIL, status="quarantined"), 1000)
    assert "(quarantined)" in lines[2]
    assert "(active)" not in "".join(rendered(cells(verdict), 1000))
