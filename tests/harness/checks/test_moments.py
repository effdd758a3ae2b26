"""The moment of a named event."""

from __future__ import annotations

from typing import Any

from windtunnel.checks.moments import at, end_of, find, occurrences
from windtunnel.event_names import parse_event_name

Story = Any  # the class in conftest.py, which cannot be imported


def test_the_first_that_is_meant(story: Story) -> None:
    story.submit("a.0").begin("a.0", "key_down").over("a.0", "key_down").at(1500)
    story.begin("a.0", "key_down", 1).at(1600).over("a.0", "key_down", 1)
    second = find(story.trace, parse_event_name("a.0.key_down#2.begin"))
    assert second is not None
    assert (second.seq, at(second)) == (3, "at 1.5s")
    assert find(story.trace, parse_event_name("a.0.key_down#3")) is None
    assert end_of(story.trace) == 1_600_000_000


def test_an_empty_trace_ends_at_once(story: Story) -> None:
    assert end_of(story.trace) == 0


def test_every_one_that_is_meant(story: Story) -> None:
    story.submit("a.0", "a.1", "b").start("a.0").start("a.1").start("b").over("a.0", "key").over(
        "a.0", "key"
    )

    def ops(name: str) -> list[str]:
        return [event.op for event in occurrences(story.trace, parse_event_name(name))]

    assert ops("a.started") == ["a.0", "a.1"]
    assert ops("a.1.started") == ["a.1"]
    assert ops("kind:action.submitted") == ["a.0", "a.1", "b"]
    assert len(ops("a.0.key")) == 2
    assert len(ops("a.0.key#2")) == 1
