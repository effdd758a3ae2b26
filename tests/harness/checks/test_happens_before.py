"""The check `happens_before`."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
DRAINED = {"first": "kind:drain.ended", "then": "kind:process.killed"}

pytestmark = pytest.mark.spec("UI-W2")


def drain(story: Story) -> Story:
    return story.record("drain.ended", actor="watchdog", details={"drained": True})


def test_the_first_before_the_second_passes_with_its_lead(story: Story) -> None:
    drain(story.at(1500)).at(2000).kill()
    result = story.check("happens_before", DRAINED)
    assert (result.verdict, result.measured, result.witness) == (Verdict.PASS, 0.5, (0, 1))


def test_at_one_instant_the_sequence_decides(new_story: type[Story]) -> None:
    assert drain(new_story()).kill().check("happens_before", DRAINED).verdict is Verdict.PASS
    late = drain(new_story().kill()).check("happens_before", DRAINED)
    assert (late.verdict, late.measured, late.witness) == (Verdict.FAIL, 0, (0, 1))


def test_too_late_fails_with_a_negative_lead(story: Story) -> None:
    drain(story.kill().at(250))
    result = story.check("happens_before", DRAINED)
    assert (result.verdict, result.measured) == (Verdict.FAIL, -0.25)
    assert result.message == (
        "kind:process.killed happened at 0s, kind:drain.ended at 250ms: too late"
    )


def test_only_the_second_fails(story: Story) -> None:
    result = story.at(3).kill().check("happens_before", DRAINED)
    assert (result.verdict, result.witness) == (Verdict.FAIL, (0,))
    assert result.message.endswith("and kind:drain.ended never did")


def test_without_the_second_it_is_vacuous(story: Story) -> None:
    assert drain(story).check("happens_before", DRAINED).verdict is Verdict.VACUOUS


def test_operations_and_commands_can_be_named(story: Story) -> None:
    story.submit("a.0").begin("a.0", "activate").over("a.0", "activate").start("a.0")
    args = {"first": "a.0.activate.begin", "then": "a.0.started"}
    assert story.check("happens_before", args).verdict is Verdict.PASS


def test_after_a_limit_only_a_failure_stands(new_story: type[Story]) -> None:
    good, bad = drain(new_story()).kill(), drain(new_story().kill())
    assert good.after_a_limit("happens_before", DRAINED).verdict is Verdict.UNKNOWN
    assert bad.after_a_limit("happens_before", DRAINED).verdict is Verdict.FAIL
