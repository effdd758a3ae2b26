"""The lifecycle of an operation."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.lifecycles import OutcomeName, lifecycles, requests
from windtunnel.trace import Outcome

Story = Any  # the class in conftest.py, which cannot be imported


def test_outcomes_are_those_of_the_trace() -> None:
    assert get_args(OutcomeName) == Outcome.ALL


def test_of_an_event_that_came_twice_the_first_counts(story: Story) -> None:
    story.submit("a").start("a").close("a").at(5).start("a").close("a", "failed")
    life = lifecycles(story.trace)["a"]
    events = (life.submitted, life.started, life.settled, life.answered)
    assert [event and event.seq for event in events] == [0, 1, 2, 3]


def test_what_was_never_submitted_is_no_operation(story: Story) -> None:
    story.start("a").submit("b")
    assert list(lifecycles(story.trace)) == ["b"]


def test_queued_and_urgency(story: Story) -> None:
    story.submit("a", priority=0).submit("b", via="direct")
    lives = lifecycles(story.trace)
    assert [(life.queued, life.urgency) for life in lives.values()] == [(True, 0), (False, 2)]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11)), max_size=40))
def test_each_event_lands_with_its_operation(
    new_story: type[Story], steps: list[tuple[int, int]]
) -> None:
    story = new_story().play(steps)
    lives = lifecycles(story.trace)
    found = {
        event.seq: op
        for op, life in lives.items()
        for event in (life.submitted, life.started, life.settled, life.answered)
        if event is not None
    }
    assert found == {event.seq: event.op for event in story.trace}
    evens = {op for op in lives if int(op[3:]) % 2 == 0}
    assert set(lifecycles(story.trace, ("even",))) == evens


def test_requests_that_a_selection_means_for_themselves(story: Story) -> None:
    story.receive("r", "s").receive("t", class_="route.logout").submit("r").at(3).respond("s")

    def ops(*of: str) -> list[str]:
        return list(requests(story.trace, of))

    assert ops("route.send_text") == ["r", "s"]
    assert ops("r", "s") == ["s"]
    assert ops("route.logout", "send_text") == ["t"]
    life = requests(story.trace, ("s",))["s"]
    assert life.submitted.kind == "request.received"
    assert life.settled is life.answered is story.trace[-1]
