"""The occurrence of a named event."""

from __future__ import annotations

from windtunnel.event_names import parse_event_name
from windtunnel.scenario.playing.occurrence import once
from windtunnel.trace import Trace


def test_it_is_told_once_at_the_event() -> None:
    trace, told = Trace(lambda: 0), []
    once(trace, parse_event_name("a.settled"), lambda: told.append(len(trace)))
    trace.record("action.settled", "b")
    assert told == []
    trace.record("action.settled", "a")
    trace.record("action.settled", "a")
    assert told == [2]


def test_the_nth_is_counted() -> None:
    trace, told = Trace(lambda: 0), []
    once(trace, parse_event_name("a.0.work#2.begin"), lambda: told.append(len(trace)))
    for command in ("work", "open", "work", "work"):
        trace.record("command.started", "a.0", details={"command": command})
    assert told == [3]


def test_of_several_kinds_the_first_counts() -> None:
    trace, told = Trace(lambda: 0), []
    once(trace, parse_event_name("a.submitted"), lambda: told.append(len(trace)))
    trace.record("call.started", "a")
    trace.record("action.submitted", "a")
    assert told == [1]
