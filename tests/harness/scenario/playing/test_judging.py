"""Judging: declared failures, severities, checks that nobody asked for, the worst verdict."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.playing.judging import _worst
from windtunnel.scenario.results import CellResult, CheckLine
from windtunnel.world import RunEnd

Play = Callable[..., tuple[CellResult, ...]]

FIVE = """
given: {actions: {send_text: {duration: 1s, delay_after: 0s}}}
timeline: [{at: 0s, submit: send_text, id: a, repeat: 5}]
expect:
"""


@pytest.mark.parametrize(
    ("expectation", "verdict", "reason"),
    [
        ("{count: {of: a, equals: 5}}", Verdict.PASS, ""),
        ("{count: {of: a, equals: 4}}", Verdict.FAIL, "count"),
        ("{count: {of: a, equals: 4}, fails: {}}", Verdict.PASS, ""),
        ("{count: {of: a, equals: 4}, fails: {measured: 5}}", Verdict.PASS, ""),
        ("{count: {of: a, equals: 4}, fails: {measured: 6}}", Verdict.FAIL, "measured 5"),
        ("{count: {of: a, equals: 4}, fails: {measured: 6, tolerance: 1}}", Verdict.PASS, ""),
        ("{count: {of: a, equals: 5}, fails: {}}", Verdict.FAIL, "declared to fail, but it holds"),
        ("{mutual_exclusion: {resource: display}, fails: {}}", Verdict.VACUOUS, "display"),
        ("{mutual_exclusion: {resource: display}}", Verdict.VACUOUS, "display"),
    ],
)
def test_one_expectation(play: Play, expectation: str, verdict: Verdict, reason: str) -> None:
    (result,) = play(f"{FIVE}  - {expectation}\n")
    assert result.verdict is verdict, result.reason
    assert reason in result.reason


def test_a_declared_failure_excuses_no_other_check(play: Play) -> None:
    (result,) = play(
        FIVE
        + """
  - {count: {of: a, equals: 4}, fails: {measured: 5}}
  - {count: {of: a, max: 3}}
"""
    )
    assert result.verdict is Verdict.FAIL
    assert [check.verdict for check in result.checks[:2]] == [Verdict.PASS, Verdict.FAIL]


def test_a_warning_does_not_gate(play: Play) -> None:
    (result,) = play(
        FIVE
        + """
  - {count: {of: a, equals: 4}, severity: warning}
  - {count: {of: a, equals: 5}}
"""
    )
    assert result.verdict is Verdict.PASS
    assert result.checks[0].verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("one", "deadlock: one"),
        ("one, and\n  a\n  b", "deadlock: one, and a; b"),
        ("one, and\n  a\n  b\n  c\n  d\n  e", "deadlock: one, and a; b; c; and 2 more"),
    ],
)
def test_the_reason_says_who_waits(message: str, reason: str) -> None:
    assert _worst((), RunEnd("deadlock", message), ()) == (Verdict.FAIL, reason)


@pytest.mark.parametrize(
    ("failed", "message", "reason"),
    [
        ("conservation", "one, though nothing is known to wait", "conservation: why"),
        ("calls", "one, though nothing is known to wait", "calls: why"),
        ("count", "one, though nothing is known to wait", "deadlock: one, though"),
        ("conservation", "one, and\n  a", "deadlock: one, and a"),
    ],
)
def test_what_explains_goes_before_a_deadlock_in_which_nobody_waits(
    failed: str, message: str, reason: str
) -> None:
    lines = (CheckLine("fifo", Verdict.PASS, 1), CheckLine(failed, Verdict.FAIL, 2, "why"))
    verdict, told = _worst(lines, RunEnd("deadlock", message), ())
    assert verdict is Verdict.FAIL
    assert told.startswith(reason)


def test_because_is_said_with_the_failure(play: Play) -> None:
    (result,) = play(f"{FIVE}  - {{count: {{of: a, equals: 4}}, because: four is a crowd}}\n")
    assert "(four is a crowd)" in result.reason


def test_the_system_s_own_checks_run_unasked(play: Play) -> None:
    (result,) = play(
        """
given: {wiring: before, display: {lock: none}}
timeline:
  - {at: 0s, submit: send_text, id: a, args: {to: x, text: y}}
  - {at: 20ms, submit: screenshot, id: shot}
expect: [{count: {of: shot, equals: 1}}]
"""
    )
    assert result.verdict is Verdict.FAIL
    failed = next(check for check in result.checks if check.verdict is Verdict.FAIL)
    assert (failed.name, failed.line) == ("mutual_exclusion", 0)
    assert len(failed.excerpt) <= 12
    assert any(line.lstrip().startswith(">") for line in failed.excerpt)


TOO_EARLY = """
given: {actions: {send_text: {duration: 1s}}}
timeline:
  - {at: 0s, call: caller.cancel, id: cancel, args: {of: late}}
  - {at: 1s, submit: send_text, id: late}
expect:
  - {count: {of: late, equals: 1}}
"""


def test_a_call_that_fails_is_no_pass_unless_it_is_asked_to(play: Play) -> None:
    (result,) = play(TOO_EARLY)
    assert result.verdict is Verdict.FAIL
    assert result.reason == "calls: caller.cancel (cancel) failed at 0s: PluginError"
    (result,) = play(f"{TOO_EARLY}  - {{calls: {{outcome: failed}}}}\n")
    assert result.verdict is Verdict.PASS


def test_after_a_limit_a_failure_stays_and_the_rest_is_unknown(play: Play) -> None:
    failed, unknown = play(
        """
given: {actions: {send_text: {duration: 1s, delay_after: 0s}}}
matrix: {most: [3, 1000]}
timeline: [{at: 0s, submit: send_text, id: a, repeat: 60, every: 1min}]
limits: {sim: 30min}
expect: [{count: {of: a, max: $most}}]
"""
    )
    assert (failed.verdict, unknown.verdict) == (Verdict.FAIL, Verdict.UNKNOWN)


# One action of 1 s, then 500 ms of delay, then another; each check misses its time by 100 ms.
LATE = """
given: {{actions: {{send_text: {{duration: 1s, delay_after: 500ms}}}}}}
timeline: [{{at: 0s, submit: send_text, id: a, repeat: 2}}]
per_world: {{sim: {{tolerance: {tolerance}}}}}
{judged}
"""


@pytest.mark.parametrize(
    "judged",
    [
        "expect: [event: {name: a.0.settled, at: 900ms}]",
        "expect: [event: {name: a.0.settled, before: 900ms}]",
        "expect: [event: {name: a.0.settled, after: 1100ms}]",
        "expect: [event: {name: a.0.settled, at: 890ms, tolerance: 10ms}]",
        "expect: [answer: {of: a.0, outcome: done, at: 1100ms}]",
        "expect: [bounded: {from: a.0.started, to: a.0.settled, max: 900ms}]",
        "expect: [bounded: {from: a.0.started, to: a.0.settled, min: 1100ms}]",
        "expect: [gap: {min: 600ms}]",
        "expect: [conservation: {}]\nthresholds: [{metric: run, of: a, stat: max, max: 900ms}]",
        "expect: [conservation: {}]\nthresholds: [{metric: run, of: a, stat: min, min: 1100ms}]",
    ],
)
def test_a_world_may_miss_times_by_its_tolerance(play: Play, judged: str) -> None:
    (exact,) = play(LATE.format(tolerance="99ms", judged=judged))
    (loose,) = play(LATE.format(tolerance="100ms", judged=judged))
    assert (exact.verdict, loose.verdict) == (Verdict.FAIL, Verdict.PASS), (exact, loose)


def test_what_is_no_time_is_not_loosened(play: Play) -> None:
    judged = (
        "expect: [conservation: {}]\nthresholds: [{metric: throughput, of: a, stat: max, max: 0}]"
    )
    (result,) = play(LATE.format(tolerance="10s", judged=judged))
    assert result.verdict is Verdict.FAIL
