"""The player: what is played when, and when a run is over."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.results import CellResult

Play = Callable[..., tuple[CellResult, ...]]

QUICK = """
given:
  scheduler: {send_delay: 0s, max_calls_per_sec: 1000}
  actions: {send_text: {duration: 1s}, like: {duration: 1s}}
"""


def events(result: CellResult, kind: str) -> list[dict[str, Any]]:
    return [event for line in result.trace if (event := json.loads(line))["kind"] == kind]


def submissions(result: CellResult) -> list[tuple[int, str]]:
    return [(event["t"], event["op"]) for event in events(result, "action.submitted")]


def test_at_one_instant_entries_are_played_in_the_order_of_the_file(play: Play) -> None:
    (result,) = play(
        QUICK
        + """
timeline:
  - {at: 2s, submit: send_text, id: second}
  - {at: 0s, submit: send_text, id: a, repeat: 3, every: 1s}
  - {at: 2s, submit: send_text, id: last}
expect:
  - conservation: {outcomes: [done]}
""",
        keep_trace=True,
    )
    at_two = [op for time, op in submissions(result) if time == 2_000_000_000]
    assert at_two == ["second", "a.2", "last"]


def test_an_entry_after_an_event_is_played_at_that_instant_plus(play: Play) -> None:
    (result,) = play(
        QUICK
        + """
timeline:
  - {at: 1s, submit: send_text, id: first}
  - {after: first.settled, submit: send_text, id: at-once}
  - {after: first.settled, plus: 250ms, submit: send_text, id: later, repeat: 2, every: 500ms}
expect:
  - conservation: {outcomes: [done]}
""",
        keep_trace=True,
    )
    assert submissions(result) == [
        (1_000_000_000, "first"),
        (2_000_000_000, "at-once"),
        (2_250_000_000, "later.0"),
        (2_750_000_000, "later.1"),
    ]


def test_an_after_that_never_happens_is_vacuous_and_says_which(play: Play) -> None:
    (result,) = play(
        QUICK
        + """
timeline:
  - {at: 0s, submit: send_text, id: first}
  - {after: kind:process.killed, submit: send_text, id: never}
expect:
  - count: {of: first, equals: 1}
"""
    )
    assert result.verdict is Verdict.VACUOUS
    assert "kind:process.killed" in result.reason
    assert "(line 12)" in result.reason


def test_the_nth_command_of_a_name_is_counted(play: Play) -> None:
    (result,) = play(
        """
timeline:
  - {at: 0s, submit: logout, id: bye}
  - {after: bye.key_down#2, submit: screenshot, id: shot}
  - {after: bye.key_down.begin, submit: screenshot, id: early}
expect:
  - conservation: {outcomes: [done]}
""",
        keep_trace=True,
    )
    assert submissions(result) == [
        (0, "bye"),
        (150_000_000, "early"),
        (350_000_000, "shot"),
    ]


def test_the_run_ends_when_all_is_settled_and_settle_has_passed(play: Play) -> None:
    (result,) = play(
        QUICK
        + """
timeline: [{at: 0s, submit: send_text, id: a}]
settle: 5s
expect: [{count: {of: a, equals: 1}}]
"""
    )
    assert result.metrics["sim_seconds"] == 6


def test_until_ends_a_run_with_operations_open(play: Play) -> None:
    (result,) = play(
        QUICK
        + """
timeline: [{at: 0s, submit: send_text, id: a, repeat: 10}]
until: 4500ms
expect:
  - count: {of: a, outcome: done, equals: 4}
"""
    )
    assert result.verdict is Verdict.PASS, result.reason
    assert result.metrics["sim_seconds"] == 4.5


def test_observations_are_taken_at_their_instant(play: Play) -> None:
    early, late = play(
        QUICK
        + """
matrix: {at: [2500ms, 9s]}
timeline: [{at: 0s, submit: send_text, id: a, repeat: 4}]
observe: {at: $at}
expect:
  - {equals: {executed_total: 2}, when: {at: 2500ms}}
  - {equals: {executed_total: 4}, when: {at: 9s}}
"""
    )
    assert (early.verdict, late.verdict) == (Verdict.PASS, Verdict.PASS)


def test_a_call_is_recorded_with_what_it_returned_or_raised(play: Play) -> None:
    (result,) = play(
        QUICK
        + """
timeline:
  - {at: 0s, call: scheduler.drain, id: drain}
  - {at: 0s, submit: send_text, id: late}
  - {at: 0s, call: caller.cancel, id: twice, args: {of: late}}
  - {at: 1s, call: caller.cancel, id: again, args: {of: late}}
expect: [{count: {of: late, equals: 1}}]
""",
        keep_trace=True,
    )
    ended = {event["op"]: event["details"] for event in events(result, "call.ended")}
    assert ended == {
        "drain": {"result": True},
        "twice": {"result": True},
        "again": {"result": False},
    }


@pytest.mark.parametrize(("repeat", "every"), [(1000, "0s"), (1000, "1ms")])
def test_long_repeats_are_played_whole(play: Play, repeat: int, every: str) -> None:
    (result,) = play(
        f"""
given:
  scheduler: {{send_delay: 0s, max_calls_per_sec: 100000, max_queue_size: 100000}}
  actions: {{send_text: {{duration: 1us}}}}
timeline: [{{at: 0s, submit: send_text, id: a, repeat: {repeat}, every: {every}}}]
expect: [{{count: {{of: a, outcome: done, equals: {repeat}}}}}]
"""
    )
    assert result.verdict is Verdict.PASS, result.reason
