"""The check `fifo`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
# Everything is submitted in some order, then goes on in another.
STEPS = st.builds(
    lambda first, then: [(1, number) for number in first] + then,
    st.lists(st.integers(0, 11), unique=True),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11)), max_size=40),
)

pytestmark = pytest.mark.spec("UI-Q1")


def test_starts_in_the_order_of_submission_pass(story: Story) -> None:
    story.submit("a.0", "a.1", "a.2").start("a.0").start("a.1").start("a.2")
    result = story.check("fifo")
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)


def test_an_overtaken_operation_fails(story: Story) -> None:
    story.submit("a.0").at(1).submit("a.1").at(2).start("a.1").at(3).start("a.0")
    result = story.check("fifo")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.witness == (3, 2, 0, 1)
    assert result.message.startswith(
        "a.0 (submitted at 0s) started at 3ms only after a.1 (submitted at 1ms) started at 2ms"
    )


def test_everyone_who_was_overtaken_counts(story: Story) -> None:
    story.submit("a.0", "a.1", "a.2").start("a.2").start("a.0").start("a.1")
    assert story.check("fifo").measured == 2


def test_what_never_starts_is_passed_over(story: Story) -> None:
    story.submit("a.0", "a.1", "a.2").close("a.0", "rejected").start("a.1").start("a.2")
    assert story.check("fifo").verdict is Verdict.PASS


def test_another_priority_may_overtake_but_not_within_all(story: Story) -> None:
    story.submit("a.0", "a.1").submit("b", class_="logout", priority=1)
    story.start("a.0").start("b").start("a.1")
    assert story.check("fifo", {"within": "priority"}).verdict is Verdict.PASS
    assert story.check("fifo", {"within": "all"}).measured == 1


def test_of_names_those_that_are_compared(story: Story) -> None:
    story.submit("a.0").submit("b", class_="logout").start("b").start("a.0")
    story.submit("a.1").start("a.1")
    assert story.check("fifo").verdict is Verdict.FAIL
    assert story.check("fifo", {"of": "send_text"}).verdict is Verdict.PASS
    assert story.check("fifo", {"of": ["a", "b"]}).verdict is Verdict.FAIL


def test_what_goes_past_the_scheduler_overtakes_nobody(story: Story) -> None:
    story.submit("a.0", "a.1").submit("b", via="direct").start("b").start("a.0").start("a.1")
    assert story.check("fifo").verdict is Verdict.PASS


def test_one_start_shows_nothing(story: Story) -> None:
    story.submit("a.0", "a.1").start("a.1")
    assert story.check("fifo").verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(story: Story) -> None:
    story.submit("a.0", "a.1", "a.2").start("a.0").start("a.2")
    assert story.after_a_limit("fifo").verdict is Verdict.UNKNOWN
    story.start("a.1")
    assert story.after_a_limit("fifo").verdict is Verdict.FAIL


@pytest.mark.parametrize("within", ["priority", "all"])
@given(steps=STEPS)
def test_it_agrees_with_comparing_every_pair(
    new_story: type[Story], within: str, steps: list[tuple[int, int]]
) -> None:
    story = new_story().play(steps)
    submitted = {e.op: e for e in story.trace.of("action.submitted")}
    starts = [e for e in story.trace.of("action.started") if e.op != "op.7"]

    def rival(one: str, other: str) -> bool:
        priorities = [submitted[op].details["priority"] for op in (one, other)]
        return within == "all" or priorities[0] == priorities[1]

    overtaken = {
        late.op
        for place, late in enumerate(starts)
        for early in starts[:place]
        if rival(early.op, late.op) and submitted[early.op].seq > submitted[late.op].seq
    }
    pairs = any(rival(a.op, b.op) for a in starts for b in starts if a is not b)
    result = story.check("fifo", {"within": within})
    if not pairs:
        assert result.verdict is Verdict.VACUOUS
        return
    assert result.measured == len(overtaken)
    assert result.verdict is (Verdict.FAIL if overtaken else Verdict.PASS)


@pytest.mark.spec("UI-C2")
def test_requests_and_probes_stand_in_no_queue(story: Story) -> None:
    """A request that came first but was submitted later, after its probe, is not overtaken."""
    story.receive("r").begin("r", "login_state", class_="probe").at(1).submit("a").at(3)
    story.over("r", "login_state", class_="probe").submit("r").start("a").start("r")
    story.begin("login_guard.0", "login_state", class_="probe")
    assert story.check("fifo", {"within": "all"}).verdict is Verdict.PASS
