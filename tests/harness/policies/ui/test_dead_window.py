"""DeadWindow: open until the last of its ends, never shortened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.ui.dead_window import DeadWindow

pytestmark = pytest.mark.spec("UI-Q8")

MARKS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 50)), max_size=20)


def test_is_closed_at_first() -> None:
    assert DeadWindow().left(0) == 0


def test_its_end_is_not_in_it() -> None:
    window = DeadWindow()
    window.open(10, 5)
    assert [window.left(now) for now in (10, 14, 15, 16)] == [5, 1, 0, 0]


def test_a_window_of_no_length_is_closed() -> None:
    window = DeadWindow()
    window.open(10, 0)
    assert window.left(10) == 0


@given(MARKS)
def test_a_mark_never_shortens_it(marks: list[tuple[int, int]]) -> None:
    window = DeadWindow()
    now, end = 0, 0
    for step, duration in marks:
        now += step
        before = window.left(now)
        window.open(now, duration)
        end = max(end, now + duration)
        assert window.left(now) == max(before, duration) == max(0, end - now)


@given(MARKS, st.integers(0, 100))
def test_closing_closes_whatever_was_opened(marks: list[tuple[int, int]], later: int) -> None:
    window = DeadWindow()
    for now, duration in marks:
        window.open(now, duration)
    window.close()
    assert window.left(later) == 0
    window.open(later, 7)
    assert window.left(later) == 7
