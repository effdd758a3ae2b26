"""The check `fast_fail`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import Verdict
from windtunnel.trace import Event
from windtunnel.units import MS

Story = Any  # the class in conftest.py, which cannot be imported
NEVER = 10**9

pytestmark = pytest.mark.spec("UI-Q8")


def refuse(story: Story, *ops: str) -> Story:
    for op in ops:
        story.close(op, "rejected", code="WECHAT_NOT_READY")
    return story


def judged(story: Story, **args: Any) -> tuple[Verdict, Any]:
    result = story.check("fast_fail", args)
    return result.verdict, result.measured


@pytest.fixture
def window(story: Story) -> Story:
    """Two sends are queued behind a third that runs, as a window of 100 ms opens at 10."""
    return story.submit("a", "b", "c").start("a").at(10).open_window(100)


def test_refused_as_soon_as_the_worker_is_free(window: Story) -> None:
    refuse(window.at(50).close("a"), "b", "c")
    refuse(window.at(60).submit("d"), "d")
    window.at(200).submit("e").start("e").close("e")
    assert judged(window) == (Verdict.PASS, 0)


@pytest.mark.spec("UI-Q15")
def test_what_had_reached_the_worker_starts_at_the_instant_of_opening(story: Story) -> None:
    story.at(10).submit("a", "b").open_window(100).start("a").at(20).close("a")
    assert judged(refuse(story, "b")) == (Verdict.PASS, 0)


@pytest.mark.spec("UI-T4")
def test_a_start_inside_the_window_fails(window: Story) -> None:
    refuse(window.at(50).close("a").start("b").close("b"), "c")
    result = window.check("fast_fail")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == "send_text b started at 50ms, inside the window; 1 treated otherwise"
    assert [window.trace[seq].kind for seq in result.witness] == [
        "action.started",
        "action.submitted",
    ]


def test_critical_starts_and_is_not_refused(window: Story) -> None:
    window.at(20).submit("now", class_="restart", priority=0).at(50).close("a").start("now")
    refuse(window.at(70).close("now"), "b", "c")
    assert judged(window) == (Verdict.PASS, 0)
    refuse(window.submit("again", class_="restart", priority=0), "again")
    assert judged(window) == (Verdict.FAIL, 1)


def test_waiting_while_the_worker_is_free_fails(window: Story) -> None:
    refuse(window.at(50).close("a").at(51), "b", "c")
    result = window.check("fast_fail")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 2)
    assert result.message.startswith("send_text b was answered only at 51ms")
    assert judged(window, within="1ms") == (Verdict.PASS, 0)
    assert judged(window, of="c") == (Verdict.FAIL, 1)


@pytest.mark.parametrize("end", ["window.closed", "by itself", "end of the run"])
def test_never_answered_fails(window: Story, end: str) -> None:
    window.at(50).close("a")
    if end == "window.closed":
        window.at(60).record("window.closed").start("b").close("b")
    elif end == "by itself":
        window.at(110).start("b").close("b")
    else:
        window.at(60).observe()
    assert judged(window) == (Verdict.FAIL, 2)
    assert "b was not refused by" in window.check("fast_fail").message


@pytest.mark.spec("UI-Q15")
def test_the_delay_after_an_operation_holds_the_worker(window: Story) -> None:
    window.at(50).close("a").record("action.delayed", op="a", details={"delay": 20 * MS})
    refuse(window.at(70), "b")
    assert judged(window) == (Verdict.PASS, 0)
    refuse(window.at(71), "c")
    assert judged(window) == (Verdict.FAIL, 1)


def test_a_refusal_outside_the_window_fails(window: Story) -> None:
    refuse(window.at(50).close("a"), "b", "c")
    refuse(window.at(111).submit("d"), "d")
    result = window.check("fast_fail")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert "send_text d was refused at 111ms, outside the window" in result.message


def test_at_the_instant_of_closing_both_are_right(window: Story) -> None:
    window.at(110).close("a").start("b").close("b")
    assert judged(window)[0] is Verdict.VACUOUS
    assert judged(refuse(window, "c")) == (Verdict.PASS, 0)


def test_an_open_window_is_not_shortened(window: Story) -> None:
    window.at(50).open_window(10)
    refuse(window.at(80).close("a"), "b", "c")
    assert judged(window) == (Verdict.PASS, 0)
    window.at(100).submit("d").start("d")
    assert judged(window) == (Verdict.FAIL, 1)


def test_closed_by_hand_it_is_closed(window: Story) -> None:
    refuse(window.at(50).close("a"), "b", "c").at(60).record("window.closed")
    window.submit("d").start("d")
    assert judged(window) == (Verdict.PASS, 0)


@pytest.mark.parametrize(("ms", "within"), [(50, "0s"), (52, "2ms")])
def test_a_refusal_may_be_told_after_the_window_was_closed(
    window: Story, ms: int, within: str
) -> None:
    refuse(window.at(50).close("a").record("window.closed").at(ms), "b", "c")
    assert judged(window, within=within) == (Verdict.PASS, 0)
    refuse(window.at(ms + 1).submit("d"), "d")
    assert judged(window, within=within) == (Verdict.FAIL, 1)


def test_another_refusal_and_a_time_out_in_the_queue_are_no_matter(window: Story) -> None:
    window.at(40).close("b", "expired", code="TIMEOUT")
    refuse(window.at(50).close("a"), "c").at(200).submit("d")
    window.close("d", "rejected", code="RATE_LIMITED")
    assert judged(window) == (Verdict.PASS, 0)


def test_what_goes_past_the_scheduler_does_not_count(window: Story) -> None:
    refuse(window.submit("x", via="direct").start("x").at(50).close("a"), "b", "c")
    assert judged(window) == (Verdict.PASS, 0)


def test_no_window_or_nobody_in_it_is_vacuous(story: Story) -> None:
    story.submit("a").record("action.queued", op="a", details={"pending": 1}).start("a")
    assert judged(story)[0] is Verdict.VACUOUS
    assert judged(story.open_window(5).at(9).close("a"))[0] is Verdict.VACUOUS


def test_a_silent_scheduler_is_skipped(story: Story) -> None:
    assert judged(refuse(story.submit("a"), "a"))[0] is Verdict.SKIPPED


def test_after_a_limit_only_a_failure_stands(window: Story) -> None:
    refuse(window.at(50).close("a"), "b", "c")
    assert window.after_a_limit("fast_fail").verdict is Verdict.UNKNOWN
    window.submit("d").start("d")
    assert window.after_a_limit("fast_fail").verdict is Verdict.FAIL


class Past:
    """What holds before an event, found by going through all that came before it."""

    def __init__(self, events: list[Event], seq: int) -> None:
        now, until, opened, self.closed, free = events[seq].time, -1, NEVER * MS, -NEVER * MS, 0
        running: set[str] = set()
        is_open = False
        for event in events[:seq]:
            if is_open and event.time > until:
                is_open, self.closed = False, until
            if event.kind == "window.opened":
                opened = opened if is_open else event.time
                until = max(until, event.time + event.details["left"])
                is_open = True
            elif event.kind == "window.closed" and is_open:
                is_open, self.closed, until = False, event.time, -1
            elif event.kind == "action.delayed" and not running:
                free = max(free, event.time + event.details["delay"])
            elif event.kind == "action.started" and event.op != "op.7":
                running.add(event.op)
            elif event.kind == "action.settled" and event.op in running:
                running.remove(event.op)
                free = free if running else event.time
        self.until = until
        self.free_since = NEVER * MS if running else free
        self.open_since = opened if is_open else NEVER * MS
        self.is_open = is_open and now <= until
        if is_open and now > until:
            self.closed = until


STEPS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.one_of(
            st.tuples(st.just("go on"), st.integers(0, 11)),
            st.tuples(st.just("refuse"), st.integers(0, 11)),
            st.tuples(st.just("open"), st.integers(0, 8)),
            st.tuples(st.just("close"), st.just(0)),
            st.tuples(st.just("delay"), st.integers(0, 4)),
        ),
    ),
    max_size=40,
)


def tell(story: Story, steps: list[tuple[int, tuple[str, int]]]) -> Story:
    for passed, (what, number) in steps:
        story.at(story.now + passed)
        op = f"op.{number}"
        known = {event.kind for event in story.trace if event.op == op}
        match what:
            case "go on":
                story.play([(0, number)])
            case "refuse" if known == {"action.submitted"}:
                refuse(story, op)
            case "open":
                story.open_window(number)
            case "close":
                story.record("window.closed")
            case "delay" if len(story.trace) and story.trace[-1].kind == "action.settled":
                story.record("action.delayed", op="x", details={"delay": number * MS})
    return story


def waits_too_long(events: list[Event], submitted: Event, end: int, bound: int) -> bool:
    """Tell whether the window was open and the worker free for longer, at any event up to `end`."""
    for event in events[submitted.seq + 1 : end + 1]:
        past = Past(events, event.seq)
        reached = max(submitted.time, past.open_since, past.free_since)
        if min(event.time, past.until) - reached > bound:
            return True
    return False


def treated_otherwise(events: list[Event], op: str, bound: int) -> bool:
    kinds = {e.kind: e for e in reversed(events) if e.op == op}
    submitted, start = kinds["action.submitted"], kinds.get("action.started")
    end, critical = start or kinds.get("action.settled"), int(op[3:]) % 3 == 0
    if not critical and waits_too_long(
        events, submitted, end.seq if end else len(events) - 1, bound
    ):
        return True
    if end is None:
        return False
    past = Past(events, end.seq)
    if start is not None:
        return not critical and past.is_open and past.open_since < start.time < past.until
    just_closed = end.time - past.closed <= bound
    return end.outcome == "rejected" and (critical or not (past.is_open or just_closed))


@given(STEPS, st.integers(0, 2))
def test_it_agrees_with_looking_back_from_every_event(
    new_story: type[Story], steps: list[tuple[int, tuple[str, int]]], within: int
) -> None:
    """Operations 0, 3, 6 and 9 are CRITICAL, 7 goes past the scheduler."""
    story = tell(new_story(), steps).observe()
    events = list(story.trace)
    ops = {event.op for event in events if event.op not in ("", "x", "op.7")}
    wrong = sum(treated_otherwise(events, op, within * MS) for op in ops)
    result = story.check("fast_fail", {"within": f"{within}ms"})
    if result.verdict is Verdict.SKIPPED:
        assert not any(e.kind.startswith("window") or e.kind == "action.delayed" for e in events)
    elif wrong:
        assert (result.verdict, result.measured) == (Verdict.FAIL, wrong)
    else:
        refused = any(e.outcome == "rejected" and e.op in ops for e in events)
        assert result.verdict is (Verdict.PASS if refused else Verdict.VACUOUS)
