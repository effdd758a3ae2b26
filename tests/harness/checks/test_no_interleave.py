"""The check `no_interleave`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict
from windtunnel.trace import Event

Story = Any  # the class in conftest.py, which cannot be imported
FLOWS = {"flows": ["send_text", "logout"]}

pytestmark = pytest.mark.spec("UI-L2")


def command(story: Story, op: str, name: str, step: int = 0) -> Story:
    return story.begin(op, name, step).at(story.now + 1).over(op, name, step)


@pytest.fixture
def two(story: Story) -> Story:
    return story.submit("send.0").submit("bye", class_="logout")


def test_one_flow_after_the_other_passes(two: Story) -> None:
    command(two, "send.0", "click_search")
    command(two, "send.0", "type_query", 1)
    command(two, "bye", "click_menu")
    result = two.check("no_interleave", FLOWS)
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)


@pytest.mark.spec("UI-T1")
def test_a_command_inside_another_flow_fails(two: Story) -> None:
    command(two, "send.0", "click_search")
    command(two, "bye", "click_menu")
    command(two, "bye", "key_down", 1)
    command(two, "send.0", "type_query", 1)
    result = two.check("no_interleave", FLOWS)
    assert (result.verdict, result.measured) == (Verdict.FAIL, 2)
    clash, before = (two.trace[seq] for seq in result.witness)
    assert (clash.op, clash.kind) == ("bye", "command.started")
    assert (before.op, before.kind) == ("send.0", "command.ended")
    assert result.message.startswith(
        "click_menu of logout bye began at 1ms inside send_text send.0, after its click_search"
    )


def test_the_span_counts_not_the_action(two: Story) -> None:
    two.start("send.0").start("bye")
    command(two, "send.0", "click_search")
    command(two, "bye", "click_menu")
    two.settle("send.0").settle("bye")
    assert two.check("no_interleave", FLOWS).verdict is Verdict.PASS


def test_other_classes_do_not_matter(two: Story) -> None:
    two.submit("look", class_="probe")
    command(two, "send.0", "click_search")
    command(two, "look", "screenshot")
    command(two, "send.0", "type_query", 1)
    command(two, "bye", "click_menu")
    assert two.check("no_interleave", FLOWS).verdict is Verdict.PASS


def test_a_last_command_that_never_ended_keeps_the_flow_open(two: Story) -> None:
    two.begin("send.0").at(9)
    command(two, "bye", "click_menu")
    assert two.check("no_interleave", FLOWS).measured == 1


def test_actions_without_commands_are_one_step(new_story: type[Story]) -> None:
    def told() -> Story:
        return new_story().submit("a.0", "a.1").start("a.0").at(5)

    apart = told().settle("a.0").start("a.1").at(9).settle("a.1")
    inside = told().start("a.1").settle("a.0").at(9).settle("a.1")
    assert apart.check("no_interleave", FLOWS).verdict is Verdict.PASS
    result = inside.check("no_interleave", FLOWS)
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message.startswith("send_text a.1 began at 5ms inside send_text a.0")


def test_an_operation_that_died_before_its_first_command_has_no_span(two: Story) -> None:
    two.submit("send.1").start("send.1")
    command(two, "send.0", "click_search")
    command(two, "bye", "click_menu")
    two.settle("send.1", "failed")
    assert two.check("no_interleave", FLOWS).verdict is Verdict.PASS


def test_a_class_by_duration_beside_one_with_commands(two: Story) -> None:
    two.start("bye")
    command(two, "send.0", "click_search")
    two.settle("bye")
    assert two.check("no_interleave", FLOWS).measured == 1


def test_fewer_than_two_flows_show_nothing(two: Story) -> None:
    command(two, "send.0", "click_search")
    two.settle("bye", "rejected")
    assert two.check("no_interleave", FLOWS).verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(two: Story) -> None:
    command(two, "send.0", "click_search")
    command(two, "bye", "click_menu")
    assert two.after_a_limit("no_interleave", FLOWS).verdict is Verdict.UNKNOWN
    command(two, "send.0", "type_query", 1)
    assert two.after_a_limit("no_interleave", FLOWS).verdict is Verdict.FAIL


def test_no_flows_are_a_mistake(story: Story) -> None:
    with pytest.raises(ValidationError):
        story.check("no_interleave", {"flows": []})


def intruders(events: list[Event]) -> int:
    """Count the commands that began inside another flow, by looking at all pairs."""
    spans = {}
    for op in {event.op for event in events}:
        own = [event for event in events if event.op == op]
        ended = own[-1].kind == "command.ended"
        spans[op] = (own[0].seq, own[-1].seq if ended else len(events))
    begins = [event for event in events if event.kind == "command.started"]
    return sum(
        any(op != e.op and first < e.seq <= last for op, (first, last) in spans.items())
        for e in begins
    )


@given(st.lists(st.integers(0, 3), min_size=2, max_size=24))
def test_it_agrees_with_looking_at_all_pairs(new_story: type[Story], order: list[int]) -> None:
    story = new_story()
    for place, number in enumerate(order):
        step, ending = divmod(order[:place].count(number), 2)
        tell = story.over if ending else story.begin
        tell(f"send.{number}", step=step)
    result = story.check("no_interleave", FLOWS)
    if len(set(order)) < 2:
        assert result.verdict is Verdict.VACUOUS
        return
    expected = intruders(list(story.trace))
    assert result.measured == expected
    assert result.verdict is (Verdict.FAIL if expected else Verdict.PASS)


@pytest.mark.spec("UI-C2")
@pytest.mark.parametrize("op", ["send.0", "login_guard.1"])
def test_a_probe_belongs_to_no_flow_even_with_a_flow_s_id(two: Story, op: str) -> None:
    """The look before a route's send bears the send's id; that of a guard falls where it falls."""
    two.begin(op, "login_state", class_="probe").over(op, "login_state", class_="probe")
    command(two, "bye", "click_menu")
    command(two, "send.0", "click_search")
    two.begin(op, "login_state", 1, class_="probe").over(op, "login_state", 1, class_="probe")
    command(two, "send.0", "type_query", 1)
    two.begin(op, "login_state", 2, class_="probe").over(op, "login_state", 2, class_="probe")
    result = two.check("no_interleave", FLOWS)
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)


def test_commands_on_other_resources_are_part_of_their_flow(two: Story) -> None:
    two.submit("again", class_="restart")
    command(two, "send.0", "click_search")
    two.begin("again", "kill", on="processes").over("again", "kill", on="processes")
    command(two, "send.0", "type_query", 1)
    assert two.check("no_interleave", {"flows": ["send_text", "restart"]}).measured == 1
