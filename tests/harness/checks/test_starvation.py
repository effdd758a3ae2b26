"""The check `starvation`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
STEPS = st.builds(
    lambda first, then: [(1, number) for number in first] + then,
    st.lists(st.integers(0, 11), unique=True),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11)), max_size=40),
)

pytestmark = pytest.mark.spec("UI-Q1")


@pytest.fixture
def passed(story: Story) -> Story:
    """A LOW screenshot waits while three sends that came later start."""
    story.submit("shot", class_="screenshot", priority=3)
    for number in range(3):
        op = f"send.{number}"
        story.at(number + 1).submit(op).start(op).close(op)
    return story.at(9).start("shot").close("shot")


def test_as_often_as_allowed_passes(passed: Story) -> None:
    result = passed.check("starvation", {"max_bypass": 3})
    assert (result.verdict, result.measured) == (Verdict.PASS, 3)


def test_once_more_fails_and_shows_who_was_one_too_many(passed: Story) -> None:
    result = passed.check("starvation", {"of": "screenshot", "max_bypass": 1})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 3)
    assert result.message == (
        "screenshot shot, submitted at 0s, had been passed over 3 times at 9ms, allowed 1; 1 such"
    )
    passer, waiting = (passed.trace[seq] for seq in result.witness)
    assert (passer.op, passer.kind, waiting.op) == ("send.1", "action.started", "shot")


def test_only_those_named_are_looked_after(passed: Story) -> None:
    result = passed.check("starvation", {"of": "send_text", "max_bypass": 0})
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)


def test_one_that_waits_at_the_end_or_gives_up_counts(story: Story) -> None:
    story.submit("a", "b", "c").start("c").settle("b", "expired").submit("d").start("d")
    result = story.check("starvation", {"max_bypass": 1})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 2)
    assert "at the end, still waiting" in result.message
    assert story.check("starvation", {"of": "b", "max_bypass": 1}).measured == 1


def test_those_submitted_before_pass_nobody_over(story: Story) -> None:
    story.submit("a", "b").start("a").start("b")
    assert story.check("starvation", {"max_bypass": 0}).verdict is Verdict.PASS


def test_what_goes_past_the_scheduler_passes_nobody_over(story: Story) -> None:
    story.submit("a", "x").submit("b", via="direct").start("b").start("a")
    assert story.check("starvation", {"max_bypass": 0}).verdict is Verdict.PASS


@pytest.mark.parametrize("of", ["b", "a"])
def test_nobody_to_pass_over_is_vacuous(story: Story, of: str) -> None:
    story.submit("a").submit("c", via="direct")
    result = story.check("starvation", {"of": of, "max_bypass": 0})
    assert result.verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(passed: Story) -> None:
    assert passed.after_a_limit("starvation", {"max_bypass": 3}).verdict is Verdict.UNKNOWN
    assert passed.after_a_limit("starvation", {"max_bypass": 2}).verdict is Verdict.FAIL


@pytest.mark.parametrize("args", [{}, {"max_bypass": -1}])
def test_senseless_arguments_are_refused(story: Story, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        story.check("starvation", args)


@given(STEPS, st.integers(0, 4))
def test_it_agrees_with_comparing_each_with_each(
    new_story: type[Story], steps: list[tuple[int, int]], allowed: int
) -> None:
    story = new_story().play(steps)
    events = [event for event in story.trace if event.op != "op.7"]
    seqs = {(event.op, event.kind): event.seq for event in reversed(events)}
    submitted = {op: seq for (op, kind), seq in seqs.items() if kind == "action.submitted"}

    def bypassed(op: str) -> int:
        ends = (seqs.get((op, kind), 10**9) for kind in ("action.started", "action.settled"))
        end = min(ends)
        others = (other for other, since in submitted.items() if since > submitted[op])
        return sum(seqs.get((other, "action.started"), 10**9) < end for other in others)

    result = story.check("starvation", {"max_bypass": allowed})
    if len(submitted) < 2:
        assert result.verdict is Verdict.VACUOUS
        return
    worst = max(map(bypassed, submitted))
    assert result.measured == worst
    assert result.verdict is (Verdict.FAIL if worst > allowed else Verdict.PASS)
    if worst > allowed:
        start, waiting = (story.trace[seq] for seq in result.witness)
        later = [e for e in events if e.kind == "action.started" and e.seq <= start.seq]
        assert sum(submitted[e.op] > waiting.seq for e in later) == allowed + 1
