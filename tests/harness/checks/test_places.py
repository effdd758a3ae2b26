"""The places of tasks: which moves are right, and what is said of the others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.places import PARTIES, Clash, Ledger

Story = Any  # the class in conftest.py, which cannot be imported
Way = tuple[str, str]

pytestmark = pytest.mark.spec("RT-R3", "F-R9")


def entered(story: Story, ways: list[Way], host: str = "backend") -> tuple[Ledger, list[str]]:
    """Move one task these ways; return the ledger and what was said of each move."""
    for source, goal in ways:
        story.at(story.now + 1).move("t", source, goal, host)
    ledger = Ledger(PARTIES[host])
    said = [ledger.enter(event) for event in story.trace.of("task.moved")]
    return ledger, [clash.told if clash else "" for clash in said]


RIGHT: list[tuple[str, list[Way]]] = [
    ("backend", [("", "waiting"), ("waiting", "sending"), ("sending", "outside")]),
    ("backend", [("", "inside"), ("", "inside"), ("inside", "done")]),
    ("backend", [("", "waiting"), ("waiting", "sending"), ("sending", "waiting")]),
    ("backend", [("", "failed"), ("failed", "")]),
    ("backend", [("", "done"), ("", "done"), ("done", "")]),
    ("dispatcher", [("", "pending"), ("pending", "processing"), ("processing", "pending")]),
    ("dispatcher", [("", "pending"), ("pending", "offered"), ("offered", ""), ("", "pending")]),
    ("dispatcher", [("", "pending"), ("pending", "completed"), ("completed", "")]),
    ("dispatcher", [("", "webhooks"), ("webhooks", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("host", "ways"), RIGHT)
def test_right_moves(story: Story, host: str, ways: list[Way]) -> None:
    ledger, said = entered(story, ways, host)
    assert said == [""] * len(ways)
    assert sum(ledger.counts.values()) == (ways[-1][1] in ledger.counts)


DONE = "after it was done at 1ms"


@pytest.mark.parametrize(
    ("host", "ways", "told"),
    [
        ("backend", [("", "inside"), ("inside", "")], "t left inside for nowhere"),
        ("backend", [("", "sending"), ("", "inside")], "t is in sending and inside"),
        ("backend", [("", "waiting"), ("inside", "done")], "t left inside and was in waiting"),
        ("backend", [("inside", "done")], "t left inside and was nowhere"),
        ("backend", [("", "done"), ("done", "failed")], f"t came to failed {DONE}"),
        (
            "backend", [("", "done"), ("done", ""), ("", "waiting")],
            f"t came to waiting {DONE}",
        ),
        ("dispatcher", [("", "pending"), ("pending", "")], "t left pending for nowhere"),
        ("dispatcher", [("", "processing"), ("processing", "")], "t left processing for nowhere"),
        ("dispatcher", [("", "pending"), ("", "processing")], "t is in pending and processing"),
        (
            "dispatcher", [("", "completed"), ("completed", "pending")],
            "t came to pending after it was completed at 1ms",
        ),
    ],
)  # fmt: skip
def test_wrong_moves(story: Story, host: str, ways: list[Way], told: str) -> None:
    _, said = entered(story, ways, host)
    assert said == [*[""] * (len(ways) - 1), told]


def test_the_moves_that_clash_are_witness(story: Story) -> None:
    story.move("t", "", "inside").move("u", "", "inside").move("t", "inside", "")
    ledger = Ledger(PARTIES["backend"])
    assert [ledger.enter(move) for move in story.trace] == [
        None, None, Clash("t left inside for nowhere", (2, 0)),
    ]  # fmt: skip
    assert ledger.sums() == "1 inside"


PLACES = ["", "waiting", "inside", "done"]


@given(st.lists(st.tuples(*[st.sampled_from(PLACES)] * 2), max_size=8))
def test_it_agrees_with_the_rule_restated(new_story: type[Story], ways: list[Way]) -> None:
    """One place at a time, left from where it is; nothing but done leaves, and done for good."""
    place, first, over = "", -1, False
    for number, (source, goal) in enumerate(ways):
        if source == goal or (not source and goal == place):
            continue
        lost = not goal and source != "done"
        if source != place or (over and goal) or lost:
            first = number
            break
        place, over = goal, over or goal == "done"
    ledger, said = entered(new_story(), ways)
    clashes = [number for number, told in enumerate(said) if told]
    assert (clashes or [-1])[0] == first
    if first < 0:
        assert sum(ledger.counts.values()) == bool(place)
