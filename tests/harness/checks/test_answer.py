"""The check `answer`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported


@pytest.fixture
def refused(story: Story) -> Story:
    """Two sends refused in the dead window, a third times out while it runs."""
    story.submit("a.0", "a.1").at(100)
    for op in ("a.0", "a.1"):
        story.close(op, "rejected", code="WECHAT_NOT_READY", retry_after=5)
    story.submit("b").start("b").at(200)
    return story.answer("b", "unknown", code="TIMEOUT", retry_after=3, phase="running").settle("b")


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(
            {"of": "a", "outcome": "rejected", "code": "WECHAT_NOT_READY", "retry_after": 5},
            marks=pytest.mark.spec("UI-Q8"),
        ),
        pytest.param(
            {"of": "b", "outcome": "unknown", "code": "TIMEOUT", "phase": "running"},
            marks=pytest.mark.spec("UI-Q7"),
        ),
        {"of": "b", "at": "200ms"},
        {"of": ["a.0", "a.1"], "at": "98ms", "tolerance": "2ms"},
    ],
)
def test_what_every_caller_was_told(refused: Story, args: dict[str, Any]) -> None:
    result = refused.check("answer", args)
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"code": "RATE_LIMITED"}, "code WECHAT_NOT_READY, expected RATE_LIMITED"),
        ({"retry_after": 3}, "retry_after 5, expected 3"),
        ({"phase": "queued"}, "phase none, expected queued"),
        ({"outcome": "done"}, "outcome rejected, expected done"),
        ({"at": "98ms", "tolerance": "1ms"}, "expected at 98ms"),
    ],
)
def test_another_answer_fails(refused: Story, args: dict[str, Any], message: str) -> None:
    result = refused.check("answer", {"of": "a", **args})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 2)
    assert result.message == f"the caller of a.0 was told at 100ms: {message}; 2 of 2 differ"
    assert refused.trace[result.witness[0]].kind == "caller.settled"


def test_a_caller_never_told_differs(refused: Story) -> None:
    refused.submit("a.2")
    result = refused.check("answer", {"of": "a", "outcome": "rejected"})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message.startswith("the caller of a.2 was never told anything")
    after_a_limit = refused.after_a_limit("answer", {"of": "a", "outcome": "rejected"})
    assert after_a_limit.verdict is Verdict.UNKNOWN


def test_after_a_limit_a_wrong_answer_stands(refused: Story) -> None:
    result = refused.after_a_limit("answer", {"of": "a", "outcome": "done"})
    assert result.verdict is Verdict.FAIL


def test_nobody_asked_is_vacuous(refused: Story) -> None:
    assert refused.check("answer", {"of": "c", "outcome": "done"}).verdict is Verdict.VACUOUS


@pytest.mark.parametrize("args", [{"of": "a"}, {"outcome": "done"}, {"of": [], "outcome": "done"}])
def test_senseless_arguments_are_refused(story: Story, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        story.check("answer", args)


@pytest.fixture
def routes(story: Story) -> Story:
    """A request that the log-in probe refuses, and one whose action is refused."""
    story.receive("r.0", "r.1").respond("r.0", "rejected", 409, code="NOT_LOGGED_IN").submit("r.1")
    story.close("r.1", "rejected", code="WECHAT_NOT_READY", retry_after=5)
    return story.respond("r.1", "rejected", 503, code="WECHAT_NOT_READY", retry_after=5)


def test_a_route_has_callers_of_its_own(routes: Story) -> None:
    said = {"of": "route.send_text", "outcome": "rejected"}
    assert routes.check("answer", said).verdict is Verdict.PASS
    result = routes.check("answer", {**said, "status": 503, "retry_after": 5})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert "r.0 was told at 0s: retry_after none, expected 5, status 409, expected 503" in (
        result.message
    )


def test_an_id_means_the_request_where_no_action_came(routes: Story) -> None:
    assert routes.check("answer", {"of": "r.0", "code": "NOT_LOGGED_IN"}).verdict is Verdict.PASS
    assert routes.check("answer", {"of": "r.0", "status": 409}).verdict is Verdict.PASS
    assert routes.check("answer", {"of": "r.1", "code": "WECHAT_NOT_READY"}).verdict is Verdict.PASS


def test_a_request_never_answered_differs(routes: Story) -> None:
    routes.receive("r.2")
    args = {"of": "route.send_text", "outcome": "rejected"}
    assert routes.check("answer", args).measured == 1


def test_no_run_waits_for_what_a_background_service_is_to_be_told(refused: Story) -> None:
    refused.submit("watcher.1", actor="watcher")
    only = {"of": "watcher", "outcome": "done"}
    assert refused.check("answer", only).verdict is Verdict.VACUOUS
    args = {"of": "send_text", "outcome": "rejected"}
    assert refused.check("answer", args).measured == 1  # b's caller
    refused.answer("watcher.1", "done")
    assert refused.check("answer", args).measured == 2
