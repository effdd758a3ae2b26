"""The views of a side: as the world, the dispatcher and the backend have it."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.checks.views import periods
from windtunnel.units import MS

Story = Any  # the class in conftest.py, which cannot be imported
Found = list[tuple[str, int, int | None]]

pytestmark = pytest.mark.spec("RT-C2")


def seen(story: Story, view: Any, side: Any = "internal") -> Found:
    """Return of each period whose it is, and its begin and end in ms."""
    return [
        (pair.start.op, pair.start.time // MS, pair.end and pair.end.time // MS)
        for pair in periods(story.trace, view, side)
    ]


def test_the_world_sees_what_is_worked_on(story: Story) -> None:
    story.work("a").work("b", "external", "external").at(3).work("c", "inst-1").at(5)
    story.worked("a", outcome="aborted").worked("b", "external", "external").at(6).work("a")
    assert seen(story, "world") == [("a", 0, 5), ("c", 3, None), ("a", 6, None)]
    assert seen(story, "world", "external") == [("b", 0, 5)]


def test_the_dispatcher_sees_what_is_assigned(story: Story) -> None:
    story.assign("a").assign("b", "inst-1").at(2).release("a").at(4).assign("a", "inst-1")
    assert seen(story, "dispatcher") == [("a", 0, 2), ("b", 0, None), ("a", 4, None)]
    assert seen(story, "dispatcher", "external") == []


def test_a_task_assigned_twice_counts_twice_but_not_at_one_instance(story: Story) -> None:
    story.assign("a").assign("a", "inst-1").assign("a").at(2).release("a").at(3)
    story.move("a", "processing", "completed", "dispatcher")
    assert seen(story, "dispatcher") == [("a", 0, 2), ("a", 0, 3)]


def test_a_dispatcher_that_crashed_before_it_told_has_released_the_task(story: Story) -> None:
    story.assign("a").at(2).move("a", "processing", "pending", "dispatcher").at(3).release("a")
    story.move("a", "pending", "processing", "dispatcher").assign("a").at(4)
    story.move("a", "processing", "done", "backend")
    assert seen(story, "dispatcher") == [("a", 0, 2), ("a", 3, None)]


def test_the_backend_sees_what_was_sent_and_is_open(story: Story) -> None:
    story.submit("a", "b", "c", class_="task").sent("a").sent("b", "external").sent("c").at(2)
    story.settle("a").at(3).move("c", "inside", "waiting").at(4).settle("b").sent("c", "external")
    assert seen(story, "backend") == [("a", 0, 2), ("c", 0, 3)]
    assert seen(story, "backend", "external") == [("b", 0, 4), ("c", 4, None)]


def test_a_move_that_is_none_out_of_the_side_leaves_it_there(story: Story) -> None:
    story.submit("a", class_="task").sent("a").at(1).move("a", "sending", "inside").at(2)
    story.move("a", "outside", "waiting").move("a", "inside", "", "dispatcher").at(3).sent("a")
    story.move("a", "inside", "inside")
    assert seen(story, "backend") == [("a", 0, None)]


def test_an_answer_later_than_the_result_opens_nothing(story: Story) -> None:
    story.submit("a", class_="task").settle("a").at(1).sent("a")
    assert seen(story, "backend") == []
