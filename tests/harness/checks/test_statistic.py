"""Statistics: one figure out of many."""

from __future__ import annotations

import statistics as known
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.statistic import ONLY_GROW, STATISTICS, nearest_rank
from windtunnel.scenario.cells import Stat

VALUES = st.lists(st.integers(0, 50), min_size=1, max_size=40)


def test_every_statistic_of_the_format_is_there() -> None:
    assert set(STATISTICS) == set(get_args(Stat))


@pytest.mark.parametrize(
    ("percent", "value"), [(1, 15), (5, 15), (30, 20), (40, 20), (41, 35), (50, 35), (100, 50)]
)
def test_the_nearest_rank_by_the_textbook(percent: int, value: int) -> None:
    assert nearest_rank([50, 15, 40, 20, 35], percent) == value


@given(VALUES, st.sampled_from([50, 90, 95, 99]))
def test_a_quantile_is_the_smallest_value_that_enough_do_not_exceed(
    values: list[int], percent: int
) -> None:
    enough = [v for v in values if sum(x <= v for x in values) * 100 >= percent * len(values)]
    assert STATISTICS[f"p{percent}"](values) == min(enough)


@given(VALUES)
def test_the_plain_ones(values: list[int]) -> None:
    expected = (min(values), max(values), sum(values), len(values), known.fmean(values))
    found = tuple(STATISTICS[name](values) for name in ("min", "max", "sum", "count", "mean"))
    assert found == pytest.approx(expected)


@given(VALUES, st.integers(0, 50), st.sampled_from(sorted(STATISTICS)))
def test_a_further_sample_never_makes_these_smaller(
    values: list[int], another: int, name: str
) -> None:
    if name in ONLY_GROW:
        assert STATISTICS[name]([*values, another]) >= STATISTICS[name](values)


@given(VALUES, st.data())
def test_each_grows_or_stays_where_a_value_grows(values: list[int], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(values) - 1))
    grown = list(values)
    grown[place] += data.draw(st.integers(0, 20))
    for statistic in STATISTICS.values():
        assert statistic(grown) >= statistic(values)


def test_the_quantile_of_nothing_is_an_error() -> None:
    with pytest.raises(IndexError):
        nearest_rank([], 50)
