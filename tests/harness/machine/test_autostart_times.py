"""The times of an autostart: back after the drawn time, never before its end, held by a fault."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.machine.autostart_times import AutostartTimes, Hold
from windtunnel.spans import Span

times = st.integers(0, 10**12)


def of(low: int, high: int, start_up: int = 0, seed: int = 0) -> AutostartTimes:
    return AutostartTimes(Span.model_construct(min=low, max=high), start_up, Random(seed))


@given(times, times, times, times, times)
def test_the_window_is_back_within_the_span_unless_it_needs_longer(
    one: int, other: int, start_up: int, ended: int, later: int
) -> None:
    low, high = sorted((one, other))
    start = of(low, high, start_up)
    start.ended(ended)
    left = start.left(ended)
    assert left is not None
    assert left >= 0
    assert max(low, start_up) <= left + start_up <= max(high, start_up)
    assert start.left(ended + later) == max(0, left - later)


@given(times, st.integers(1, 10**12), st.lists(times, min_size=2, max_size=9))
def test_each_end_draws_anew_and_a_constant_draws_nothing(
    low: int, more: int, ends: list[int]
) -> None:
    stream, same = Random(3), Random(3)
    drawn = AutostartTimes(Span.model_construct(min=low, max=low + more), 0, stream)
    found = []
    for end in ends:
        drawn.ended(end)
        found.append(drawn.left(end))
    assert found == [Span.model_construct(min=low, max=low + more).draw(same) for _ in ends]
    constant = AutostartTimes(Span.model_construct(min=low, max=low), 0, stream)
    constant.ended(0)
    assert stream.getstate() == same.getstate()


def test_nothing_is_left_to_wait_for_before_an_end_nor_after_a_start() -> None:
    start = of(5, 5)
    assert start.left(0) is None
    start.ended(10)
    assert start.left(11) == 4
    start.started()
    assert start.left(11) is None


def test_without_a_span_nothing_comes_back() -> None:
    start = AutostartTimes(None, 3, Random(0))
    start.ended(10)
    assert start.left(10) is None


@pytest.mark.parametrize(
    ("delay", "start_up", "left"), [(20, 4, 16), (None, 4, None), (1, 4, 0), (20, 0, 20)]
)
def test_a_hold_says_when_in_the_place_of_the_draw(
    delay: int | None, start_up: int, left: int | None
) -> None:
    start = of(7, 7, start_up)
    start.hold(Hold(delay, lambda: None))
    start.ended(100)
    assert start.left(100) == left
    start.hold(None)
    assert start.left(101) == max(0, 7 - start_up) - 1


@pytest.mark.parametrize("waiting", [True, False])
def test_it_is_felt_where_something_waits(waiting: bool) -> None:
    felt: list[str] = []
    start = of(7, 7)
    if waiting:
        start.ended(0)
    hold = Hold(9, lambda: felt.append("felt"))
    assert start.hold(hold) is waiting
    assert start.held is hold
    assert len(felt) == waiting
    start.started()
    start.ended(5)
    assert len(felt) == waiting + 1
    assert start.hold(None)
    assert [start.held] == [None]
    assert len(felt) == waiting + 1
