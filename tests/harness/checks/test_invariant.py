"""The check `invariant`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.checks import CHECKS, Verdict

Story = Any  # the class in conftest.py, which cannot be imported; the cell's `tasks` is 3


@pytest.fixture
def seen(story: Story) -> Story:
    return story.kill().observe(to_internal=2, waiting=1, executed={"HIGH": 1}, nobody=0)


@pytest.mark.spec("RT-S2")
def test_what_holds_passes(seen: Story) -> None:
    result = seen.check("invariant", "to_internal + waiting == tasks")
    assert (result.verdict, result.measured, result.witness) == (Verdict.PASS, 3, (1,))
    assert seen.check("invariant", {"expr": "executed.HIGH == 1"}).verdict is Verdict.PASS


def test_what_does_not_hold_fails_with_the_values(seen: Story) -> None:
    result = seen.check("invariant", "to_internal + waiting < tasks")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 3)
    assert result.message == (
        "to_internal + waiting < tasks is False with to_internal = 2, waiting = 1, tasks = 3"
    )


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        ("waitng == 1", "waitng is not observed; did you mean waiting?"),
        ("to_internal / nobody > 1", "zero"),
        ("to_internal < 'x'", "cannot be compared"),
        ("executed + 1 > 0", "no number"),
    ],
)
def test_what_has_no_value_fails(seen: Story, expr: str, message: str) -> None:
    result = seen.check("invariant", expr)
    assert (result.verdict, result.measured) == (Verdict.FAIL, None)
    assert message in result.message
    assert expr in result.message


def test_an_observed_value_hides_a_variable(story: Story) -> None:
    assert story.observe(tasks=8).check("invariant", "tasks == 8").verdict is Verdict.PASS


def test_a_name_that_decides_nothing_need_not_be_there(seen: Story) -> None:
    result = seen.check("invariant", "tasks == 3 or unheard_of")
    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("expr", "measured"),
    [("waiting <= 4", 1), ("0 < waiting < 4", None), ("waiting", None), ("not waiting", None)],
)
def test_only_one_comparison_has_a_figure(seen: Story, expr: str, measured: int | None) -> None:
    assert seen.check("invariant", expr).measured == measured


def test_without_an_observation_it_is_vacuous(story: Story) -> None:
    assert story.check("invariant", "tasks == 3").verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(seen: Story) -> None:
    assert seen.after_a_limit("invariant", "waiting == 1").verdict is Verdict.UNKNOWN
    assert seen.after_a_limit("invariant", "waiting == 2").verdict is Verdict.FAIL


@pytest.mark.parametrize("args", ["a ** 2", "", {"expr": "a +"}, {"expr": 3}, {}, 7])
def test_what_is_no_expression_is_refused_with_the_file(args: object) -> None:
    with pytest.raises(ValidationError):
        CHECKS["invariant"].args.model_validate(args)
