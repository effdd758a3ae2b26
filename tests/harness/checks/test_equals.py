"""The check `equals`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
NESTED = "executed_by_priority.NORMAL"

pytestmark = pytest.mark.spec("UI-Q11")


@pytest.fixture
def seen(story: Story) -> Story:
    story.observe(executed_total=9)  # an earlier observation does not count
    counts = {"NORMAL": 3, "HIGH": 1}
    return story.at(5).observe(
        executed_total=4, executed_by_priority=counts, ready=True, state="idle", last=None
    )


@pytest.mark.parametrize(
    "args",
    [
        {"executed_total": 4},
        {"executed_total": 4.0},
        {NESTED: 3, "executed_by_priority.HIGH": 1, "ready": True, "state": "idle", "last": None},
        {"executed_by_priority": {"NORMAL": 3, "HIGH": 1}},
    ],
)
def test_equal_values_pass(seen: Story, args: dict[str, Any]) -> None:
    result = seen.check("equals", args)
    assert (result.verdict, result.witness) == (Verdict.PASS, (1,))


@pytest.mark.parametrize(
    ("args", "message", "measured"),
    [
        ({"executed_total": 5}, "executed_total is 4, expected 5", 4),
        ({NESTED: 0}, f"{NESTED} is 3, expected 0", 3),
        ({"ready": 1}, "ready is True, expected 1", None),
        ({"executed_total": True}, "executed_total is 4, expected True", 4),
        ({"state": 4}, "state is 'idle', expected 4", None),
        ({"last": 0}, "last is None, expected 0", None),
        (
            {"executed_totl": 4},
            "executed_totl is not observed; did you mean executed_total",
            None,
        ),
        ({f"{NESTED}X": 3}, f"{NESTED}X is not observed; did you mean {NESTED}", None),
        ({"executed_total": 1, "state": "busy"}, "executed_total is 4, expected 1; state is", None),
    ],
)
def test_other_values_fail(
    seen: Story, args: dict[str, Any], message: str, measured: int | None
) -> None:
    result = seen.check("equals", args)
    assert (result.verdict, result.measured) == (Verdict.FAIL, measured)
    assert result.message.startswith(message)


def test_without_an_observation_it_is_vacuous(story: Story) -> None:
    assert story.kill().check("equals", {"pending": 0}).verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(seen: Story) -> None:
    assert seen.after_a_limit("equals", {"executed_total": 4}).verdict is Verdict.UNKNOWN
    assert seen.after_a_limit("equals", {"executed_total": 5}).verdict is Verdict.FAIL


def test_no_name_is_a_mistake(story: Story) -> None:
    with pytest.raises(ValidationError, match="at least one"):
        story.check("equals", {})
