"""The check `priority_inversion`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import Verdict
from windtunnel.units import SECOND

Story = Any  # the class in conftest.py, which cannot be imported
# Everything is submitted in some order, then goes on in another.
STEPS = st.builds(
    lambda first, then: [(1, number) for number in first] + then,
    st.lists(st.integers(0, 11), unique=True),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11)), max_size=40),
)

pytestmark = pytest.mark.spec("UI-Q1")


@pytest.fixture
def busy(story: Story) -> Story:
    """A send runs, another waits, and a restart comes at 100 ms."""
    story.submit("a.0", "a.1").start("a.0")
    return story.at(100).submit("restart", class_="restart", priority=0)


@pytest.mark.spec("UI-AC2")
def test_the_more_urgent_is_the_next_to_start(busy: Story) -> None:
    busy.at(1000).close("a.0").start("restart").at(2000).close("restart").start("a.1")
    result = busy.check("priority_inversion")
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)


def test_passing_over_the_more_urgent_fails(busy: Story) -> None:
    busy.at(1000).close("a.0").start("a.1").at(2000).close("a.1").start("restart")
    result = busy.check("priority_inversion")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 0.9)
    assert [busy.trace[seq].op for seq in result.witness] == ["a.1", "restart"]
    assert result.message == (
        "send_text a.1 started at 1s while the more urgent restart restart had waited 900ms"
    )


def test_the_bound_is_the_wait_at_which_it_is_too_long(busy: Story) -> None:
    busy.at(1000).close("a.0").start("a.1")
    assert busy.check("priority_inversion", {"bound": "901ms"}).verdict is Verdict.PASS
    assert busy.check("priority_inversion", {"bound": "900ms"}).verdict is Verdict.FAIL


def test_submitted_at_the_same_instant_is_not_earlier(story: Story) -> None:
    story.submit("a").submit("b", priority=0).start("a")
    assert story.check("priority_inversion").verdict is Verdict.PASS


def test_what_has_settled_waits_no_longer(busy: Story) -> None:
    busy.at(500).close("restart", "expired").at(1000).close("a.0").start("a.1")
    assert busy.check("priority_inversion").verdict is Verdict.PASS


def test_what_goes_past_the_scheduler_neither_waits_nor_overtakes(story: Story) -> None:
    story.submit("a", priority=1).submit("b", via="direct", priority=0).at(5).start("a")
    story.submit("c").at(6).submit("d", priority=3, via="direct").start("d")
    assert story.check("priority_inversion").verdict is Verdict.PASS


@pytest.mark.spec("UI-L3")
def test_a_running_operation_is_no_inversion(busy: Story) -> None:
    busy.at(90_000).close("a.0").start("restart")
    assert busy.check("priority_inversion").verdict is Verdict.PASS


def test_one_priority_or_no_start_shows_nothing(story: Story) -> None:
    story.submit("a.0", "a.1").start("a.0")
    assert story.check("priority_inversion").verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(busy: Story) -> None:
    assert busy.after_a_limit("priority_inversion").verdict is Verdict.UNKNOWN
    busy.at(200).start("a.1")
    assert busy.after_a_limit("priority_inversion").verdict is Verdict.FAIL


@given(STEPS)
def test_it_agrees_with_looking_at_all_pairs(
    new_story: type[Story], steps: list[tuple[int, int]]
) -> None:
    story = new_story().play(steps)
    events = [event for event in story.trace if event.op != "op.7"]
    submitted = {e.op: e for e in events if e.kind == "action.submitted"}
    left = {
        op: min((e.seq for e in events if e.op == op and e is not first), default=len(story.trace))
        for op, first in submitted.items()
    }
    starts = [e for e in events if e.kind == "action.started"]
    urgency = {op: e.details["priority"] for op, e in submitted.items()}
    waits = [
        start.time - other.time
        for start in starts
        for op, other in submitted.items()
        if urgency[op] < urgency[start.op] and other.seq < start.seq < left[op]
    ]
    result = story.check("priority_inversion")
    if not starts or len(set(urgency.values())) < 2:
        assert result.verdict is Verdict.VACUOUS
        return
    worst = max(waits, default=0)
    assert result.measured == worst / SECOND
    assert result.verdict is (Verdict.FAIL if worst else Verdict.PASS)


@pytest.mark.spec("UI-C2")
def test_a_request_waits_from_its_submission_not_from_its_arrival(story: Story) -> None:
    story.receive("r").begin("r", "login_state", class_="probe").at(1).submit("a").start("a").at(3)
    story.over("r", "login_state", class_="probe").submit("r", priority=1).at(9).start("r")
    assert story.check("priority_inversion").verdict is Verdict.PASS
    story.submit("low", priority=3).submit("high", priority=1).at(10).start("low")
    assert story.check("priority_inversion").measured == 0.001
