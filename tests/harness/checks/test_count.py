"""The check `count`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.checks import Verdict
from windtunnel.event_names import EventNameError

Story = Any  # the class in conftest.py, which cannot be imported


@pytest.fixture
def drained(story: Story) -> Story:
    """Five sends: three end before a kill at 5.1 s, one after it, one was refused."""
    story.submit(*(f"a.{n}" for n in range(5)))
    story.close("a.4", "rejected", code="RATE_LIMITED", retry_after=3)
    for number, ends in enumerate((1000, 2800, 4600)):
        story.start(f"a.{number}").at(ends).close(f"a.{number}")
    story.start("a.3").at(5100).kill().at(6400)
    return story.settle("a.3", "failed", code="WINDOW_NOT_FOUND").answer(
        "a.3", "unknown", code="TIMEOUT"
    )


FIGURES = [
    ({"of": "a"}, 5),
    ({"of": "send_text"}, 5),
    ({"of": "a.3"}, 1),
    ({"of": "send_text", "outcome": "done"}, 3),
    ({"of": "send_text", "outcome": "failed"}, 1),
    ({"of": "send_text", "told": "unknown"}, 1),
    ({"of": "send_text", "told": "failed"}, 0),
    ({"of": "send_text", "started": True}, 4),
    ({"of": "send_text", "started": False}, 1),
    ({"of": "send_text", "code": "WINDOW_NOT_FOUND"}, 1),
    ({"of": "send_text", "code": "TIMEOUT"}, 1),
    ({"of": "send_text", "code": "TIMEOUT", "outcome": "failed"}, 0),
    ({"of": "send_text", "code": "TIMEOUT", "told": "unknown"}, 1),
    ({"of": "send_text", "code": "WINDOW_NOT_FOUND", "told": "unknown"}, 0),
    ({"of": "send_text", "outcome": "done", "before": "kind:process.killed"}, 3),
    ({"of": "send_text", "outcome": "done", "after": "kind:process.killed"}, 0),
    ({"of": "send_text", "outcome": "failed", "before": "kind:process.killed"}, 0),
    ({"of": "send_text", "outcome": "failed", "after": "kind:process.killed"}, 1),
    ({"of": "send_text", "told": "unknown", "after": "kind:process.killed"}, 1),
    ({"of": "send_text", "told": "rejected", "before": "a.0.started"}, 1),
    ({"of": "send_text", "started": True, "after": "a.0.settled"}, 3),
    ({"of": "send_text", "after": "a.1.submitted", "before": "a.4.submitted"}, 2),
    ({"of": "kind:process.killed"}, 1),
    ({"of": "kind:drain.timed_out"}, 0),
    ({"of": "kind:action.settled", "outcome": "done"}, 3),
    ({"of": "kind:caller.settled", "code": "TIMEOUT"}, 1),
    ({"of": "kind:action.settled", "after": "kind:process.killed"}, 1),
]


@pytest.mark.spec("UI-AC5")
@pytest.mark.parametrize(("args", "figure"), FIGURES)
def test_what_is_counted(drained: Story, args: dict[str, Any], figure: int) -> None:
    exact = drained.check("count", {**args, "equals": figure})
    assert (exact.verdict, exact.measured) == (Verdict.PASS, figure)
    more = drained.check("count", {**args, "equals": figure + 1})
    assert (more.verdict, more.measured) == (Verdict.FAIL, figure)


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        ({"min": 3}, Verdict.PASS),
        ({"min": 4}, Verdict.FAIL),
        ({"max": 3}, Verdict.PASS),
        ({"max": 2}, Verdict.FAIL),
        ({"min": 1, "max": 3}, Verdict.PASS),
    ],
)
def test_bounds_are_inclusive(drained: Story, bounds: dict[str, int], verdict: Verdict) -> None:
    args = {"of": "send_text", "outcome": "done", **bounds}
    assert drained.check("count", args).verdict is verdict


def test_a_failure_says_what_was_counted_and_shows_it(drained: Story) -> None:
    args = {"of": "send_text", "outcome": "done", "before": "kind:process.killed", "equals": 5}
    result = drained.check("count", args)
    assert result.message == (
        "3 of send_text (outcome done, before kind:process.killed), expected 5"
    )
    assert [drained.trace[seq].op for seq in result.witness] == ["a.0", "a.1", "a.2"]


def test_before_something_that_never_happened_is_vacuous(drained: Story) -> None:
    args = {"of": "send_text", "before": "kind:drain.ended", "equals": 5}
    result = drained.check("count", args)
    assert (result.verdict, result.message) == (Verdict.VACUOUS, "kind:drain.ended never happened")


def test_nothing_submitted_is_vacuous_only_where_a_filter_hides_it(story: Story) -> None:
    assert story.check("count", {"of": "logout", "equals": 0}).verdict is Verdict.PASS
    filtered = {"of": "logout", "outcome": "failed"}
    assert story.check("count", {**filtered, "equals": 0}).verdict is Verdict.VACUOUS
    assert story.check("count", {**filtered, "min": 1}).verdict is Verdict.FAIL


def test_after_a_limit_only_a_failure_stands(drained: Story) -> None:
    args = {"of": "send_text", "outcome": "done"}
    assert drained.after_a_limit("count", {**args, "max": 3}).verdict is Verdict.UNKNOWN
    assert drained.after_a_limit("count", {**args, "max": 2}).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("args", "verdict"),
    [
        ({"outcome": "done", "equals": 9}, Verdict.UNKNOWN),
        ({"outcome": "done", "min": 9}, Verdict.UNKNOWN),
        ({"outcome": "done", "equals": 1}, Verdict.FAIL),
        ({"outcome": "done", "before": "kind:process.killed", "min": 9}, Verdict.FAIL),
        ({"outcome": "done", "after": "kind:process.killed", "min": 9}, Verdict.UNKNOWN),
        ({"started": False, "max": 0}, Verdict.UNKNOWN),  # they may start yet
    ],
)
def test_after_a_limit_a_figure_that_may_come_right_is_unknown(
    drained: Story, args: dict[str, Any], verdict: Verdict
) -> None:
    args = {"of": "send_text", **args}
    assert drained.after_a_limit("count", args).verdict is verdict
    assert drained.check("count", args).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "args",
    [
        {"of": "send_text"},
        {"of": "kind:process.killed", "told": "done", "equals": 1},
        {"of": "kind:process.killed", "started": True, "equals": 1},
        {"of": "send_text", "outcome": "fine", "equals": 1},
        {"of": "send_text", "equals": 1, "exactly": 1},
    ],
)
def test_senseless_arguments_are_refused(story: Story, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        story.check("count", args)


def test_an_unknown_kind_is_refused(story: Story) -> None:
    with pytest.raises((ValidationError, EventNameError), match=r"process\.kiled"):
        story.check("count", {"of": "kind:process.kiled", "equals": 1})


@pytest.mark.parametrize(
    ("args", "figure"),
    [
        ({"of": "route.send_text"}, 3),
        ({"of": "route.send_text", "told": "rejected"}, 1),
        ({"of": "route.send_text", "outcome": "done", "before": "kind:process.killed"}, 1),
        ({"of": "route.send_text", "code": "NOT_LOGGED_IN"}, 1),
        ({"of": "r.1", "told": "rejected"}, 1),
        ({"of": "r"}, 3),
        ({"of": "send_text"}, 1),
        ({"of": "kind:request.answered", "outcome": "rejected"}, 1),
    ],
)
def test_requests_are_counted_by_their_route(
    story: Story, args: dict[str, Any], figure: int
) -> None:
    story.receive("r.0", "r.1", "r.2").submit("r.0").start("r.0").close("r.0").respond("r.0")
    story.respond("r.1", "rejected", 409, code="NOT_LOGGED_IN").kill()
    exact = story.check("count", {**args, "equals": figure})
    assert (exact.verdict, exact.measured) == (Verdict.PASS, figure)
