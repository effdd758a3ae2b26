"""The check `traced`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
Step = Callable[[Story], Story]

pytestmark = pytest.mark.spec("RT-P3")

CHAIN: dict[str, Step] = {
    "submitted": lambda s: s.submit("t", class_="task"),
    "decided": lambda s: s.decide(1, (1, 0), (1, 0)),
    "sent": lambda s: s.sent("t"),
    "begun": lambda s: s.work("t"),
    "ended": lambda s: s.worked("t"),
    "settled": lambda s: s.settle("t"),
    "told": lambda s: s.answer("t"),
}


def told(story: Story, *steps: str) -> Story:
    for step in steps:
        CHAIN[step](story.at(story.now + 1))
    return story


def test_a_whole_life_can_be_followed(story: Story) -> None:
    result = told(story, *CHAIN).check("traced", {"of": "task"})
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)
    assert result.message == "1 tasks can be followed"


@pytest.mark.parametrize(
    ("missing", "gap"),
    [
        ("decided", "handed over at 2ms without a decision before"),
        ("sent", "worked on without having been handed over to a platform"),
        ("begun", "settled as done at 5ms without work that ended well before"),
        ("ended", "settled as done at 5ms without work that ended well before"),
        ("told", "settled at 6ms, and its owner was not told"),
    ],
)
def test_what_is_missing_is_named(story: Story, missing: str, gap: str) -> None:
    result = told(story, *(step for step in CHAIN if step != missing)).check("traced")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == f"t: {gap}; 1 of 1 tasks"
    assert {story.trace[seq].op for seq in result.witness} == {"t"}


@pytest.mark.parametrize(
    "order",
    [
        ("decided", "submitted", "sent", "begun", "ended", "settled", "told"),
        ("submitted", "sent", "decided", "begun", "ended", "settled", "told"),
        ("submitted", "begun", "decided", "sent", "ended", "settled", "told"),
        ("submitted", "decided", "sent", "begun", "settled", "ended", "told"),
        ("submitted", "decided", "sent", "begun", "ended", "told", "settled"),
    ],
)
def test_out_of_order_it_cannot_be_followed(story: Story, order: tuple[str, ...]) -> None:
    assert told(story, *order).check("traced").verdict is Verdict.FAIL


def test_an_answer_may_come_later_than_the_work(story: Story) -> None:
    told(story, "submitted", "decided", "begun", "ended", "settled", "told", "sent")
    assert story.check("traced").verdict is Verdict.PASS


@pytest.mark.parametrize("kind", ["task.refused", "task.accepted", "task.repeated"])
def test_whatever_shows_that_a_platform_was_asked(story: Story, kind: str) -> None:
    told(story, "submitted", "decided")
    details: dict[str, dict[str, object]] = {
        "task.refused": {"side": "internal", "why": "timeout"}, "task.accepted": {"pending": 1},
    }  # fmt: skip
    story.record(kind, op="t", details=details.get(kind, {}))
    told(story, "begun", "ended", "settled", "told")
    assert story.check("traced").verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("goal", "host", "verdict"),
    [
        ("sending", "backend", Verdict.PASS),
        ("waiting", "backend", Verdict.FAIL),
        ("sending", "dispatcher", Verdict.FAIL),
    ],
)
def test_a_task_was_handed_over_whose_answer_was_lost(
    story: Story, goal: str, host: str, verdict: Verdict
) -> None:
    told(story, "submitted", "decided").move("t", "", goal, host)
    told(story, "begun", "ended", "settled", "told")
    assert story.check("traced").verdict is verdict


def test_work_that_failed_or_was_lost_is_not_what_ended_it(story: Story) -> None:
    told(story, "submitted", "decided", "sent", "begun").worked("t", outcome="failed")
    told(story, "settled", "told")
    assert story.check("traced").verdict is Verdict.FAIL


@pytest.mark.parametrize("outcome", ["failed", "expired"])
def test_what_ended_otherwise_says_why(story: Story, outcome: str) -> None:
    story.submit("a").close("a", outcome)
    result = story.check("traced")
    assert result.message == f"a: settled as {outcome} at 0s without a code; 1 of 1 tasks"
    story.submit("b").settle("b", outcome).answer("b", outcome, code="EXPIRED")
    assert story.check("traced").measured == 1


def test_the_open_ones_are_left_out(story: Story) -> None:
    assert told(story, "submitted", "decided", "sent").check("traced").verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(story: Story) -> None:
    told(story, *CHAIN)
    assert story.after_a_limit("traced").verdict is Verdict.UNKNOWN
    story.submit("u").close("u")
    assert story.after_a_limit("traced").verdict is Verdict.FAIL


@given(st.permutations(list(CHAIN)), st.sets(st.sampled_from(list(CHAIN)), max_size=2))
def test_only_an_order_that_keeps_to_the_rule_passes(
    new_story: type[Story], order: list[str], left_out: set[str]
) -> None:
    steps = [step for step in order if step not in left_out]
    result = told(new_story(), *steps).check("traced")
    places = {step: place for place, step in enumerate(steps)}
    if not {"submitted", "settled"} <= places.keys() or places["settled"] < places["submitted"]:
        assert result.verdict is Verdict.VACUOUS
        return

    def before(*chain: str) -> bool:
        if not places.keys() >= set(chain):
            return False
        found = [places[step] for step in chain]
        return found == sorted(found)

    right = before("submitted", "decided", "sent") and before(
        "decided", "begun", "ended", "settled", "told"
    )
    assert result.verdict is (Verdict.PASS if right else Verdict.FAIL)
