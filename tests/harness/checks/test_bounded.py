"""The check `bounded`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict
from windtunnel.units import MS, SECOND
from windtunnel.world import EndReason, RunEnd

Story = Any  # the class in conftest.py, which cannot be imported
# Everything is submitted in some order, then goes on in another.
STEPS = st.builds(
    lambda first, then: [(1, number) for number in first] + then,
    st.lists(st.integers(0, 11), unique=True),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11)), max_size=40),
)
WAIT = {"from": "a.submitted", "to": "a.started"}
REBIRTH = {"from": "kind:process.killed", "to": "kind:process.started", "max": "10s"}


def born(story: Story) -> Story:
    return story.record("process.started", resource="wechat", details={"pid": 7})


@pytest.fixture
def three(story: Story) -> Story:
    """Operations that wait 0, 2 and 5 s."""
    story.submit("a.0", "a.1", "a.2").start("a.0").at(2000).start("a.1").at(5000)
    return story.start("a.2")


@pytest.mark.spec("UI-K2")
def test_each_operation_of_a_repeat_is_timed(three: Story) -> None:
    result = three.check("bounded", {**WAIT, "max": "5s"})
    assert (result.verdict, result.measured) == (Verdict.PASS, 5)


def test_the_longest_over_its_maximum_fails(three: Story) -> None:
    result = three.check("bounded", {**WAIT, "max": "4s"})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 5)
    assert [three.trace[seq].op for seq in result.witness] == ["a.2", "a.2"]
    assert result.message == (
        "a.2: 5s from a.submitted at 0s to a.started at 5s, allowed at most 4s; "
        "3 timed, 1 out of bounds"
    )


def test_the_shortest_under_its_minimum_fails(three: Story) -> None:
    result = three.check("bounded", {**WAIT, "min": "1s"})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 0)
    assert result.message.startswith("a.0: 0s from")
    assert three.check("bounded", {**WAIT, "min": "0s"}).verdict is Verdict.PASS


def test_one_event_to_another(three: Story) -> None:
    args = {"from": "a.0.started", "to": "a.2.started"}
    assert three.check("bounded", {**args, "max": "5s", "min": "5s"}).verdict is Verdict.PASS
    assert three.check("bounded", {**args, "max": "4999ms"}).measured == 5


def test_of_a_kind_the_next_one_counts(story: Story) -> None:
    born(born(story).at(1000).kill().at(8000)).at(20_000).kill()
    result = story.check("bounded", REBIRTH)
    assert (result.verdict, result.measured) == (Verdict.PASS, 7)


@pytest.mark.parametrize(
    ("reason", "now", "verdict"),
    [
        ("finished", 11_000, Verdict.UNKNOWN),
        ("until", 11_000, Verdict.UNKNOWN),
        ("limit", 11_000, Verdict.UNKNOWN),
        ("deadlock", 11_000, Verdict.FAIL),
        ("finished", 11_001, Verdict.FAIL),
        ("limit", 11_001, Verdict.FAIL),
    ],
)
def test_what_still_waits_counts_up_to_the_end(
    story: Story, reason: EndReason, now: int, verdict: Verdict
) -> None:
    born(story).at(1000).kill().at(now).submit("a")
    result = story.check("bounded", REBIRTH, RunEnd(reason))
    assert result.verdict is verdict
    assert result.measured == (now - 1000) / 1000
    assert "no kind:process.started yet" in result.message


def test_a_minimum_already_reached_is_enough(story: Story) -> None:
    args = {"from": "kind:process.killed", "to": "kind:process.started", "min": "3s"}
    story.kill().at(2000).submit("a")
    assert story.check("bounded", args).verdict is Verdict.UNKNOWN
    story.at(3000).submit("b")
    assert story.check("bounded", args).verdict is Verdict.PASS


def test_an_operation_that_settled_otherwise_waits_no_longer(three: Story) -> None:
    three.submit("a.3").close("a.3", "rejected").at(60_000).submit("b")
    assert three.check("bounded", {**WAIT, "max": "5s"}).verdict is Verdict.PASS


def test_one_that_still_waits_at_the_end_does_count(three: Story) -> None:
    three.submit("a.3").at(60_000).submit("b")
    result = three.check("bounded", {**WAIT, "max": "5s"})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 55)


def test_a_caller_may_be_told_before_the_end(story: Story) -> None:
    story.submit("a").start("a").at(100).answer("a", "unknown").at(900).settle("a")
    told = {"from": "a.submitted", "to": "a.answered", "max": "100ms"}
    assert story.check("bounded", told).verdict is Verdict.PASS
    backwards = {"from": "a.settled", "to": "a.answered", "max": "1s"}
    result = story.check("bounded", backwards)
    assert (result.verdict, result.measured) == (Verdict.FAIL, -0.8)


def test_an_operation_that_settled_and_is_not_answered_still_waits(story: Story) -> None:
    story.submit("a").start("a").settle("a").at(900).submit("b")
    told = {"from": "a.submitted", "to": "a.answered", "max": "100ms"}
    assert story.check("bounded", told).verdict is Verdict.FAIL


def test_two_repeats_belong_together_by_number(story: Story) -> None:
    story.submit("a.0", "a.1").at(1000).submit("b.0").at(3000).submit("b.1")
    args = {"from": "a.submitted", "to": "b.submitted", "max": "3s", "min": "1s"}
    result = story.check("bounded", args)
    assert (result.verdict, result.measured) == (Verdict.PASS, 3)


def test_one_event_to_each_operation_and_those_before_it_do_not_count(story: Story) -> None:
    story.submit("a.0", "a.1", "a.2").start("a.0").settle("a.0").at(1000).kill()
    story.at(3000).settle("a.1", "failed").at(4000)
    args = {"from": "kind:process.killed", "to": "a.settled", "max": "2s"}
    result = story.check("bounded", args)
    assert (result.verdict, result.measured) == (Verdict.UNKNOWN, 2)
    story.settle("a.2", "failed")
    assert story.check("bounded", args).measured == 3


def test_each_operation_to_one_event(three: Story) -> None:
    three.at(6000).kill()
    args = {"from": "a.started", "to": "kind:process.killed", "min": "1s"}
    result = three.check("bounded", args)
    assert (result.verdict, result.measured) == (Verdict.PASS, 1)


def test_calls_have_phases_too(story: Story) -> None:
    story.record("call.started", op="act", class_="watchdog.act").at(700)
    story.record("call.ended", op="act", class_="watchdog.act", outcome="done")
    args = {"from": "act.started", "to": "act.settled", "max": "1s"}
    assert story.check("bounded", args).measured == 0.7


def test_nothing_to_time_is_vacuous(three: Story) -> None:
    for from_ in ("b.submitted", "kind:process.killed", "a.9.started"):
        args = {"from": from_, "to": "a.started", "max": "5s"}
        assert three.check("bounded", args).verdict is Verdict.VACUOUS


def test_a_bound_is_needed(story: Story) -> None:
    with pytest.raises(ValidationError, match="`max` or `min`"):
        story.check("bounded", WAIT)


@given(steps=STEPS, most=st.integers(0, 8))
def test_it_agrees_with_looking_up_each_operation(
    new_story: type[Story], steps: list[tuple[int, int]], most: int
) -> None:
    story = new_story().play(steps)
    events = list(story.trace)

    def when(op: str, kind: str) -> int | None:
        return next((e.time for e in events if (e.op, e.kind) == (op, kind)), None)

    lengths, waiting = [], []
    for op in {event.op for event in events}:
        submitted = when(op, "action.submitted") or 0
        started = when(op, "action.started")
        if started is not None:
            lengths.append(started - submitted)
        elif when(op, "action.settled") is None:
            waiting.append(events[-1].time - submitted)
    args = {"from": "op.submitted", "to": "op.started", "max": f"{most}ms"}
    result = story.check("bounded", args)
    if not lengths and not waiting:
        assert result.verdict is Verdict.VACUOUS
        return
    longest = max(lengths + waiting)
    assert result.measured == longest / SECOND
    if longest > most * MS:
        assert result.verdict is Verdict.FAIL
    else:
        assert result.verdict is (Verdict.UNKNOWN if waiting else Verdict.PASS)


def test_a_request_is_timed_to_its_answer_and_to_its_action(story: Story) -> None:
    story.receive("r.0", "r.1", "r.2").at(3).submit("r.0").at(5).respond("r.1", "rejected", 409)
    story.start("r.0").at(8).close("r.0").respond("r.0").at(9).respond("r.2", "rejected", 409)
    whole = {"from": "r.requested", "to": "r.responded", "max": "9ms"}
    assert story.check("bounded", whole).measured == 0.009
    probe = {"from": "r.requested", "to": "r.submitted", "max": "3ms"}
    result = story.check("bounded", probe)
    assert (result.verdict, result.measured) == (Verdict.PASS, 0.003)


def test_a_request_without_an_answer_waits_even_if_its_action_is_over(story: Story) -> None:
    story.receive("r").submit("r").start("r").close("r").at(60_000).submit("x")
    args = {"from": "r.requested", "to": "r.responded", "max": "1s"}
    assert story.check("bounded", args).verdict is Verdict.FAIL
    refused = {"from": "kind:request.received", "to": "r.settled", "max": "1s"}
    assert story.check("bounded", refused).verdict is Verdict.PASS


@pytest.mark.spec("UI-Q7")
def test_an_answer_that_it_still_runs_is_not_its_end(story: Story) -> None:
    story.receive("r").submit("r").start("r").answer("r", "unknown").respond("r", "unknown", 504)
    args = {"from": "r.started", "to": "r.settled", "max": "1s"}
    assert story.check("bounded", args).verdict is Verdict.UNKNOWN
    story.at(60_000).submit("x")
    assert story.check("bounded", args).verdict is Verdict.FAIL


def test_from_one_event_to_every_request(story: Story) -> None:
    story.kill().at(2).receive("r.0", "r.1").at(4).respond("r.0", "rejected", 503)
    args = {"from": "kind:process.killed", "to": "r.responded", "max": "9ms"}
    assert story.check("bounded", args).verdict is Verdict.UNKNOWN
    story.at(7).respond("r.1", "rejected", 503)
    assert story.check("bounded", args).measured == 0.007


def test_the_parts_of_a_call_are_not_timed_to_the_end_of_the_whole(story: Story) -> None:
    story.record("call.started", op="b", class_="batch.run").submit("b.0", "b.1").at(5)
    story.close("b.0").record("call.ended", op="b", class_="batch.run", outcome="done").at(9)
    args = {"from": "b.submitted", "to": "b.settled", "max": "5ms"}
    result = story.submit("x").check("bounded", args)
    assert (result.verdict, result.measured) == (Verdict.FAIL, 0.009)
    assert result.message.startswith("b.1: 9ms from")


def test_a_fault_is_timed_to_its_effect_and_to_its_end(story: Story) -> None:
    story.fault("outage").at(3).fault("outage", "fault.affected").at(9)
    story.fault("outage", "fault.undone").fault("quiet").fault("quiet", "fault.undone")
    for to, seconds in (("affected", 0.003), ("undone", 0.009)):
        args = {"from": "outage.injected", "to": f"outage.{to}", "max": "1s"}
        assert story.check("bounded", args).measured == seconds
    args = {"from": "quiet.injected", "to": "quiet.affected", "max": "1s"}
    assert story.check("bounded", args).verdict is Verdict.VACUOUS
    args = {"from": "kind:fault.injected", "to": "outage.undone", "max": "1s"}
    assert story.check("bounded", args).measured == 0.009


def test_a_fault_that_is_on_at_the_end_still_waits(story: Story) -> None:
    story.fault("outage").at(3000).submit("x")
    args = {"from": "outage.injected", "to": "outage.affected", "max": "1s"}
    assert story.check("bounded", args).verdict is Verdict.FAIL
