"""The samples of each metric."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.metrics import METRICS
from windtunnel.units import MS

Story = Any  # the class in conftest.py, which cannot be imported
STEPS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11)), max_size=60)


def found(story: Story, metric: str, *of: str) -> list[tuple[str, float, bool]]:
    """Return of each sample whose it is, its value in ms and whether it had come to its end."""
    metric_ = METRICS[metric]
    scale = MS if metric_.unit == "duration" else 1
    samples = metric_.samples(story.trace, of)
    return [(s.start.op, s.value / scale, s.end is not None) for s in samples]


@pytest.fixture
def three(story: Story) -> Story:
    """One that ran from 2 to 5 and was told at 7, one still running, one still waiting."""
    story.submit("a.0", "a.1", "a.2").at(2).start("a.0").at(5).settle("a.0").start("a.1")
    return story.at(7).answer("a.0").at(9).observe()


@pytest.mark.parametrize(
    ("metric", "samples"),
    [
        ("wait", [("a.0", 2, True), ("a.1", 5, True), ("a.2", 9, False)]),
        ("run", [("a.0", 3, True), ("a.1", 4, False)]),
        ("total", [("a.0", 7, True), ("a.1", 9, False), ("a.2", 9, False)]),
        ("wait_to_last_start", [("a.0", 2, True), ("a.1", 5, False), ("a.2", 9, False)]),
    ],
)
def test_the_times_of_operations(three: Story, metric: str, samples: list[Any]) -> None:
    assert found(three, metric) == samples
    assert found(three, metric, "a.0") == samples[:1]
    assert found(three, metric, "send_text") == samples
    assert found(three, metric, "logout") == []


def test_one_that_never_ran_waited_for_no_start_and_was_told_all_the_same(story: Story) -> None:
    story.submit("a").at(4).close("a", "expired")
    assert found(story, "wait") == found(story, "run") == found(story, "wait_to_last_start") == []
    assert found(story, "total") == [("a", 4, True)]


def test_the_last_of_several_starts(story: Story) -> None:
    story.submit("a").at(2).start("a").at(6).start("a").at(8).close("a")
    assert found(story, "wait") == [("a", 2, True)]
    assert found(story, "wait_to_last_start") == [("a", 6, True)]


@pytest.mark.spec("UI-C3")
def test_a_request_its_probe_and_its_answer(story: Story) -> None:
    story.receive("r").at(3).submit("r").start("r").at(8).close("r").respond("r")
    story.receive("s").at(10).respond("s", "rejected", 409, code="NOT_LOGGED_IN")
    story.receive("t").at(12).submit("u")
    assert found(story, "probe") == [("r", 3, True), ("t", 2, False)]
    assert found(story, "response") == [("r", 8, True), ("s", 2, True), ("t", 2, False)]
    assert found(story, "response", "send_text") == []
    assert found(story, "response", "route.send_text", "s") == found(story, "response")
    fields = [sample.fields for sample in METRICS["response"].samples(story.trace, ("s",))]
    assert fields == [{"outcome": "rejected", "status": 409, "code": "NOT_LOGGED_IN"}]


def test_commands_by_whose_they_are(story: Story) -> None:
    story.submit("r").begin("r", "login_state", class_="probe").at(2)
    story.over("r", "login_state", class_="probe").begin("r", "click").at(5).over("r", "click")
    story.begin("r", "type", 1).at(6)
    story.observe()
    assert found(story, "command") == [("r", 2, True), ("r", 3, True), ("r", 1, False)]
    assert found(story, "command", "probe") == [("r", 2, True)]


@pytest.mark.spec("UI-C3")
def test_waits_for_the_lock_by_id_by_actor_and_by_class(story: Story) -> None:
    story.submit("a.1").receive("r")
    for op, waited in (("a.1", 5), ("r", 6), ("login_guard.3", 7)):
        story.record("lock.waited", op=op, details={"waited": waited * MS})
    assert [value for _, value, _ in found(story, "lock_wait")] == [5, 6, 7]
    assert [value for _, value, _ in found(story, "lock_wait", "send_text")] == [5]
    assert [value for _, value, _ in found(story, "lock_wait", "route.send_text")] == [6]
    assert [value for _, value, _ in found(story, "lock_wait", "login_guard", "a")] == [5, 7]


@pytest.mark.spec("UI-K3")
def test_drains_are_paired_by_who_drains(story: Story) -> None:
    story.record("drain.started", actor="watchdog", details={"timeout": 1}).at(1)
    story.record("drain.started", actor="caller", details={"timeout": 1}).at(4)
    story.drain(actor="caller").at(6).drain(actor="watchdog", drained=False)
    story.record("drain.started", actor="caller", details={"timeout": 1}).at(8).observe()
    assert [v for _, v, _ in found(story, "drain")] == [3, 6, 2]
    drained = [s.fields.get("drained") for s in METRICS["drain"].samples(story.trace, ())]
    assert drained == [True, False, None]


@pytest.mark.spec("UI-F2")
def test_an_outage_lasts_until_the_window_is_there_again(story: Story) -> None:
    def window(kind: str) -> None:
        story.record(f"wechat.{kind}", resource="wechat", details={"pid": 1})

    window("shown")
    story.at(1)
    window("gone")
    story.at(2)
    window("gone")
    story.at(7)
    window("shown")
    story.at(8)
    window("gone")
    story.at(9).observe()
    assert [(v, ended) for _, v, ended in found(story, "outage")] == [(6, True), (1, False)]


def test_throughput_is_over_the_time_from_the_first_submission_to_the_last_end(
    story: Story,
) -> None:
    story.at(1000).submit("a", "b", "c", "d").close("d").at(2000).start("a").settle("a")
    story.at(5000).settle("b").settle("c", "failed").at(9000).observe()
    assert found(story, "throughput") == [("a", 0.75, True)]
    assert found(story, "throughput", "d") == found(story, "throughput", "c") == []


def test_how_many_are_queued(story: Story) -> None:
    for op, number in (("a", 1), ("b", 2)):
        story.submit(op).record("action.queued", op=op, details={"pending": number})
    assert found(story, "pending") == [("a", 1, True), ("b", 2, True)]
    assert found(story, "pending", "b") == [("b", 2, True)]


@given(STEPS)
def test_times_agree_with_looking_up_each_event(
    new_story: type[Story], steps: list[tuple[int, int]]
) -> None:
    story = new_story().play(steps)
    events = list(story.trace)

    def when(op: str, kind: str) -> int | None:
        return next((e.time // MS for e in events if (e.op, e.kind) == (op, kind)), None)

    def times(begin: str, finish: str) -> list[tuple[str, float, bool]]:
        expected: list[tuple[str, float, bool]] = []
        for op in dict.fromkeys(event.op for event in events):
            started, ended = when(op, begin), when(op, finish)
            never = finish == "action.started" and when(op, "action.settled") is not None
            if ended is not None and started is not None:
                expected.append((op, ended - started, True))
            elif started is not None and not never:
                expected.append((op, events[-1].time // MS - started, False))
        return expected

    assert found(story, "wait") == times("action.submitted", "action.started")
    assert found(story, "run") == times("action.started", "action.settled")
    assert found(story, "total") == times("action.submitted", "caller.settled")
