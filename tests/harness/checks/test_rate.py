"""The check `rate`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict
from windtunnel.units import MS

Story = Any  # the class in conftest.py, which cannot be imported
# Everything is submitted in some order, then goes on in another.
STEPS = st.builds(
    lambda first, then: [(1, number) for number in first] + then,
    st.lists(st.integers(0, 11), unique=True),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11)), max_size=40),
)

pytestmark = pytest.mark.spec("UI-Q6")


def starts(story: Story, *times: int) -> Story:
    for number, time in enumerate(times):
        story.at(time).submit(f"a.{number}").start(f"a.{number}")
    return story


def test_up_to_the_maximum_passes_and_the_span_is_half_open(story: Story) -> None:
    starts(story, 0, 400, 1000, 1400)
    result = story.check("rate", {"max": 2})
    assert (result.verdict, result.measured) == (Verdict.PASS, 2)


def test_one_nanosecond_short_of_the_span_is_within(story: Story) -> None:
    starts(story, 0, 400, 999)
    result = story.check("rate", {"max": 2})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 3)
    assert [story.trace[seq].op for seq in result.witness] == ["a.0", "a.2"]
    assert result.message == "3 starts within 1s, from a.0 at 0s, allowed 2"


def test_the_span_and_the_operations_can_be_named(story: Story) -> None:
    starts(story, 0, 400, 999).submit("b", class_="logout").start("b")
    assert story.check("rate", {"max": 1, "span": "400ms", "of": "a"}).verdict is Verdict.PASS
    assert story.check("rate", {"max": 1, "span": "401ms", "of": "a"}).verdict is Verdict.FAIL


def test_what_goes_past_the_scheduler_is_not_its_start(story: Story) -> None:
    starts(story, 0).submit("b", via="direct").start("b")
    assert story.check("rate", {"max": 1}).verdict is Verdict.PASS


def test_no_start_shows_nothing(story: Story) -> None:
    assert story.submit("a").check("rate", {"max": 1}).verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(story: Story) -> None:
    starts(story, 0, 1)
    assert story.after_a_limit("rate", {"max": 2}).verdict is Verdict.UNKNOWN
    assert story.after_a_limit("rate", {"max": 1}).verdict is Verdict.FAIL


@pytest.mark.parametrize("args", [{}, {"max": -1}, {"max": 1, "span": "0s"}])
def test_senseless_arguments_are_refused(story: Story, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        story.check("rate", args)


@given(steps=STEPS, span=st.integers(1, 6), most=st.integers(0, 4))
def test_it_agrees_with_counting_from_every_start(
    new_story: type[Story], steps: list[tuple[int, int]], span: int, most: int
) -> None:
    story = new_story().play(steps)
    times = [e.time // MS for e in story.trace.of("action.started") if e.op != "op.7"]
    result = story.check("rate", {"max": most, "span": f"{span}ms"})
    if not times:
        assert result.verdict is Verdict.VACUOUS
        return
    fullest = max(sum(t <= other < t + span for other in times) for t in times)
    assert result.measured == fullest
    assert result.verdict is (Verdict.FAIL if fullest > most else Verdict.PASS)
