"""The check `calls`."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.checks import Verdict
from windtunnel.world import RunEnd

Story = Any  # the class in conftest.py, which cannot be imported


@pytest.fixture
def two(story: Story) -> Story:
    """A drain that ends well at 1 s, a stop that raises at 2 s."""
    story.record("call.started", op="drain", class_="scheduler.drain")
    story.record("call.started", op="stop", class_="scheduler.stop").at(1000)
    story.record("call.ended", op="drain", class_="scheduler.drain", outcome="done").at(2000)
    details = {"error": "BridgeError", "code": "STOPPED"}
    return story.record(
        "call.ended", op="stop", class_="scheduler.stop", outcome="failed", details=details
    )


def test_a_call_that_raised_fails_the_check(two: Story) -> None:
    result = two.check("calls")
    assert (result.verdict, result.measured, result.witness) == (Verdict.FAIL, 1, (3,))
    assert result.message == "scheduler.stop (stop) failed at 2s: STOPPED"


def test_some_are_picked_and_some_are_meant_to_fail(two: Story) -> None:
    assert two.check("calls", {"of": "drain"}).verdict is Verdict.PASS
    assert two.check("calls", {"of": "stop", "outcome": "failed"}).verdict is Verdict.PASS
    assert two.check("calls", {"of": "drain", "outcome": "failed"}).verdict is Verdict.FAIL


def test_a_call_that_never_ends_fails_unless_the_run_was_cut_short(story: Story) -> None:
    story.record("call.started", op="drain", class_="scheduler.drain")
    result = story.check("calls")
    assert result.verdict is Verdict.FAIL
    assert result.message == "scheduler.drain (drain), called at 0s, never ended"
    assert story.check("calls", end=RunEnd("until")).verdict is Verdict.PASS
    assert story.after_a_limit("calls").verdict is Verdict.UNKNOWN


def test_with_no_call_it_is_vacuous(story: Story) -> None:
    assert story.submit("a").check("calls").verdict is Verdict.VACUOUS
