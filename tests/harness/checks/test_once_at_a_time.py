"""The check `once_at_a_time`."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict
from windtunnel.units import MS

Story = Any  # the class in conftest.py, which cannot be imported
CHECK = "once_at_a_time"

pytestmark = pytest.mark.spec("RT-C2")


@pytest.fixture
def again(story: Story) -> Story:
    """A task is done again at the instant at which its instance lost it; another is done once."""
    story.submit("t.0", "t.1", class_="task").work("t.0").work("t.1", "inst-2").at(5)
    return (
        story.work("t.0", "inst-1").worked("t.0", outcome="aborted").at(9).worked("t.0", "inst-1")
    )


def test_one_after_the_other_passes(again: Story) -> None:
    result = again.check(CHECK)
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)
    assert result.message == "2 tasks, one place at a time"


def test_two_at_once_fail_with_both(again: Story) -> None:
    result = again.work("t.1").check(CHECK)
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == (
        "inst-0 began on t.1 at 9ms, while inst-2 had been working on it since 0s; 1 of 2 tasks"
    )
    assert [again.trace[seq].resource for seq in result.witness] == ["inst-0", "inst-2"]


def test_a_place_that_begins_twice_is_two(story: Story) -> None:
    assert story.work("a").at(1).work("a").check(CHECK).verdict is Verdict.FAIL


def test_work_of_no_length_clashes_only_within_other_work(story: Story) -> None:
    story.work("a").at(3).work("a", "inst-1").worked("a", "inst-1").at(5).worked("a")
    assert story.check(CHECK).measured == 1
    story.at(9).work("b").work("b", "inst-1").worked("b", "inst-1").at(10).worked("b")
    story.work("b", "inst-1").worked("b", "inst-1")
    assert story.check(CHECK).measured == 1


def test_where_and_of_choose(story: Story) -> None:
    story.submit("t.0", class_="task").work("t.0").work("t.0", "external", "external")
    assert story.check(CHECK).measured == 1
    assert story.check(CHECK, {"of": "task", "where": "anywhere"}).measured == 1
    assert story.check(CHECK, {"where": "inside"}).verdict is Verdict.PASS
    assert story.check(CHECK, {"of": "other"}).verdict is Verdict.VACUOUS
    with pytest.raises(ValidationError):
        story.check(CHECK, {"where": "outside"})


def test_without_work_it_is_vacuous(story: Story) -> None:
    assert story.submit("a").check(CHECK).verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(again: Story) -> None:
    assert again.after_a_limit(CHECK).verdict is Verdict.UNKNOWN
    assert again.work("t.1").after_a_limit(CHECK).verdict is Verdict.FAIL


STEPS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2)), max_size=24)


@given(STEPS)
def test_it_agrees_with_looking_at_every_pair(
    new_story: type[Story], steps: list[tuple[int, int, int]]
) -> None:
    """Each mention begins or ends the work of a place on a task."""
    story = new_story()
    at_work: dict[tuple[int, int], int] = {}
    works: dict[int, list[tuple[float, float]]] = {}
    for passed, task, place in steps:
        story.at(story.now + passed)
        key = task, place
        if (begin := at_work.pop(key, None)) is not None:
            story.worked(f"t.{task}", f"inst-{place}")
            works.setdefault(task, []).append((begin, story.now))
        else:
            story.work(f"t.{task}", f"inst-{place}")
            at_work[key] = story.now
    for (task, _), begin in at_work.items():
        works.setdefault(task, []).append((begin, float("inf")))

    def clash(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return max(one[0], other[0]) < min(one[1], other[1]) or any(
            begin < at < end for (begin, end), at in ((one, other[0]), (other, one[0]))
        )

    offenders = sum(any(clash(*two) for two in combinations(w, 2)) for w in works.values())
    result = story.check(CHECK)
    if not works:
        assert result.verdict is Verdict.VACUOUS
        return
    assert result.measured == offenders
    if offenders:
        late, early = (story.trace[seq] for seq in result.witness[:2])
        assert late.op == early.op
        assert late.time // MS >= early.time // MS
