"""Judging: the rules that hold for every check."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.checks import CHECKS, CheckArgs, CheckResult, CheckSpec, Context, Verdict
from windtunnel.checks.judging import judge
from windtunnel.trace import Trace
from windtunnel.world import EndReason, RunEnd

Story = Any  # the class in conftest.py, which cannot be imported
LIMIT = Context(RunEnd("limit", "the limit of 1 h was reached"))


def always(verdict: Verdict) -> CheckSpec:
    result = CheckResult(verdict, "seen", (0,), 7)

    def check(trace: Trace, args: CheckArgs, context: Context) -> CheckResult:
        return result

    return CheckSpec("always", CheckArgs, check)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_after_a_limit_only_a_failure_stands(story: Story, verdict: Verdict) -> None:
    result = judge(always(verdict), story.trace, CheckArgs(), LIMIT)
    if verdict is Verdict.FAIL:
        assert (result.verdict, result.message) == (Verdict.FAIL, "seen")
    else:
        assert result.verdict is Verdict.UNKNOWN
        assert result.message == "the limit of 1 h was reached; up to then: seen"
    assert (result.witness, result.measured) == ((0,), 7)


@pytest.mark.parametrize("reason", ["finished", "until", "deadlock", "error"])
@pytest.mark.parametrize("verdict", list(Verdict))
def test_else_the_check_has_the_word(story: Story, verdict: Verdict, reason: EndReason) -> None:
    context = Context(RunEnd(reason))
    assert judge(always(verdict), story.trace, CheckArgs(), context).verdict is verdict


INSIDE = [
    ("event", {"name": "kind:window.opened"}),
    ("event", {"name": "a.queued"}),
    ("count", {"of": "kind:action.refused", "equals": 1}),
    ("bounded", {"from": "a.queued", "to": "a.started", "max": "1s"}),
    ("happens_before", {"first": "kind:window.opened", "then": "kind:process.killed"}),
]


@pytest.mark.parametrize(("name", "args"), INSIDE)
def test_what_a_silent_scheduler_cannot_show_is_skipped(
    story: Story, name: str, args: dict[str, Any]
) -> None:
    story.submit("a").start("a").close("a").kill()
    result = story.check(name, args)
    assert result.verdict is Verdict.SKIPPED
    assert result.message.startswith("the scheduler reports nothing from inside (")
    assert story.after_a_limit(name, args).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(("name", "args"), INSIDE)
def test_one_that_reports_is_judged(story: Story, name: str, args: dict[str, Any]) -> None:
    story.submit("a").kill().record("action.delayed", op="a", details={"delay": 1})
    assert story.check(name, args).verdict is not Verdict.SKIPPED


def test_a_check_may_say_what_it_needs(story: Story) -> None:
    plain = always(Verdict.PASS)
    needs = CheckSpec(plain.name, plain.args, plain.check, frozenset({"action.delayed"}))
    assert judge(needs, story.trace, CheckArgs(), Context()).verdict is Verdict.SKIPPED
    story.record("action.skipped", op="a")
    assert judge(needs, story.trace, CheckArgs(), Context()).verdict is Verdict.PASS


def test_every_check_is_documented_with_its_figure_and_when_it_is_vacuous() -> None:
    for spec in CHECKS.values():
        said = spec.check.__doc__ or ""
        assert "Measured:" in said, spec.name
        assert "acuous" in said, spec.name
        assert spec.args.__doc__, spec.name
