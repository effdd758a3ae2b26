"""Begins and ends brought together, and the edges of what lies between."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.pairing import BEGINS, CHANGES, ENDS, NOBODY, PASSES, Pair, edges, pairs
from windtunnel.trace import Event
from windtunnel.units import MS

Story = Any  # the class in conftest.py, which cannot be imported
KINDS = ("work.started", "work.ended")


def paired(story: Story) -> list[tuple[str, int, int | None]]:
    found = pairs(story.trace.of(*KINDS), KINDS[0], lambda event: (event.op, event.resource))
    return [(p.start.resource, p.start.time // MS, p.end and p.end.time // MS) for p in found]


def test_an_end_belongs_to_the_first_begin_of_its_key(story: Story) -> None:
    story.work("a").at(1).work("a").work("a", "inst-1").at(2).worked("a", "inst-1")
    story.worked("b").at(3).worked("a")
    assert paired(story) == [("inst-1", 1, 2), ("inst-0", 0, 3), ("inst-0", 1, None)]


def test_at_one_instant_ends_come_first_and_begins_last() -> None:
    def event(ms: int) -> Event:
        return Event(ms, 0, "work.started")

    periods = [
        Pair(event(5), event(7)), Pair(event(1), event(5)), Pair(event(5), event(5)),
        Pair(event(5), None),
    ]  # fmt: skip
    assert list(edges(periods, change_at=5)) == [
        (1, BEGINS), (1, ENDS), (NOBODY, CHANGES), (2, PASSES), (0, BEGINS), (3, BEGINS),
        (0, ENDS), (3, ENDS),
    ]  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=30))
def test_each_begin_is_paired_once_and_no_end_twice(
    new_story: type[Story], steps: list[tuple[int, bool]]
) -> None:
    story = new_story()
    for at, (number, begins) in enumerate(steps):
        story.at(at)
        (story.work if begins else story.worked)(f"t.{number}")
    found = list(pairs(story.trace.of(*KINDS), KINDS[0], lambda event: event.op))
    begun = [event for event in story.trace if event.kind == KINDS[0]]
    assert sorted(pair.start for pair in found) == begun
    ends = [pair.end.seq for pair in found if pair.end]
    assert len(set(ends)) == len(ends)
    assert all(p.end.op == p.start.op and p.start.seq < p.end.seq for p in found if p.end)
