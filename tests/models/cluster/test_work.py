"""Work: how long it takes at what pace, how it ends, and that it ends once."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet_kit import Yard, body
from windtunnel.units import MAX_NS, MS, SECOND
from windtunnel_models.cluster.conditions import Sabotage, Slowness
from windtunnel_models.cluster.work import DEFAULT_WORK, Work, op_of, wrong_work

EVERYWHERE = frozenset({"inst-0", "external"})


def nobody(_op: str) -> None:
    """Feel nothing."""


def begin(yard: Yard, task: dict[str, Any], said: list[Any], place: str = "inst-0") -> Work:
    return Work(yard.shop, "internal", place, task, said.append)


@pytest.mark.parametrize("seconds", [0, 1, 2.5])
def test_takes_as_long_as_the_task_says(seconds: float) -> None:
    yard = Yard()
    said: list[Any] = []
    begin(yard, body("t", seconds), said)
    yard.pass_time(3 * SECOND)
    assert said == [None]
    assert yard.told() == [
        (0, "work.started", "t", "inst-0"),
        (seconds, "work.ended", "t", "inst-0", "done"),
    ]
    assert [event.details["side"] for event in yard.trace] == ["internal", "internal"]


def test_takes_a_second_where_the_task_does_not_say() -> None:
    yard = Yard()
    said: list[Any] = []
    begin(yard, {"client_task_id": "t"}, said)
    yard.pass_time(DEFAULT_WORK - 1)
    assert said == []
    yard.pass_time(1)
    assert said == [None]


def test_a_slow_place_takes_longer() -> None:
    yard = Yard({"inst-1": 2.5})
    said: list[Any] = []
    begin(yard, body("t"), said, place="inst-1")
    yard.pass_time(3 * SECOND)
    assert yard.told("work.ended") == [(2.5, "work.ended", "t", "inst-1", "done")]


def test_a_change_of_pace_counts_for_what_is_left() -> None:
    yard = Yard()
    said: list[Any] = []
    work = begin(yard, body("t"), said)
    slowness = Slowness(EVERYWHERE, 3, nobody)
    for now, change in ((400 * MS, "append"), (600 * MS, "remove")):
        yard.pass_time(now)
        getattr(yard.conditions.slownesses, change)(slowness)
        work.repace()
    yard.pass_time(5 * SECOND)
    # 0.4 s of the work, then 0.6 s for 0.2 s of it, then the 0.4 s that are left
    assert yard.told("work.ended") == [(1.4, "work.ended", "t", "inst-0", "done")]


@given(st.lists(st.tuples(st.integers(0, 600 * MS), st.sampled_from([0.25, 0.5, 1, 2, 3, 7]))))
def test_what_is_done_at_each_pace_adds_up(changes: list[tuple[int, float]]) -> None:
    yard = Yard()
    said: list[Any] = []
    work = begin(yard, body("t"), said)
    pace, left, at = Fraction(1), Fraction(SECOND), Fraction(0)
    for wait, by in changes:
        yard.pass_time(wait)
        done = min(left, wait / pace)
        at += done * pace
        left -= done
        pace = Fraction(by)
        yard.conditions.slownesses[:] = [Slowness(EVERYWHERE, by, nobody)]
        work.repace()
    yard.pass_time(10 * SECOND)
    ended = next(yard.trace.of("work.ended"))
    assert said == [None]
    assert abs(ended.time - (at + left * pace)) <= 8 * (len(changes) + 1)  # each change rounds


def test_fails_in_the_end_where_something_makes_it_fail() -> None:
    yard = Yard()
    said: list[Any] = []
    yard.conditions.sabotages.append(Sabotage(EVERYWHERE, "burnt", nobody))
    begin(yard, body("t"), said)
    yard.pass_time(SECOND)
    assert said == ["burnt"]
    assert yard.told("work.ended") == [(1, "work.ended", "t", "inst-0", "failed")]


@pytest.mark.parametrize(("seconds", "after"), [(1, 0), (1, 300 * MS), (0, 0)])
def test_nothing_comes_of_what_is_stopped(seconds: float, after: int) -> None:
    yard = Yard()
    said: list[Any] = []
    work = begin(yard, body("t", seconds), said)
    if after:
        yard.pass_time(after)
    work.stop()
    work.stop()
    work.repace()
    yard.pass_time(5 * SECOND)
    assert said == []
    assert yard.told("work.ended") == [(after / SECOND, "work.ended", "t", "inst-0", "aborted")]


def test_what_is_over_is_neither_stopped_nor_paced() -> None:
    yard = Yard()
    said: list[Any] = []
    work = begin(yard, body("t"), said)
    yard.pass_time(SECOND)
    work.stop()
    work.repace()
    yard.pass_time(SECOND)
    assert (said, len(yard.trace)) == ([None], 2)


@pytest.mark.parametrize(
    ("task", "complaint"),
    [
        ("x", "a task is an object, not str"),
        ({}, "`client_task_id` must be a text"),
        (body("t") | {"work_ns": 1.5}, "a whole number of nanoseconds, .*, not 1.5"),
        (body("t") | {"work_ns": True}, "not True"),
        (body("t") | {"work_ns": -1}, "not -1"),
        (body("t") | {"work_ns": MAX_NS + 1}, "0 to"),
    ],
)
def test_what_cannot_be_worked_on(task: Any, complaint: str) -> None:
    assert re.search(complaint, wrong_work(task) or "")


def test_whose_work_it_is() -> None:
    assert wrong_work(body("t.3")) is None
    assert (op_of(body("t.3")), op_of({})) == ("t.3", "")
