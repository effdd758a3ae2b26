"""The check `balance`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import Verdict
from windtunnel.world import RunEnd

Story = Any  # the class in conftest.py, which cannot be imported

pytestmark = pytest.mark.spec("RT-R3", "F-R9")
WAY = ["waiting", "sending", "inside", "done"]


@pytest.fixture
def eight(story: Story) -> Story:
    """Eight submitted at 0; at 2 one of them is done, two still wait and five are inside."""
    ops = [f"t.{number}" for number in range(8)]
    story.submit(*ops, class_="task")
    for op in ops:
        story.move(op, "", "waiting")
    story.at(2)
    for op in ops[:6]:
        story.move(op, "waiting", "sending").move(op, "sending", "inside")
        story.move(op, "", "pending", "dispatcher")
    story.move("t.0", "pending", "processing", "dispatcher")
    story.move("t.0", "processing", "completed", "dispatcher")
    return story.move("t.0", "inside", "done")


def test_what_adds_up_passes(eight: Story) -> None:
    result = eight.check("balance")
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)
    assert result.message == "29 moves of 8 tasks add up"


def test_one_that_is_gone_is_missed_in_figures(eight: Story) -> None:
    result = eight.at(2100).move("t.3", "inside").check("balance")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == (
        "at 2.1s: t.3 left inside for nowhere; "
        "8 submitted = 2 waiting + 4 inside + 1 done: 1 missing"
    )
    assert [(eight.trace[seq].op, eight.trace[seq].details) for seq in result.witness] == [
        ("t.3", {"from": "inside"}),
        ("t.3", {"from": "sending", "to": "inside"}),
    ]


def test_one_in_two_places_is_one_too_many(eight: Story) -> None:
    result = eight.at(3).move("t.7", "", "outside").move("t.6", "", "outside").check("balance")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 2)
    assert result.message == (
        "at 3ms: t.7 is in waiting and outside; "
        "8 submitted = 2 waiting + 5 inside + 1 outside + 1 done: 1 too many; then t.6"
    )


def test_what_the_dispatcher_loses_is_told_with_what_it_has(eight: Story) -> None:
    result = eight.at(4).move("t.1", "pending", "", "dispatcher").check("balance")
    assert result.message == (
        "at 4ms: t.1 left pending for nowhere; the dispatcher has 4 pending + 1 completed"
    )


def test_a_result_is_final(eight: Story) -> None:
    result = eight.at(5).move("t.0", "done", "waiting").check("balance")
    assert result.message.startswith("at 5ms: t.0 came to waiting after it was done at 2ms; ")
    assert [eight.trace[seq].op for seq in result.witness] == ["t.0", "t.0"]


def test_what_is_done_may_be_trimmed(eight: Story) -> None:
    eight.move("t.0", "done").move("t.0", "completed", "", "dispatcher")
    assert eight.check("balance").verdict is Verdict.PASS


def test_who_was_never_submitted_is_a_stranger(eight: Story) -> None:
    result = eight.move("x", "", "waiting").check("balance")
    assert "x was never submitted; 8 submitted = 3 waiting" in result.message
    assert result.message.endswith(": 1 too many")


def test_one_not_stored_yet_counts_beside_and_is_lost_at_the_end(eight: Story) -> None:
    eight.at(6).submit("late", class_="task").move("t.1", "inside", "")
    told = eight.check("balance", end=RunEnd("until")).message
    assert "9 submitted = 2 waiting + 4 inside + 1 done + 1 not stored yet: 1 missing" in told
    result = eight.check("balance")
    assert (result.measured, result.message[-11:]) == (2, "; then late")


def test_alone_it_is_told_with_its_submission(story: Story) -> None:
    story.submit("a", "b", class_="task").move("a", "", "waiting")
    result = story.check("balance")
    assert result.message == "b was submitted at 0s and never stored"
    assert result.witness == (1,)
    assert story.check("balance", end=RunEnd("until")).verdict is Verdict.PASS
    story.close("b", "rejected", code="WRONG_FORM")
    assert story.check("balance").verdict is Verdict.PASS
    assert "; 1 submitted = none: 1 missing" in story.move("a", "waiting").check("balance").message


def test_many_are_named_by_three(story: Story) -> None:
    ops = [f"t.{number}" for number in range(6)]
    story.submit(*ops, class_="task")
    for op in ops:
        story.move(op, "", "waiting")
    for op in ops:
        story.move(op, "waiting")
    result = story.check("balance")
    assert result.measured == len(ops)
    assert result.message.endswith("; then t.1, t.2, t.3 and 2 more")


def test_other_parties_are_not_looked_at(eight: Story) -> None:
    eight.move("t.1", "inside", "", "bridge-0")
    assert eight.check("balance").verdict is Verdict.PASS


def test_without_moves_it_is_vacuous(story: Story) -> None:
    assert story.submit("a").check("balance").verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(eight: Story) -> None:
    assert eight.after_a_limit("balance").verdict is Verdict.UNKNOWN
    assert eight.move("t.1", "inside").after_a_limit("balance").verdict is Verdict.FAIL


STEPS = st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=40)


@given(STEPS, st.lists(st.integers(0, 4), max_size=3))
def test_right_runs_pass_and_whoever_is_dropped_on_the_way_is_counted(
    new_story: type[Story], steps: list[tuple[int, bool]], dropped: list[int]
) -> None:
    """Each mention takes a task one place further, or back to waiting before it is done."""
    story = new_story().submit(*(f"t.{number}" for number in range(5)), class_="task")
    places = dict.fromkeys(range(5), "")
    for number, back in [*((n, False) for n in range(5)), *steps]:
        here = places[number]
        goal = WAY[0] if back or not here else WAY[min(WAY.index(here) + 1, 3)]
        if here not in (goal, "done"):
            story.move(f"t.{number}", here, goal)
            places[number] = goal
    assert story.check("balance").measured == 0
    lost = {number for number in dropped if places[number] != "done"}
    for number in lost:
        story.move(f"t.{number}", places[number])
    result = story.check("balance")
    assert (result.verdict is Verdict.FAIL, result.measured) == (bool(lost), len(lost))
    assert bool(lost) == result.message.endswith("missing") or len(lost) > 1
