"""The check `event`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
KILL = "kind:process.killed"

pytestmark = pytest.mark.spec("UI-W2")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, ""),
        ({"at": "5100ms"}, ""),
        ({"at": "5s"}, "at 5s"),
        ({"at": "5s", "tolerance": "100ms"}, ""),
        ({"at": "5s", "tolerance": "99ms"}, "at 5s ± 99ms"),
        ({"before": "5100ms"}, ""),
        ({"before": "5s"}, "no later than 5s"),
        ({"before": "5s", "tolerance": "100ms"}, ""),
        ({"after": "5100ms"}, ""),
        ({"after": "6s"}, "no sooner than 6s"),
        ({"after": "5200ms", "tolerance": "100ms"}, ""),
        ({"after": "5s", "before": "6s"}, ""),
        ({"absent": True}, "never"),
    ],
)
def test_when_it_happened(story: Story, args: dict[str, Any], expected: str) -> None:
    story.submit("a").at(5100).kill().at(9000).kill()
    result = story.check("event", {"name": KILL, **args})
    assert (result.measured, result.witness) == (5.1, (1,))
    assert result.verdict is (Verdict.FAIL if expected else Verdict.PASS)
    told = "kind:process.killed happened at 5.1s"
    assert result.message == (f"{told}, expected {expected}" if expected else told)


def test_what_never_happened(story: Story) -> None:
    missing = story.check("event", {"name": KILL})
    assert (missing.verdict, missing.measured) == (Verdict.FAIL, None)
    assert story.check("event", {"name": KILL, "absent": True}).verdict is Verdict.PASS


def test_after_a_limit_only_a_failure_stands(story: Story) -> None:
    assert story.after_a_limit("event", {"name": KILL, "absent": True}).verdict is Verdict.UNKNOWN
    story.kill()
    assert story.after_a_limit("event", {"name": KILL, "absent": True}).verdict is Verdict.FAIL
    assert story.after_a_limit("event", {"name": KILL}).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("args", "verdict"),
    [
        ({}, Verdict.UNKNOWN),
        ({"at": "5s"}, Verdict.UNKNOWN),  # the run was cut short at that very instant
        ({"at": "4999ms"}, Verdict.FAIL),
        ({"at": "4s", "tolerance": "1s"}, Verdict.UNKNOWN),
        ({"before": "4s"}, Verdict.FAIL),
        ({"before": "6s"}, Verdict.UNKNOWN),
        ({"after": "1s"}, Verdict.UNKNOWN),
    ],
)
def test_after_a_limit_what_has_not_happened_fails_when_it_is_late(
    story: Story, args: dict[str, Any], verdict: Verdict
) -> None:
    story.submit("a").at(5000).submit("b")
    assert story.after_a_limit("event", {"name": KILL, **args}).verdict is verdict
    assert story.check("event", {"name": KILL, **args}).verdict is Verdict.FAIL


def test_absent_has_no_time(story: Story) -> None:
    with pytest.raises(ValidationError, match="leave out at, before and after"):
        story.check("event", {"name": KILL, "absent": True, "at": "1s"})
