"""The check `no_overcommit`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict
from windtunnel.policies.router.split import split

Story = Any  # the class in conftest.py, which cannot be imported
CHECK = "no_overcommit"

pytestmark = pytest.mark.spec("RT-S3", "RT-S4")


def known(story: Story, available: int) -> Story:
    details = {"online": available, "busy": 0, "available": available}
    return story.record("capacity.known", details=details)


def refuse(story: Story, op: str, side: str = "internal") -> Story:
    return story.record("task.refused", op=op, details={"side": side, "why": "refused"})


@pytest.mark.parametrize(
    ("waiting", "free", "to", "told"),
    [
        (45, (30, 10), (30, 10), ""),
        (25, (30, 10), (25, 0), ""),
        (5, (0, 10), (0, 5), ""),
        (35, (30, 0), (30, 0), ""),
        (31, (30, 10), (31, 0), "31 sent inside with 30 free there"),
        (45, (30, 10), (30, 11), "11 sent outside with 10 free there"),
        (5, (30, 10), (4, 1), "1 of 5 kept from the inside with 26 free there"),
        (5, (4, 0), (3, 0), "2 of 5 kept from the inside with 1 free there"),
        (5, (0, 10), (0, 4), "1 left waiting with 6 free outside"),
        (5, (4, 4), (4, 2), "1 more sent than were waiting"),
    ],
)
def test_one_decision(
    story: Story, waiting: int, free: tuple[int, int], to: tuple[int, int], told: str
) -> None:
    result = story.at(7).decide(waiting, free, to).check(CHECK)
    assert result.verdict is (Verdict.FAIL if told else Verdict.PASS)
    assert result.measured == bool(told)
    assert result.message == (
        f"at 7ms: {told}; 1 of 1 decisions" if told else "1 decisions keep to the capacity"
    )


def test_of_chooses_the_side(story: Story) -> None:
    story.decide(9, (4, 4), (5, 4))
    assert story.check(CHECK, {"of": "internal"}).verdict is Verdict.FAIL
    assert story.check(CHECK, {"of": "external"}).verdict is Verdict.PASS
    story.decide(9, (4, 4), (4, 5))
    assert story.check(CHECK, {"of": "external"}).measured == 1
    assert story.check(CHECK).measured == 2
    with pytest.raises(ValidationError):
        story.check(CHECK, {"of": "task"})


def test_a_report_is_used_up_once(story: Story) -> None:
    known(story, 4).decide(3, (4, 0), (3, 0)).at(1).decide(3, (4, 0), (3, 0))
    result = story.check(CHECK)
    assert (result.verdict, result.measured, result.witness) == (Verdict.FAIL, 1, (2, 0))
    assert result.message == (
        "at 1ms: 6 sent inside since a report of 4 available; 1 of 2 decisions"
    )
    assert story.check(CHECK, {"of": "external"}).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("between", "verdict"),
    [
        (lambda s: s, Verdict.FAIL),
        (lambda s: known(s, 4), Verdict.PASS),
        (lambda s: refuse(refuse(s, "t.0"), "t.1"), Verdict.PASS),
        (lambda s: refuse(s, "t.0"), Verdict.FAIL),
        (lambda s: refuse(refuse(s, "t.0"), "t.1", "external"), Verdict.FAIL),
        (lambda s: s.move("t.0", "inside", "done").move("t.1", "inside", "waiting"), Verdict.PASS),
        (lambda s: s.move("t.0", "sending", "waiting").move("t.1", "", "inside"), Verdict.FAIL),
        (lambda s: s.move("t.0", "inside", "", "other").move("t.1", "outside"), Verdict.FAIL),
    ],
)
def test_what_comes_back_may_be_used_again(story: Story, between: Any, verdict: Verdict) -> None:
    known(story, 4).decide(3, (4, 0), (3, 0))
    assert between(story).decide(3, (3, 0), (3, 0)).check(CHECK).verdict is verdict


def test_ends_of_what_was_sent_before_the_report_give_nothing_back_in_advance(story: Story) -> None:
    known(story, 2).move("t.8", "inside", "done").move("t.9", "inside", "done")
    assert story.decide(3, (3, 0), (3, 0)).check(CHECK).verdict is Verdict.FAIL


def test_without_a_decision_it_is_vacuous(story: Story) -> None:
    assert known(story, 4).check(CHECK).verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(story: Story) -> None:
    assert story.decide(1, (1, 0), (1, 0)).after_a_limit(CHECK).verdict is Verdict.UNKNOWN
    assert story.decide(1, (1, 0), (0, 0)).after_a_limit(CHECK).verdict is Verdict.FAIL


FIGURES = st.integers(0, 12)


@given(st.lists(st.tuples(FIGURES, FIGURES, FIGURES), min_size=1, max_size=8), st.data())
def test_the_split_passes_and_any_other_of_its_figures_fails(
    new_story: type[Story], triples: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    story = new_story()
    spoilt = data.draw(st.integers(-1, len(triples) - 1))
    wrong = 0
    for number, (waiting, internal, external) in enumerate(triples):
        known(story, internal)
        parts = split(range(waiting), internal, external)
        right = len(parts.inside), len(parts.outside)
        to = data.draw(st.tuples(FIGURES, FIGURES)) if number == spoilt else right
        wrong += to != right
        story.decide(waiting, (internal, external), to)
    result = story.check(CHECK)
    assert (result.verdict is Verdict.FAIL, result.measured) == (bool(wrong), wrong)
