"""Coverage: who names a requirement, the worst of what came of it, and whether that covers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.requirements.catalogue import Catalogue
from windtunnel.requirements.coverage import (
    NOT_RUN,
    OPEN,
    Covering,
    Outcome,
    Requirement,
    requirements,
)
from windtunnel.requirements.markers import Marked
from windtunnel.scenario.cells import Cell

MakeCell = Callable[..., Cell]
OUTCOMES: list[Outcome] = [*Verdict, NOT_RUN, OPEN]


def marked(id_: str, test: str = "a.py::test", line: int = 1) -> Marked:
    return Marked(id_, test, "a.py", line, 1)


def test_each_requirement_has_its_scenarios_and_tests(make_cell: MakeCell) -> None:
    cells = [
        make_cell(scenario="one", axes={"n": 1}, covers=("A-1", "A-2")),
        make_cell(scenario="one", axes={"n": 2}, covers=("A-1", "A-2")),
        make_cell(scenario="two", covers=("A-1", "unknown")),
    ]
    verdicts: dict[tuple[str, str], Outcome] = {
        ("probe.yaml", "one[n=1]"): Verdict.PASS,
        ("probe.yaml", "one[n=2]"): Verdict.FAIL,
        ("other.yaml", "two"): Verdict.PASS,
    }
    catalogue = {"A-1": "first", "A-2": "second", "A-3": "third", "A-4": "fourth"}
    tests = [marked("A-3"), marked("A-3", line=2), marked("unknown")]
    rows = requirements(Catalogue(catalogue), cells, tests, verdicts)
    assert [row.id for row in rows] == list(catalogue)
    first, second, third, fourth = rows
    assert first.scenarios == (
        Covering("one", "probe.yaml", {Verdict.PASS: 1, Verdict.FAIL: 1}),
        Covering("two", "probe.yaml", {NOT_RUN: 1}),
    )
    assert (first.outcome, second.outcome, third.outcome) == (Verdict.FAIL, Verdict.FAIL, "")
    assert [row.covered for row in rows] == [True, True, True, False]
    assert (fourth.scenarios, fourth.tests) == ((), ())
    assert third.as_json()["tests"] == [{"test": "a.py::test", "file": "a.py", "line": 1}]
    assert first.as_json()["scenarios"][0]["cells"] == {"pass": 1, "fail": 1}


@pytest.mark.parametrize(
    ("outcomes", "worst", "covered"),
    [
        ([Verdict.PASS, Verdict.SKIPPED], Verdict.PASS, True),
        ([Verdict.SKIPPED], Verdict.SKIPPED, False),
        ([Verdict.PASS, NOT_RUN], NOT_RUN, True),
        ([NOT_RUN, Verdict.VACUOUS], Verdict.VACUOUS, False),
        ([Verdict.UNKNOWN], Verdict.UNKNOWN, False),
        ([Verdict.ERROR], Verdict.ERROR, False),
        ([OPEN], OPEN, True),
        ([Verdict.PASS, OPEN], OPEN, True),
        ([Verdict.UNKNOWN, Verdict.FAIL], Verdict.FAIL, True),
        ([Verdict.FAIL, Verdict.ERROR], Verdict.ERROR, True),
        ([], "", False),
    ],
)
def test_the_worst_counts(outcomes: list[Outcome], worst: Outcome, covered: bool) -> None:
    row = Requirement("A-1", "", (Covering("s", "f", dict.fromkeys(outcomes, 1)),), ())
    assert (row.outcome, row.covered) == (worst, covered)


@given(st.lists(st.sampled_from(OUTCOMES), min_size=1), st.sampled_from(OUTCOMES))
def test_one_more_outcome_never_makes_it_pass(outcomes: list[Outcome], more: Outcome) -> None:
    def outcome(found: list[Outcome]) -> Outcome:
        return Covering("s", "f", dict.fromkeys(found, 1)).outcome

    before, after = outcome(outcomes), outcome([*outcomes, more])
    assert after in (before, more)
    assert not (after is Verdict.PASS and {before, more} - {Verdict.PASS, Verdict.SKIPPED})


def test_a_test_that_is_skipped_covers_nothing() -> None:
    skipped = replace(marked("A-1"), skipped=True)
    assert not Requirement("A-1", "", (), (skipped,)).covered
    assert Requirement("A-1", "", (), (skipped, marked("A-1"))).covered
