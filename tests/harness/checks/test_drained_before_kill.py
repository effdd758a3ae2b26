"""The check `drained_before_kill`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import Verdict
from windtunnel.trace import Event

Story = Any  # the class in conftest.py, which cannot be imported

pytestmark = [pytest.mark.spec("UI-W2"), pytest.mark.spec("UI-I3")]


def judged(story: Story) -> tuple[Verdict, Any]:
    result = story.check("drained_before_kill")
    return result.verdict, result.measured


@pytest.fixture
def busy(story: Story) -> Story:
    """One send runs, one is queued."""
    return story.submit("send.0", "send.1").start("send.0").at(5)


def test_a_kill_after_all_is_done_passes(busy: Story) -> None:
    busy.close("send.0").start("send.1").close("send.1").drain().kill("watchdog.0")
    assert judged(busy) == (Verdict.PASS, 0)


def test_a_kill_while_one_runs_fails(busy: Story) -> None:
    busy.kill("watchdog.0")
    result = busy.check("drained_before_kill")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == (
        "wechat was killed at 5ms while send_text send.0, submitted at 0s, ran; 1 of 1 kills"
    )
    assert [busy.trace[seq].kind for seq in result.witness] == [
        "process.killed",
        "action.submitted",
    ]


def test_a_drain_that_said_yes_allows_no_running_operation(busy: Story) -> None:
    busy.drain().kill("watchdog.0")
    assert judged(busy) == (Verdict.FAIL, 1)
    assert "a drain had ended at 5ms" in busy.check("drained_before_kill").message


def test_a_drain_that_timed_out_allows_the_kill(busy: Story) -> None:
    busy.drain(drained=False).kill("watchdog.0")
    assert judged(busy) == (Verdict.PASS, 0)


def test_it_allows_no_kill_of_what_was_submitted_later(busy: Story) -> None:
    busy.drain(drained=False).close("send.0").close("send.1").at(60_000)
    busy.submit("send.2").start("send.2").kill("watchdog.0")
    assert judged(busy) == (Verdict.FAIL, 1)


def test_what_was_queued_as_the_drain_gave_up_may_run_by_then(busy: Story) -> None:
    busy.drain(drained=False).close("send.0").start("send.1").kill("watchdog.0")
    assert judged(busy) == (Verdict.PASS, 0)


def test_a_drain_serves_one_kill(busy: Story) -> None:
    busy.drain(drained=False).kill("watchdog.0").at(9).kill("watchdog.1")
    assert judged(busy) == (Verdict.FAIL, 1)


@pytest.mark.parametrize(("op", "now"), [("watchdog.0", 9), ("other", 5)])
def test_kills_of_one_act_or_one_instant_are_served_by_one_drain(
    busy: Story, op: str, now: int
) -> None:
    busy.drain(drained=False).kill("watchdog.0").at(now).kill(op)
    assert judged(busy) == (Verdict.PASS, 0)


def test_something_queued_asks_for_a_drain(busy: Story) -> None:
    busy.close("send.0").kill("watchdog.0")
    result = busy.check("drained_before_kill")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert "without a drain, 1 queued, send_text send.1 first" in result.message


def test_what_came_after_the_drain_may_be_queued(busy: Story) -> None:
    busy.close("send.0").close("send.1").drain().submit("send.2").kill("watchdog.0")
    assert judged(busy) == (Verdict.PASS, 0)


def test_what_goes_past_the_scheduler_is_not_drained(story: Story) -> None:
    story.submit("shot", via="direct").start("shot").kill("watchdog.0")
    assert judged(story) == (Verdict.PASS, 0)


@pytest.mark.spec("UI-C1")
@pytest.mark.parametrize("via", ["execute", "direct"])
def test_an_operation_that_kills_has_its_own_turn(busy: Story, via: str) -> None:
    busy.submit("again", class_="restart", priority=0, via=via).start("again").kill("again")
    assert judged(busy) == (Verdict.FAIL, 1)  # send.0 runs beside it
    busy.close("again", "failed").close("send.0")
    busy.submit("b", class_="restart", priority=0, via=via).start("b").kill("b")
    assert judged(busy) == (Verdict.FAIL, 1)  # send.1 is queued, and need not be drained


def test_a_drain_that_timed_out_is_no_excuse_for_an_operation(busy: Story) -> None:
    busy.drain(drained=False).submit("again", class_="restart").start("again").kill("again")
    assert judged(busy) == (Verdict.FAIL, 1)


@pytest.mark.parametrize("kill", [{}, {"op": "fault-0"}, {"op": "x", "actor": "fault"}])
def test_a_fault_s_kill_and_another_resource_s_do_not_count(
    busy: Story, kill: dict[str, str]
) -> None:
    busy.fault("fault-0").kill(**kill).kill("watchdog.0", on="scrot")
    result = busy.check("drained_before_kill")
    assert (result.verdict, result.message) == (
        Verdict.VACUOUS,
        "nothing but a fault killed wechat",
    )


@pytest.mark.parametrize(
    ("command", "on", "ms", "kills"),
    [
        ("kill", "processes", 0, 0),
        ("terminate", "processes", 0, 0),
        ("kill", "processes", 1, 1),  # it began earlier: another's kill
        ("click", "display", 0, 1),
    ],
)
def test_a_kill_is_that_of_the_command_that_just_began(
    story: Story, command: str, on: str, ms: int, kills: int
) -> None:
    """A restart has its turn while one is queued: nobody drains for it, but for another's kill."""
    story.submit("again", class_="restart", priority=0).submit("send").start("again")
    story.begin("again", command, on=on).at(ms).kill()
    assert story.check("drained_before_kill").measured == kills


def test_after_a_limit_only_a_failure_stands(busy: Story) -> None:
    busy.drain(drained=False).kill("watchdog.0")
    assert busy.after_a_limit("drained_before_kill").verdict is Verdict.UNKNOWN
    busy.at(9).kill("watchdog.1")
    assert busy.after_a_limit("drained_before_kill").verdict is Verdict.FAIL


STEPS = st.lists(
    st.one_of(
        st.integers(0, 7),
        st.sampled_from(["drained", "gave up", "watchdog", "act", "op.0", "op.3", "fault-0"]),
    ),
    max_size=30,
)


class Past:
    """What is known at a kill, found by going through all that came before it."""

    def __init__(self, story: Story, kill: Event) -> None:
        self.kill = kill
        self.events = list(story.trace)[: kill.seq]
        before = [e for e in self.events if e.op not in ("op.7", kill.op)]
        over = self.ops("action.settled")
        self.submitted = {e.op: e.seq for e in before if e.kind == "action.submitted"}
        self.alive = {op for op in self.submitted if op not in over}
        self.running = self.alive & self.ops("action.started")

    def ops(self, kind: str) -> set[str]:
        return {event.op for event in self.events if event.kind == kind}

    def drain(self) -> Event | None:
        """Return the last drain, unless it served another kill."""
        ends = [e for e in self.events if e.kind == "drain.ended"]
        if not ends:
            return None
        served = [
            e
            for e in self.events[ends[-1].seq :]
            if e.kind == "process.killed" and e.op != "fault-0" and not self.is_operation(e)
        ]
        return None if any(e.op != self.kill.op for e in served) else ends[-1]

    def is_operation(self, kill: Event) -> bool:
        earlier = self.events[: kill.seq]
        return any(e.op == kill.op and e.kind == "action.submitted" for e in earlier)

    def breaks(self) -> bool:
        if self.is_operation(self.kill):
            return bool(self.running)
        drain = self.drain()
        if drain is None:
            return bool(self.alive)
        excused = not drain.details["drained"]
        return any(not excused or self.submitted[op] > drain.seq for op in self.running)


@given(STEPS)
def test_it_agrees_with_looking_back_from_every_kill(
    new_story: type[Story], steps: list[int | str]
) -> None:
    story = new_story().fault("fault-0")
    for step in steps:
        story.at(story.now + 1)
        match step:
            case int():
                story.play([(0, step)])
            case "drained" | "gave up":
                story.drain(drained=step == "drained")
            case _:
                story.kill(step, "fault" if step == "fault-0" else "")
    kills = [e for e in story.trace.of("process.killed") if e.op != "fault-0"]
    expected = sum(Past(story, kill).breaks() for kill in kills)
    result = story.check("drained_before_kill")
    if not kills:
        assert result.verdict is Verdict.VACUOUS
        return
    assert result.measured == expected
    assert result.verdict is (Verdict.FAIL if expected else Verdict.PASS)
