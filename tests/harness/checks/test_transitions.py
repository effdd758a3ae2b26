"""The check `transitions`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict
from windtunnel.event_names import EventNameError

Story = Any  # the class in conftest.py, which cannot be imported
HOUR = 3_600_000
LOGIN = {"of": "kind:wechat.login"}


def state(story: Story, *states: str, of: str = "wechat") -> Story:
    for name in states:
        story.record("wechat.login", resource=of, details={"state": name})
    return story


def test_as_many_an_hour_as_allowed_pass(story: Story) -> None:
    state(story, "qr").at(1000)
    state(story, "logged_in")
    result = story.check("transitions", {**LOGIN, "max_per_hour": 2})
    assert (result.verdict, result.measured) == (Verdict.PASS, 2)


def test_a_short_run_is_not_extrapolated(story: Story) -> None:
    state(story.at(10), "qr")
    assert story.check("transitions", {**LOGIN, "max_per_hour": 1}).measured == 1


def test_the_hour_slides_and_is_half_open(story: Story) -> None:
    for hours in (0, 0.75, 1, 1.5):
        story.at(int(hours * HOUR)).kill()
    args = {"of": "kind:process.killed"}
    assert story.check("transitions", {**args, "max_per_hour": 3}).measured == 3
    result = story.check("transitions", {**args, "max_per_hour": 2})
    assert result.verdict is Verdict.FAIL
    assert result.witness == (3, 1)
    assert result.message == "3 of kind:process.killed within an hour, from 45min, allowed 2"


def test_telling_the_same_state_again_is_no_change(story: Story) -> None:
    state(story, "qr", "qr", "logged_in", "logged_in")
    state(story, "qr", of="other")
    state(story, "logged_in")
    assert story.check("transitions", {**LOGIN, "max_per_hour": 3}).measured == 3


def test_nothing_that_changed_is_vacuous(story: Story) -> None:
    assert story.kill().check("transitions", {**LOGIN, "max_per_hour": 0}).verdict is (
        Verdict.VACUOUS
    )


def test_what_a_silent_scheduler_cannot_show_is_skipped(story: Story) -> None:
    args = {"of": "kind:window.opened", "max_per_hour": 0}
    assert story.kill().check("transitions", args).verdict is Verdict.SKIPPED


def test_after_a_limit_only_a_failure_stands(story: Story) -> None:
    state(story, "qr", "logged_in")
    assert story.after_a_limit("transitions", {**LOGIN, "max_per_hour": 2}).verdict is (
        Verdict.UNKNOWN
    )
    assert story.after_a_limit("transitions", {**LOGIN, "max_per_hour": 1}).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "args", [LOGIN, {"of": "send", "max_per_hour": 1}, {**LOGIN, "max_per_hour": -1}]
)
def test_senseless_arguments_are_refused(story: Story, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        story.check("transitions", args)


def test_an_unknown_kind_is_refused(story: Story) -> None:
    with pytest.raises((ValidationError, EventNameError), match=r"wechat\.logon"):
        story.check("transitions", {"of": "kind:wechat.logon", "max_per_hour": 1})


@given(
    st.lists(st.tuples(st.integers(0, HOUR), st.sampled_from("ab"), st.sampled_from("xy"))),
    st.integers(0, 4),
)
def test_it_agrees_with_counting_from_every_change(
    new_story: type[Story], steps: list[tuple[int, str, str]], most: int
) -> None:
    story, told, now = new_story(), [], 0
    for passed, resource, name in steps:
        now += passed
        state(story.at(now), name, of=resource)
        told.append((now, resource, name))
    changes = []
    for place, (time, resource, name) in enumerate(told):
        before = [n for _, r, n in told[:place] if r == resource]
        if not before or before[-1] != name:
            changes.append(time)
    result = story.check("transitions", {**LOGIN, "max_per_hour": most})
    if not changes:
        assert result.verdict is Verdict.VACUOUS
        return
    fullest = max(sum(t <= other < t + HOUR for other in changes) for t in changes)
    assert result.measured == fullest
    assert result.verdict is (Verdict.FAIL if fullest > most else Verdict.PASS)
