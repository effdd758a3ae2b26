"""The trace: append-only, one clock, bounded, told to whoever listens."""

from __future__ import annotations

from contextvars import ContextVar, copy_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import TraceError
from windtunnel.trace import Event, Outcome, Trace


class Clock:
    """A clock that is moved by hand, in nanoseconds."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def test_events_have_the_clocks_time_and_a_number() -> None:
    clock = Clock()
    trace = Trace(clock)
    trace.record("window.closed")
    clock.now = 7
    trace.record("action.started", "a.1", "route", "like", "display", "", {"x": 1})
    assert list(trace) == [
        Event(0, 0, "window.closed"),
        Event(7, 1, "action.started", "a.1", "route", "like", "display", "", {"x": 1}),
    ]
    assert (len(trace), trace[1].op) == (2, "a.1")


@given(st.lists(st.integers(0, 5), min_size=1, max_size=50))
def test_the_order_is_time_then_number(steps: list[int]) -> None:
    clock = Clock()
    trace = Trace(clock)
    for step in steps:
        clock.now += step
        trace.record("window.closed")
    assert list(trace) == sorted(trace, key=lambda event: (event.time, event.seq))


def test_an_unknown_kind_is_refused() -> None:
    trace = Trace(Clock())
    with pytest.raises(TraceError, match=r"'coffee\.made' is not a kind"):
        trace.record("coffee.made")
    assert len(trace) == 0


def test_of_gives_the_events_of_some_kinds() -> None:
    trace = Trace(Clock())
    for kind in ("window.closed", "action.started", "window.closed", "action.skipped"):
        trace.record(kind)
    assert [event.seq for event in trace.of("window.closed", "action.skipped")] == [0, 2, 3]


def test_the_limit_is_told_once_and_nothing_is_kept_from_then_on() -> None:
    reached: list[int] = []
    trace = Trace(Clock(), limit=3, on_limit=lambda: reached.append(len(trace)))
    for _ in range(10):
        trace.record("window.closed")
    assert (len(trace), reached, trace.limit) == (3, [3], 3)
    trace.end("limit")
    assert trace[3].details == {"reason": "limit"}


def test_after_its_closing_nothing_is_recorded_but_the_end_at_that_instant() -> None:
    clock = Clock()
    trace = Trace(clock)
    trace.record("window.closed")
    clock.now = 5
    trace.close()
    clock.now = 9
    trace.record("window.closed")
    trace.close()
    trace.end("finished")
    assert [(event.time, event.kind) for event in trace] == [(0, "window.closed"), (5, "run.ended")]
    assert trace[1].details == {"reason": "finished"}


def test_an_end_closes() -> None:
    clock = Clock()
    trace = Trace(clock)
    clock.now = 4
    trace.end("deadlock")
    trace.record("window.closed")
    assert [(event.time, event.kind) for event in trace] == [(4, "run.ended")]


def test_an_end_may_lie_before_its_closing() -> None:
    clock = Clock()
    trace = Trace(clock)
    clock.now = 9
    trace.close(4)
    trace.close()
    trace.end("deadlock")
    assert trace[0].time == 4


def test_listeners_are_told_of_their_kind_in_the_order_they_came() -> None:
    trace = Trace(Clock())
    heard: list[tuple[str, int]] = []
    stop = trace.listen("window.closed", lambda event: heard.append(("first", event.seq)))
    trace.listen("window.closed", lambda event: heard.append(("second", event.seq)))
    trace.record("window.closed")
    trace.record("action.started")
    stop()
    stop()
    trace.record("window.closed")
    assert heard == [("first", 0), ("second", 0), ("second", 2)]


def test_a_listener_may_stop_itself_and_record() -> None:
    trace = Trace(Clock())

    def once(event: Event) -> None:
        stop()
        trace.record("window.closed")

    stop = trace.listen("window.closed", once)
    trace.record("window.closed")
    assert len(trace) == 2


def test_there_are_six_outcomes() -> None:
    assert set(Outcome.ALL) == {"done", "failed", "rejected", "expired", "unknown", "aborted"}


SOME_KINDS = ["action.started", "action.settled", "window.closed"]


@given(
    st.lists(st.sampled_from(SOME_KINDS), max_size=8),
    st.lists(st.sampled_from(SOME_KINDS), max_size=8),
    st.integers(0, 20),
    st.lists(st.sampled_from([*SOME_KINDS, "run.ended"]), max_size=4),
)
def test_of_gives_the_events_of_these_kinds_in_order(
    early: list[str], late: list[str], others: int, asked: list[str]
) -> None:
    """Few among many others or most of them; what is recorded after a first look is found too."""
    trace = Trace(Clock())
    for kind in early:
        trace.record(kind)
    list(trace.of(*asked))
    for kind in (*late, *["command.started"] * others):
        trace.record(kind)
    assert list(trace.of(*asked)) == [event for event in trace if event.kind in asked]


def test_a_trace_that_is_let_go_of_holds_and_takes_nothing() -> None:
    trace = Trace(Clock())
    trace.record("window.closed")
    assert len(list(trace.of("window.closed"))) == 1
    trace.release()
    trace.record("window.closed")
    assert (len(trace), list(trace), list(trace.of("window.closed"))) == (0, [], [])


def test_a_listener_is_called_in_the_context_it_was_registered_in() -> None:
    trace, whose = Trace(lambda: 0), ContextVar("whose", default="nobody's")
    seen: list[str] = []

    def listener(_event: Event) -> None:
        seen.append(whose.get())
        whose.set("the listener's")  # is nobody else's

    trace.listen("window.closed", listener)
    for program in ("one", "another"):
        context = copy_context()
        context.run(whose.set, program)
        context.run(trace.record, "window.closed")
        assert context[whose] == program
    assert seen == ["nobody's", "nobody's"]


def test_a_run_begins_at_instant_0_and_what_came_before_lies_below() -> None:
    clock = Clock()
    trace = Trace(clock)
    clock.now = 2
    trace.record("call.started", op="a")
    assert [event.op for event in trace.of("call.started")] == ["a"]
    clock.now = 6
    trace.begin()
    trace.begin()  # it has begun
    trace.record("call.ended", op="a")
    clock.now = 9
    trace.end("finished")
    assert [event.time for event in trace] == [-4, 0, 3]
    assert [event.time for event in trace.of("call.started", "call.ended")] == [-4, 0]
