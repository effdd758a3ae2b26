"""Instants: seconds and whole nanoseconds."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.units import SECOND, SHORT_S
from windtunnel_models.loop.instants import LONGEST_NS, delay_ns, to_ns

# A float of seconds still holds every nanosecond apart up to here.
INJECTIVE_NS = 2**23 * SECOND


@given(st.integers(0, INJECTIVE_NS))
def test_time_goes_to_seconds_and_back_without_loss(ns: int) -> None:
    assert to_ns(ns / SECOND) == ns


@given(st.floats(SHORT_S, LONGEST_NS / SECOND / 2))
def test_a_long_delay_is_rounded_exactly_half_to_even(seconds: float) -> None:
    assert to_ns(seconds) == round(Fraction(seconds) * SECOND)


@given(st.floats(-SHORT_S, SHORT_S, exclude_min=True, exclude_max=True))
def test_a_short_delay_is_the_rounded_float(seconds: float) -> None:
    result = to_ns(seconds)
    assert type(result) is int
    assert result == round(seconds * 1e9)


def test_three_tenths_are_three_times_one_tenth() -> None:
    assert to_ns(0.1) * 3 == to_ns(0.3) == to_ns(0.1 + 0.1 + 0.1)


@pytest.mark.parametrize(("seconds", "ns"), [(0.5e-9, 0), (1.5e-9, 2), (2.5e-9, 2), (3.5e-9, 4)])
def test_half_a_nanosecond_goes_to_the_even_neighbour(seconds: float, ns: int) -> None:
    assert to_ns(seconds) == ns


def test_never_stays_never() -> None:
    assert to_ns(math.inf) == math.inf
    assert to_ns(-math.inf) == -math.inf


@pytest.mark.parametrize(("seconds", "word"), [(math.nan, "NaN"), (1e10, "292 years")])
def test_what_is_no_time_is_refused_with_its_reason(seconds: float, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        to_ns(seconds)


@given(st.floats(0, 1, exclude_min=True))
def test_a_positive_delay_takes_time(seconds: float) -> None:
    assert delay_ns(seconds) == max(1, to_ns(seconds))


def test_no_delay_and_a_past_one_take_none() -> None:
    assert delay_ns(0) == delay_ns(-0.0) == 0
    assert delay_ns(-1) == -SECOND
