"""Collecting: which files are scenarios, their mistakes, the items they become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.pytest_plugin.collecting import MOST_ROWS, grouped, is_scenario
from windtunnel.scenario.cells import Cell

Run = Callable[..., pytest.RunResult]
Scenario = Callable[..., str]
MakeCell = Callable[..., Cell]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("format: 1\n", True),
        ("# words\n---\nformat: 1\n", True),
        ('"format": 1\n', True),
        ("{format: 1, name: x}\n", True),
        ("name: x\nsystem: ui\n", True),  # the format is forgotten: its loading says so
        ("expect :\n", True),
        ("inputs: [a]\nrows: [[1]]\n", False),
        ("other:\n  format: 1\n", False),
        ("formatting: 1\n", False),
        ("", False),
    ],
)
def test_a_scenario_is_told_from_other_yaml(tmp_path: Path, text: str, expected: bool) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    assert is_scenario(file) is expected


def test_a_file_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    assert is_scenario(tmp_path / "gone.yaml")


BOTH = """\
world: [sim, real]
timeline:
  - {at: 0s, submit: send_text, id: send, args: {to: alice, text: hello}}
expect:
  - conservation: {}
"""


@pytest.mark.parametrize(
    ("arguments", "cells"),
    [((), 2), (("--windtunnel-world=sim",), 1), (("-o", "windtunnel_world=sim"), 1)],
)
def test_only_the_cells_of_one_world_are_tests_where_that_is_said(
    run: Run, scenario: Scenario, arguments: tuple[str, ...], cells: int
) -> None:
    scenario("both", BOTH)
    result = run("--collect-only", "-q", *arguments)
    assert sum("both.yaml::" in line for line in result.outlines) == cells


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--windtunnel-world=moon",), "--windtunnel-world"),
        (("-o", "windtunnel_world=moon"), "windtunnel_world"),
    ],
)
def test_a_world_that_nobody_knows_is_told(
    run: Run, scenario: Scenario, arguments: tuple[str, ...], named: str
) -> None:
    scenario("both", BOTH)
    result = run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {named}: there is no world 'moon' (known: real, sim)"])


def test_mistakes_are_told_at_their_places_without_a_traceback(
    run: Run, scenario: Scenario
) -> None:
    body = """\
    timeline:
      - {at: 0, submit: send_tex, id: a}
    expect:
      - conservation: {}
    """
    scenario("broken", body)
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*ERROR collecting scenarios/broken.yaml*",
            "scenarios/broken.yaml:6:10: error: a duration is a number with a unit*",
            "scenarios/broken.yaml:6:21: error: *send_tex*did you mean `send_text`?",
        ]
    )
    result.stdout.no_fnmatch_line("*collecting.py*")


def test_classes_that_a_file_names_are_loaded_from_the_folders_alone(
    pytester: pytest.Pytester, run: Run, scenario: Scenario
) -> None:
    body = """\
    scheduler: json:JSONDecoder
    timeline:
      - {at: 0s, submit: send_text, id: a, args: {to: x, text: y}}
    expect:
      - conservation: {of: [send_text]}
    """
    scenario("foreign", body)
    run().assert_outcomes(failed=1)  # it is loaded, and is no scheduler
    (pytester.path / "scenarios" / "foreign.yaml").rename(pytester.path / "foreign.yaml")
    run("foreign.yaml").assert_outcomes(errors=1)


@settings(max_examples=25)  # a table is large
@given(
    tables=st.lists(st.tuples(st.sampled_from(["a", "b"]), st.booleans()), unique=True),
    rows=st.sampled_from([1, MOST_ROWS, MOST_ROWS + 1]),
)
def test_every_cell_is_in_one_item_and_only_large_tables_are_one(
    tables: list[tuple[str, bool]], rows: int
) -> None:
    cells = [
        made(axis=axis, **({"case": f"row-{number}"} if cases else {"number": str(number)}))
        for axis, cases in tables
        for number in range(rows)
    ]
    items = list(grouped(cells))
    assert [cell.name for _, group in items for cell in group] == [cell.name for cell in cells]
    assert len({name for name, _ in items}) == len(items)
    for name, group in items:
        if len(group) == 1:
            assert name == group[0].name
        else:
            assert len(group) == rows > MOST_ROWS
            assert name == f"probe[axis={group[0].axes['axis']}]"
            assert "case" in group[0].axes


def made(**axes: str) -> Cell:
    from windtunnel.world import Limits

    fields: Mapping[str, object] = {
        "scenario": "probe", "file": "probe.yaml", "line": 1, "axes": axes, "world": "sim",
        "system": "ui", "policy": "specified", "policy_options": None, "scheduler": None,
        "seed": 0, "given": None, "timeline": (), "observe_at": None, "settle": 0,
        "until": None, "limits": Limits(), "expect": (), "variables": {},
    }  # fmt: skip
    return Cell(**fields)  # type: ignore[arg-type]
