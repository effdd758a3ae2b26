"""The check `sometimes`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
PHASES = {"submitted": "action.submitted", "started": "action.started"}


@pytest.fixture
def told(story: Story) -> Story:
    story.submit("a.0", "a.1", "a.2").start("a.0").start("a.1").kill()
    return story.over("a.0", "key_down").over("a.0", "key_down").over("a.0", "key_down")


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("kind:process.killed", 1),
        ("kind:action.started", 2),
        ("a.started", 2),
        ("a.1.started", 1),
        ("a.0.key_down", 3),
        ("a.0.key_down#2", 2),
        ("a.2.started", 0),
        ("a.0.key_down#4", 0),
        ("a.0.key_down.begin", 0),
    ],
)
def test_it_counts_how_often_the_event_was_reached(told: Story, name: str, times: int) -> None:
    result = told.check("sometimes", {"event": name})
    assert (result.verdict, result.measured) == (Verdict.PASS if times else Verdict.FAIL, times)
    assert told.check("sometimes", {"event": name, "min": times + 1}).verdict is Verdict.FAIL
    assert told.check("sometimes", {"event": name, "min": max(times, 1)}).measured == times


def test_a_failure_says_so(told: Story) -> None:
    result = told.check("sometimes", {"event": "a.2.started"})
    assert result.message == "a.2.started was never reached, expected at least 1"
    result = told.check("sometimes", {"event": "a.started", "min": 3})
    assert result.message == "a.started was reached 2 times, expected at least 3"
    assert told.trace[result.witness[0]].op == "a.0"


def test_what_a_limit_cut_off_may_have_been_reached_yet(told: Story) -> None:
    for args in ({"event": "a.2.started"}, {"event": "a.started"}):
        assert told.after_a_limit("sometimes", args).verdict is Verdict.UNKNOWN


def test_a_fault_that_had_its_effect(told: Story) -> None:
    told.fault("outage").fault("outage", "fault.affected")
    assert told.check("sometimes", {"event": "outage.affected"}).verdict is Verdict.PASS
    assert told.check("sometimes", {"event": "outage.undone"}).verdict is Verdict.FAIL


def test_what_a_silent_scheduler_cannot_show_is_skipped(told: Story) -> None:
    assert told.check("sometimes", {"event": "a.queued"}).verdict is Verdict.SKIPPED


@pytest.mark.parametrize("args", [{}, {"event": "a.started", "min": 0}])
def test_senseless_arguments_are_refused(story: Story, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        story.check("sometimes", args)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11)), max_size=40),
    st.sampled_from(sorted(PHASES)),
    st.none() | st.integers(0, 3),
    st.integers(1, 4),
)
def test_it_agrees_with_counting(
    new_story: type[Story],
    steps: list[tuple[int, int]],
    phase: str,
    index: int | None,
    least: int,
) -> None:
    story = new_story().play(steps)
    ops = [event.op for event in story.trace if event.kind == PHASES[phase]]
    times = len(ops) if index is None else ops.count(f"op.{index}")
    name = f"op.{phase}" if index is None else f"op.{index}.{phase}"
    result = story.check("sometimes", {"event": name, "min": least})
    assert result.measured == times
    assert result.verdict is (Verdict.PASS if times >= least else Verdict.FAIL)
