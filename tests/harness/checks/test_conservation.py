"""The check `conservation`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import CHECKS, Verdict
from windtunnel.world import EndReason, RunEnd

Story = Any  # the class in conftest.py, which cannot be imported

pytestmark = pytest.mark.spec("UI-Q10")


def ran(story: Story, op: str) -> Story:
    return story.submit(op).start(op).close(op)


def test_it_runs_over_every_cell() -> None:
    spec = CHECKS["conservation"]
    assert spec.always
    spec.args()  # has defaults for everything


def test_each_settled_once_passes(story: Story) -> None:
    ran(ran(story, "a.0"), "a.1").submit("a.2").close("a.2", "rejected", code="RATE_LIMITED")
    result = story.check("conservation")
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)


def test_nothing_submitted_is_vacuous(story: Story) -> None:
    assert story.kill().check("conservation").verdict is Verdict.VACUOUS


def test_a_caller_that_leaves_is_no_offence(story: Story) -> None:
    story.submit("a").start("a").answer("a", "aborted").at(9).settle("a")
    assert story.check("conservation").verdict is Verdict.PASS


def test_a_caller_that_leaves_the_queue_does_not_stop_its_operation(story: Story) -> None:
    story.submit("a").answer("a", "aborted").at(9).start("a").settle("a")
    assert story.check("conservation").verdict is Verdict.PASS


def test_a_caller_told_unknown_leaves_the_operation_running(story: Story) -> None:
    story.submit("a").start("a").answer("a", "unknown", code="TIMEOUT").at(9).settle("a")
    assert story.check("conservation").verdict is Verdict.PASS


OFFENCES: dict[str, tuple[Callable[[Story], Story], tuple[int, ...], str]] = {
    "settled twice": (
        lambda s: ran(s, "a").at(7).settle("a"),
        (4, 2),
        "a settled twice, at 0s and at 7ms",
    ),
    "answered twice": (lambda s: ran(s, "a").answer("a"), (4, 3), "a was answered twice"),
    "started twice": (
        lambda s: s.submit("a").start("a").at(5).start("a").close("a"),
        (2, 1),
        "a started twice, at 0s and at 5ms",
    ),
    "submitted twice": (lambda s: s.submit("a").submit("a").close("a"), (1, 0), "a was submitted"),
    "started after it settled": (
        lambda s: s.submit("a").settle("a", "expired").start("a").answer("a", "expired"),
        (2, 1),
        "a started at 0s, after it settled as expired at 0s",
    ),
    "started after its caller heard that it never ran": (
        lambda s: s.submit("a").answer("a", "expired").at(4).start("a").settle("a"),
        (2, 1),
        "a started at 4ms, after it was answered as expired at 0s",
    ),
    "told done before it was over": (
        lambda s: s.submit("a").answer("a").at(4).start("a").settle("a"),
        (1, 0),
        "a was answered as done at 0s, before it was over",
    ),
    "told done though it failed": (
        lambda s: s.submit("a").start("a").settle("a", "failed").answer("a"),
        (3, 2),
        "a was answered as done at 0s, after it settled as failed at 0s",
    ),
    "settled and never submitted": (lambda s: s.settle("a"), (0,), "a settled at 0s and was never"),
    "never settled": (
        lambda s: s.at(3).submit("a").at(4).start("a").answer("a", "unknown"),
        (0, 1, 2),
        "a was submitted at 3ms, started at 4ms and never settled",
    ),
    "never answered": (
        lambda s: s.submit("a").start("a").settle("a"),
        (0, 1, 2),
        "a was submitted at 0s, started at 0s and never answered its caller",
    ),
}


@pytest.mark.parametrize("name", OFFENCES)
def test_an_offence_fails_with_its_events(story: Story, name: str) -> None:
    tell, witness, message = OFFENCES[name]
    ran(tell(story), "other")  # one that is as it should be
    result = story.check("conservation")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.witness == witness
    assert result.message.startswith(message)


def test_many_offenders_are_counted_and_the_first_named(story: Story) -> None:
    story.submit(*(f"a.{n}" for n in range(9)))
    result = story.check("conservation")
    assert result.measured == 9
    assert result.message.count("never settled") == 3
    assert result.message.endswith("and 6 more")


@pytest.mark.parametrize(
    ("reason", "verdict"),
    [
        ("finished", Verdict.FAIL),
        ("deadlock", Verdict.FAIL),
        ("error", Verdict.FAIL),
        ("until", Verdict.PASS),
        ("limit", Verdict.UNKNOWN),
    ],
)
def test_what_is_open_at_the_end(story: Story, reason: EndReason, verdict: Verdict) -> None:
    ran(story, "a.0").submit("a.1")
    result = story.check("conservation", end=RunEnd(reason))
    assert result.verdict is verdict


def test_a_run_cut_short_before_anything_settled_is_vacuous(story: Story) -> None:
    story.submit("a.0")
    assert story.check("conservation", end=RunEnd("until")).verdict is Verdict.VACUOUS
    assert story.check("conservation", end=RunEnd("finished")).verdict is Verdict.FAIL


@pytest.mark.parametrize("reason", ["until", "limit"])
def test_a_double_settlement_fails_however_the_run_ended(story: Story, reason: EndReason) -> None:
    ran(story, "a.0").settle("a.0").submit("a.1")
    result = story.check("conservation", end=RunEnd(reason))
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)


def test_outcomes_name_what_is_allowed(story: Story) -> None:
    ran(story, "a.0").submit("a.1").close("a.1", "expired")
    assert story.check("conservation", {"outcomes": ["done", "expired"]}).verdict is Verdict.PASS
    result = story.check("conservation", {"outcomes": ["done"]})
    assert (result.verdict, result.measured, result.witness) == (Verdict.FAIL, 1, (5,))
    assert result.message == "a.1 settled as expired at 0s, not done"


def test_of_names_those_that_count(story: Story) -> None:
    ran(story, "a.0").submit("b", class_="logout")
    assert story.check("conservation", {"of": ["a"]}).verdict is Verdict.PASS
    assert story.check("conservation", {"of": ["logout"]}).verdict is Verdict.FAIL
    assert story.check("conservation", {"of": ["c"]}).verdict is Verdict.VACUOUS


def test_accepted_once_lets_starts_repeat_but_not_the_result(story: Story) -> None:
    story.submit("a").start("a").start("a").close("a")
    assert story.check("conservation", {"accepted_once": True}).verdict is Verdict.PASS
    story.settle("a")
    assert story.check("conservation", {"accepted_once": True}).verdict is Verdict.FAIL


@pytest.mark.spec("RT-C3", "RT-R3")
@pytest.mark.parametrize(
    ("outcome", "begun", "verdict"),
    [
        ("done", True, Verdict.PASS),
        ("failed", True, Verdict.PASS),
        ("expired", True, Verdict.FAIL),
        ("done", False, Verdict.FAIL),
    ],
)
def test_a_start_under_way_as_the_result_came_is_only_a_repeat(
    story: Story, outcome: str, begun: bool, verdict: Verdict
) -> None:
    story.submit("a")
    if begun:
        story.start("a")
    story.at(5).close("a", outcome).at(6).start("a")
    assert story.check("conservation", {"accepted_once": True}).verdict is verdict
    assert story.check("conservation").verdict is Verdict.FAIL


@pytest.mark.spec("RT-C3", "F-R17")
@pytest.mark.parametrize(
    ("why", "outcome", "verdict"),
    [
        ("timeout", "failed", Verdict.PASS),
        ("unreachable", "failed", Verdict.PASS),
        ("timeout", "expired", Verdict.FAIL),
        ("refused", "failed", Verdict.FAIL),
        ("wrong_form", "failed", Verdict.FAIL),
    ],
)
def test_what_was_handed_over_without_an_answer_may_start_after_it_failed(
    story: Story, why: str, outcome: str, verdict: Verdict
) -> None:
    refusal = {"side": "external", "why": why}
    story.submit("a").at(3).record("task.refused", op="a", details=refusal)
    story.at(5).close("a", outcome).at(6).start("a")
    assert story.check("conservation", {"accepted_once": True}).verdict is verdict
    assert story.check("conservation").verdict is Verdict.FAIL
    story.settle("a")
    assert story.check("conservation", {"accepted_once": True}).verdict is Verdict.FAIL


@pytest.mark.spec("RT-R3")
def test_accepted_once_is_told_as_it_was(story: Story) -> None:
    story.submit("a").start("a").settle("a", "failed").answer("a", "done")
    result = story.check("conservation", {"accepted_once": True})
    assert result.message == "a was answered as done at 0s, after it settled as failed at 0s"


KINDS = ["action.submitted", "action.started", "action.settled", "caller.settled"]


@pytest.mark.spec("UI-Q7")
@pytest.mark.parametrize("reason", ["limit", "until", "finished"])
def test_a_wait_that_is_over_leaves_nothing_open(story: Story, reason: EndReason) -> None:
    story.submit("watch.3", actor="watch", wait_ms=100).at(50).submit("b", wait_ms=100)
    story.start("b").answer("b", "unknown").submit("c").close("c")
    end = RunEnd(reason)
    ran(story.at(100), "other")
    args = {"of": ["watch", "c"]}
    assert story.check("conservation", args, end).verdict is not Verdict.FAIL  # both are right
    ran(story.at(101), "another")
    result = story.check("conservation", args, end)
    assert (result.verdict, result.measured, result.witness) == (Verdict.FAIL, 1, (0,))
    assert result.message == (
        "watch.3 was submitted at 0s with a wait of 100ms, and its caller had not been told "
        "anything by 101ms"
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(KINDS)), max_size=20))
def test_it_agrees_with_counting(new_story: type[Story], steps: list[tuple[int, str]]) -> None:
    """The rule restated: each once, submitted first, no start after the end."""
    story = new_story()
    for number, kind in steps:
        fields = {"op": f"a.{number}", "class_": "send_text", "actor": "route"}
        if kind == "action.submitted":
            story.submit(f"a.{number}")
            continue
        outcome = "" if kind == "action.started" else "done"
        story.record(kind, **fields, outcome=outcome)

    def offends(number: int) -> bool:
        kinds = [kind for n, kind in steps if n == number]
        seen = Counter(kinds)
        ends = [seen[kind] for kind in ("action.submitted", "action.settled", "caller.settled")]
        if ends != [1, 1, 1] or seen["action.started"] > 1 or kinds[0] != "action.submitted":
            return True
        if kinds.index("caller.settled") < kinds.index("action.settled"):
            return True
        started = "action.started" in kinds
        return started and kinds.index("action.started") > kinds.index("action.settled")

    result = story.check("conservation")
    if not steps:
        assert result.verdict is Verdict.VACUOUS
        return
    offenders = sum(offends(number) for number in {number for number, _ in steps})
    assert result.measured == offenders
    assert result.verdict is (Verdict.FAIL if offenders else Verdict.PASS)


def test_every_request_is_answered_once(story: Story) -> None:
    ran(story.receive("r", "s"), "r").respond("r").respond("s", "rejected", 409)
    result = story.check("conservation")
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)
    assert result.message == "1 operations, 2 requests"


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (
            lambda s: s.at(3).receive("r"),
            "route.send_text r was received at 3ms and never answered",
        ),
        (lambda s: s.receive("r").respond("r").respond("r"), "r was answered twice"),
        (lambda s: s.respond("r"), "route.send_text r was answered and was never received"),
    ],
)
def test_a_request_that_is_not_offends(
    story: Story, steps: Callable[[Story], Story], message: str
) -> None:
    ran(steps(story), "other")
    result = story.check("conservation")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert message in result.message
    assert story.trace[result.witness[0]].op == "r"
    assert story.check("conservation", {"of": "send_text"}).verdict is Verdict.PASS
    assert story.check("conservation", {"of": "route.send_text"}).verdict is Verdict.FAIL


def test_a_request_that_waits_as_the_run_is_cut_short_is_only_open(story: Story) -> None:
    story.receive("r")
    assert story.check("conservation", end=RunEnd("until")).verdict is Verdict.VACUOUS
    story.receive("s").respond("s")
    result = story.check("conservation", end=RunEnd("until"))
    assert result.verdict is Verdict.PASS
    assert "1 still open" in result.message


@pytest.mark.parametrize("op", ["friend_watcher.3", "friend_watcher.3/2"])
@pytest.mark.parametrize(
    ("reason", "verdict"),
    [("finished", Verdict.PASS), ("deadlock", Verdict.FAIL), ("error", Verdict.FAIL)],
)
def test_no_run_waits_for_what_a_background_service_submitted(
    story: Story, op: str, reason: EndReason, verdict: Verdict
) -> None:
    ran(story, "a").submit(op, class_="accept_friend", actor="friend_watcher").start(op)
    assert story.check("conservation", end=RunEnd(reason)).verdict is verdict
    story.submit("b", actor="friend_watcher")  # not in a turn of its own
    assert story.check("conservation", end=RunEnd(reason)).verdict is Verdict.FAIL
