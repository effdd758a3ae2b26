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


def send(story: Story, *ops: str, moves: bool = True) -> Story:
    """Decide to send these tasks inside, and have them taken there."""
    story.decide(len(ops), (len(ops), 0), (len(ops), 0))
    for op in ops:
        if moves:
            story.move(op, "waiting", "sending")
        story.sent(op).move(op, "sending", "inside")
    return story


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


def test_what_is_open_counts_whatever_is_reported_later(story: Story) -> None:
    send(known(story, 4), "a", "b", "c")
    send(known(story.at(1), 4), "d", "e")
    result = story.check(CHECK)
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == (
        "at 1ms: 2 sent inside, where 3 are open already, with 4 online; 1 of 2 decisions"
    )
    kinds = [story.trace[seq].kind for seq in result.witness]
    assert kinds == ["route.decided", "capacity.known"]
    assert story.check(CHECK, {"of": "external"}).verdict is Verdict.PASS


def test_before_any_report_nothing_is_known_of_the_instances(story: Story) -> None:
    assert send(story, "a", "b").check(CHECK).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("between", "verdict"),
    [
        (lambda s: s, Verdict.FAIL),
        (lambda s: known(s, 5), Verdict.PASS),
        (lambda s: s.move("a", "inside", "done"), Verdict.PASS),
        (lambda s: s.move("z", "inside", "done"), Verdict.FAIL),
    ],
)
def test_what_is_over_may_be_followed(story: Story, between: Any, verdict: Verdict) -> None:
    send(known(story, 4), "a", "b", "c")
    assert send(between(story), "d", "e").check(CHECK).verdict is verdict


def test_a_task_that_is_submitted_again_uses_nothing_more(story: Story) -> None:
    """Its first submission was not answered, and the dispatcher has it all the same (RT-C3)."""
    known(story, 3).decide(1, (3, 0), (1, 0)).move("a", "waiting", "sending")
    busy = {"instance": "inst-0", "status": "busy"}
    story.move("a", "", "pending", "dispatcher").record("instance.known", details=busy).assign("a")
    story.record("task.refused", op="a", details={"side": "internal", "why": "timeout"})
    story.move("a", "sending", "waiting").record("capacity.known", details={
        "online": 3, "busy": 1, "available": 2,
    })  # fmt: skip
    send(story, "a")
    assert send(story, "b", "c").check(CHECK).verdict is Verdict.PASS
    assert send(story, "d").check(CHECK).verdict is Verdict.FAIL


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
        known(story, max(internal, 12))
        parts = split(range(waiting), internal, external)
        right = len(parts.inside), len(parts.outside)
        to = data.draw(st.tuples(FIGURES, FIGURES)) if number == spoilt else right
        wrong += to != right
        story.decide(waiting, (internal, external), to)
    result = story.check(CHECK)
    assert (result.verdict is Verdict.FAIL, result.measured) == (bool(wrong), wrong)
