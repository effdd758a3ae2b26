"""The load inside."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.inside_load import KINDS, Load, sides_sent

Story = Any  # the class in conftest.py, which cannot be imported

pytestmark = pytest.mark.spec("RT-S4", "F-R11")


def load(story: Story, so_far: int | None = None) -> Load:
    """Return the load after the whole story, or after so many of its events."""
    found = Load(sides_sent(story.trace))
    for event in list(story.trace)[:so_far]:
        if event.kind in KINDS:
            found.enter(event)
    return found


def taken(story: Story, op: str = "t", side: str = "internal") -> Story:
    goal = "inside" if side == "internal" else "outside"
    return story.move(op, "waiting", "sending").sent(op, side).move(op, "sending", goal)


def refused(story: Story, op: str = "t", side: str = "internal") -> Story:
    return story.record("task.refused", op=op, details={"side": side, "why": "refused"})


def seen(story: Story, instance: str, status: str) -> Story:
    return story.record("instance.known", details={"instance": instance, "status": status})


def accepted(story: Story, op: str = "t") -> Story:
    story.move(op, "", "pending", "dispatcher").assign(op)
    return story.move(op, "pending", "processing", "dispatcher")


def put_back(story: Story, op: str = "t") -> Story:
    story.record("task.requeued", op=op, details={"retries": 0, "why": "lost"})
    return story.move(op, "processing", "pending", "dispatcher")


def restart(story: Story, host: str) -> Story:
    return story.record("host.started", resource=host)


@pytest.mark.parametrize(
    ("tell", "open_"),
    [
        (taken, 1),
        (lambda s: taken(s, side="external"), 0),
        (lambda s: s.move("t", "waiting", "sending"), 0),  # nothing tells where it was to go
        (lambda s: refused(s.move("t", "waiting", "sending")), 0),
        (lambda s: s.move("t", "", "waiting").sent("t"), 1),  # the store was down meanwhile
        (lambda s: taken(taken(s)), 1),
        (lambda s: taken(s).move("t", "inside", "done"), 0),
        (lambda s: taken(s).move("t", "inside", "waiting"), 0),
        (lambda s: taken(s).move("t", "inside", "", "elsewhere"), 1),
        (lambda s: seen(accepted(taken(s)), "inst-0", "busy"), 1),
        (lambda s: seen(accepted(taken(s)), "inst-0", "offline"), 0),
        (lambda s: restart(seen(accepted(taken(s)), "inst-0", "busy"), "dispatcher"), 0),
        (lambda s: restart(seen(accepted(taken(s)), "inst-0", "busy"), "backend"), 1),
        (lambda s: seen(accepted(taken(s)), "inst-0", "online"), 0),
        (lambda s: seen(seen(accepted(taken(s)), "inst-0", "online"), "inst-0", "busy"), 0),
        (lambda s: seen(accepted(taken(s)), "inst-0", "busy").assign("t", "inst-1"), 0),
        (lambda s: accepted(taken(s)).move("t", "processing", "completed", "dispatcher"), 0),
        (lambda s: seen(put_back(accepted(taken(s))), "inst-0", "busy"), 0),
        # The answer to its submission comes after its result.
        (lambda s: accepted(s).move("t", "processing", "completed", "dispatcher").sent("t"), 0),
        # The dispatcher has lost it, and takes it in once more.
        (lambda s: seen(accepted(taken(put_back(accepted(s)))), "inst-0", "busy"), 1),
    ],
)
def test_what_counts_as_open(story: Story, tell: Any, open_: int) -> None:
    assert load(tell(story)).open == open_


@pytest.mark.parametrize(
    ("before", "open_"),
    [
        (lambda s: s.move("t", "waiting", "sending"), 1),
        (lambda s: s.move("t", "sending", "waiting"), 0),
        (lambda s: refused(s, side="external").move("t", "waiting", "sending"), 1),
    ],
)
def test_it_counts_while_it_is_being_sent(story: Story, before: Any, open_: int) -> None:
    so_far = len(before(story).trace)
    refused(story)
    assert load(story, so_far).open == open_


def test_what_was_refused_inside_does_not_count_while_it_is_sent_outside(story: Story) -> None:
    refused(story.move("t", "waiting", "sending")).move("t", "waiting", "sending")
    so_far = len(story.trace)
    assert load(story.sent("t", "external"), so_far).open == 0


def test_a_task_has_the_instance_it_was_given_to_last(story: Story) -> None:
    seen(accepted(taken(story)), "inst-1", "busy").assign("t", "inst-1")
    assert load(seen(story, "inst-0", "online")).open == 1
    assert load(seen(story, "inst-1", "online")).open == 0


def test_online_is_what_either_party_knows(story: Story) -> None:
    assert load(story).online == 0
    story.record("capacity.known", details={"online": 2, "busy": 0, "available": 2})
    assert load(story).online == 2
    for number in range(3):
        seen(story, f"inst-{number}", "online")
    assert load(story).online == 3
    assert load(restart(seen(story, "inst-0", "offline"), "dispatcher")).online == 2
    found = load(story)
    assert found.report is not None
    assert found.report.kind == "capacity.known"


STEPS = st.tuples(st.sampled_from("srxdaqcpio"), st.integers(0, 3), st.integers(0, 1))


@given(st.lists(STEPS, max_size=40))
def test_the_count_is_that_of_what_fits(
    new_story: type[Story], steps: list[tuple[str, int, int]]
) -> None:
    """However it came about: sent, not over, and without an instance or at one that is reached."""
    story = new_story()
    tell = {
        "s": lambda op, _: taken(story, op), "r": lambda op, _: refused(story, op),
        "x": lambda op, _: taken(story, op, "external"),
        "d": lambda op, _: story.move(op, "inside", "done"),
        "a": story.assign, "q": lambda op, _: put_back(story, op),
        "c": lambda op, _: story.move(op, "processing", "completed", "dispatcher"),
        "p": lambda _, at: seen(story, at, "busy"), "i": lambda _, at: seen(story, at, "online"),
        "o": lambda _, at: seen(story, at, "offline"),
    }  # fmt: skip
    for step, task, instance in steps:
        tell[step](f"t.{task}", f"inst-{instance}")
    found = load(story)
    fitting = {
        op
        for op in found._sent - found._over
        if op not in found._at or found._at[op] in found._reached
    }
    assert found._counted == fitting
