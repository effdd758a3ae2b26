"""The check `delivered_to`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported

pytestmark = pytest.mark.spec("UI-F4")


@pytest.fixture
def two(story: Story) -> Story:
    """Two sends with their receivers, and a log-out, all at work."""
    for number in (0, 1):
        story.submit(f"send.{number}", to=f"room-{number}", text=f"msg {number}")
    return story.submit("bye", class_="logout")


def test_each_to_its_receiver_passes(two: Story) -> None:
    two.deliver("send.0", "room-0", "msg 0").deliver("send.1", "room-1", "msg 1")
    result = two.check("delivered_to", {"of": "send_text"})
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)


@pytest.mark.parametrize(
    ("op", "to", "text", "message"),
    [
        (
            "send.0",
            "room-1",
            "msg 0",
            "went to room-1 at 7ms, meant by send_text send.0 for room-0",
        ),
        ("send.0", "", "msg 0", "went to nobody"),
        ("send.0", "room-0", "msg", "'msg' went to room-0 at 7ms, where send_text send.0 was to"),
        ("bye", "room-0", "draft", "sent by logout bye, which sends nothing"),
    ],
)
def test_another_receiver_or_text_fails(
    two: Story, op: str, to: str, text: str, message: str
) -> None:
    two.deliver("send.1", "room-1", "msg 1").at(7)
    fields = {"op": op, "class_": two.class_of(op), "resource": to, "details": {"text": text}}
    two.trace.record("message.delivered", **fields)
    result = two.check("delivered_to", {"of": "send_text"})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert message in result.message
    delivered, submitted = (two.trace[seq] for seq in result.witness)
    assert (delivered.kind, submitted.kind) == ("message.delivered", "action.submitted")
    assert delivered.op == submitted.op == op


def test_a_second_message_of_one_operation_fails(two: Story) -> None:
    two.deliver("send.0", "room-0", "msg 0").at(4).deliver("send.0", "room-0", "msg 0")
    result = two.check("delivered_to")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert "again: send_text send.0 had delivered at 0s" in result.message


def test_of_chooses_among_those_that_send(two: Story) -> None:
    two.deliver("send.0", "room-1", "msg 0").deliver("send.1", "room-1", "msg 1")
    assert two.check("delivered_to", {"of": "send.1"}).verdict is Verdict.PASS
    assert two.check("delivered_to", {"of": "send"}).measured == 1


def test_where_no_text_was_given_only_the_receiver_counts(story: Story) -> None:
    story.submit("f", class_="forward", to="room-1").deliver("f", "room-1", "whatever it was")
    assert story.check("delivered_to").verdict is Verdict.PASS


def test_what_no_operation_sent_is_passed_over(two: Story) -> None:
    two.deliver("person", "room-9")
    result = two.check("delivered_to")
    assert (result.verdict, result.message) == (Verdict.VACUOUS, "nothing was delivered")


def test_a_send_that_ended_done_and_went_nowhere_counts_if_asked(two: Story) -> None:
    two.deliver("send.0", "room-0", "msg 0").start("send.0").start("send.1").start("bye")
    two.settle("send.0").settle("send.1").settle("bye")
    assert two.check("delivered_to", {"of": "send_text"}).verdict is Verdict.PASS
    result = two.check("delivered_to", {"of": "send_text", "complete": True})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == "send_text send.1 ended done at 0s and delivered nothing"


def test_one_that_failed_need_not_have_delivered(two: Story) -> None:
    two.start("send.0").settle("send.0", "failed").submit("send.2", to="room-2")
    result = two.check("delivered_to", {"of": "send_text", "complete": True})
    assert result.verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(two: Story) -> None:
    two.deliver("send.0", "room-0", "msg 0")
    assert two.after_a_limit("delivered_to").verdict is Verdict.UNKNOWN
    two.deliver("send.1", "room-0", "msg 1")
    assert two.after_a_limit("delivered_to").verdict is Verdict.FAIL


DELIVERIES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 1)))


@given(DELIVERIES, st.lists(st.integers(0, 4), unique=True), st.booleans())
def test_it_agrees_with_comparing_each_with_each(
    new_story: type[Story], deliveries: list[tuple[int, int, int]], done: list[int], every: bool
) -> None:
    """Operations 0 to 2 send `t` to a room of their number, 3 and 4 send nothing, 5 is nobody."""
    story = new_story()
    for number in range(5):
        more = {"to": f"room-{number}", "text": "t0"} if number < 3 else {}
        story.submit(f"op.{number}", class_="send" if number < 3 else "other", **more)
    for number, room, text in deliveries:
        story.deliver(f"op.{number}", f"room-{room}", f"t{text}")
    for number in done:
        story.settle(f"op.{number}")
    wrong = 0
    for place, (number, room, text) in enumerate(deliveries):
        first = all(other != number for other, _, _ in deliveries[:place])
        right = number < 3 and room == number and text == 0 and first
        wrong += number < 5 and not right
    if every:
        senders = {number for number, _, _ in deliveries}
        wrong += sum(number < 3 and number not in senders for number in done)
    result = story.check("delivered_to", {"of": "send", "complete": every})
    seen = any(number < 5 for number, _, _ in deliveries)
    assert (result.measured or 0) == wrong
    passed = Verdict.PASS if seen else Verdict.VACUOUS
    assert result.verdict is (Verdict.FAIL if wrong else passed)
