"""RateWindow: against a count over every window."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.ui.rate_window import SECOND_NS, RateWindow

pytestmark = pytest.mark.spec("UI-Q6")

# Small steps beside steps of about a span, so that the edge of the window is met often.
STEPS = st.lists(st.one_of(st.integers(0, 3), st.integers(7, 12)), max_size=60)


@given(limit=st.integers(1, 4), steps=STEPS)
def test_admits_what_fits_and_nothing_else(limit: int, steps: list[int]) -> None:
    span = 10
    window = RateWindow(limit, span)
    now, starts = 0, list[int]()
    for step in steps:
        now += step
        # Half-open windows (t, t + span]: all that end now or later hold the last span's starts.
        in_window = sum(now - span < start for start in starts)
        admitted = window.admit(now)
        assert admitted == (in_window < limit)
        if admitted:
            starts.append(now)
    for begin in range(now + 1):
        assert sum(begin <= start < begin + span for start in starts) <= limit


def test_one_span_later_is_a_window_of_its_own() -> None:
    window = RateWindow(1)
    assert window.admit(5)
    assert not window.admit(5 + SECOND_NS - 1)
    assert window.admit(5 + SECOND_NS)


def test_a_refused_start_does_not_count() -> None:
    window = RateWindow(2, 10)
    assert [window.admit(now) for now in (0, 4, 8, 9, 10, 13, 14)] == [
        *(True, True, False, False, True, False, True)
    ]


def test_memory_is_bounded_by_the_limit() -> None:
    window = RateWindow(3, 10)
    for now in range(1000):
        window.admit(now)
        assert len(window._starts) <= 3


def test_a_start_taken_back_does_not_count() -> None:
    window = RateWindow(1, 10)
    assert window.admit(0)
    window.take_back()
    assert window.admit(5)
    assert not window.admit(14)
