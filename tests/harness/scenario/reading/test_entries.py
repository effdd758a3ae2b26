"""Models of entries: what agrees with what."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from windtunnel.scenario.reading.entries import (
    Burst,
    FaultMoment,
    Poisson,
    ThresholdEntry,
    ThresholdOptions,
    TimelineEntry,
    finite,
)
from windtunnel.units import HOUR, SECOND, UNITS


def refusal(model: type[BaseModel], data: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"at": "0s"}, "either `submit` or `call`"),
        ({"at": "0s", "submit": "a", "call": "b"}, "either `submit` or `call`"),
        ({"submit": "a"}, "either `at` or `after`"),
        ({"at": "0s", "after": "a.settled", "submit": "a"}, "either `at` or `after`"),
        ({"at": "0s", "plus": "0s", "submit": "a"}, "`plus` goes with `after`"),
        ({"at": "0s", "every": "0s", "submit": "a"}, "`every` goes with `repeat`"),
        ({"at": "0s", "submit": "a", "burst": {"size": 1}, "repeat": 2}, "leave out `repeat`"),
        ({"at": "0s", "submit": "a", "burst": {"size": 1}, "every": "1s"}, "leave out `every`"),
        (
            {"at": "0s", "submit": "a", "burst": {"size": 1}, "from_csv": {"file": "x.csv"}},
            "`burst` and `from_csv` exclude each other",
        ),
    ],
)
def test_what_an_entry_must_say(data: dict[str, Any], message: str) -> None:
    assert message in refusal(TimelineEntry, data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"do": "x"}, "a fault says either `at` or `after`"),
        ({"do": "x", "at": "0s", "after": "a.settled"}, "a fault says either `at` or `after`"),
        ({"do": "x", "at": "0s", "plus": "1s"}, "`plus` goes with `after`"),
        ({"do": "x", "at": "0s", "for": "0s"}, "greater than 0"),
    ],
)
def test_what_a_fault_must_say(data: dict[str, Any], message: str) -> None:
    assert message in refusal(FaultMoment, data)


def test_how_long_a_fault_lasts() -> None:
    assert FaultMoment.model_validate({"do": "x", "at": "0s", "for": "1h"}).for_ == HOUR
    assert FaultMoment.model_validate({"do": "x", "at": "0s"}).for_ is None


@given(st.integers(1, 10**6), st.sampled_from(sorted(UNITS)))
def test_a_rate_is_a_mean_gap(number: int, unit: str) -> None:
    found = Poisson.model_validate({"rate": f"{number}/{unit}", "count": 1})
    assert found.rate * number == pytest.approx(UNITS[unit])


@pytest.mark.parametrize(
    "rate", ["2", "2s", "/s", "2/", "2/x", "-2/s", "1e3/s", 2, None, "2/s/s", "0/s", "0.0/min"]
)
def test_what_is_no_rate(rate: Any) -> None:
    refusal(Poisson, {"rate": rate, "count": 1})


def test_how_poisson_arrivals_end() -> None:
    assert "either `count` or `until`" in refusal(Poisson, {"rate": "1/s"})
    assert Poisson.model_validate({"rate": "1/s", "until": "2s"}).until == 2 * SECOND


def test_bursts() -> None:
    assert Burst.model_validate({"size": 3}).count == 1
    assert "`every` is required" in refusal(Burst, {"size": 3, "count": 2})
    assert "200,000 operations" in refusal(Burst, {"size": 100_000, "count": 2, "every": "1s"})


def test_thresholds() -> None:
    found = ThresholdEntry.model_validate({"metric": "wait", "of": "a", "stat": "max"})
    assert (found.of, found.min_samples) == (["a"], 1)
    refusal(ThresholdEntry, {"metric": "wait", "stat": "max", "min_samples": 0})
    refusal(ThresholdEntry, {"metric": "wait", "stat": "p42"})
    assert ThresholdOptions.model_validate({"world": "sim", "when": {"a": 1}}).when == {"a": [1]}


def test_what_is_a_number() -> None:
    assert all(map(finite, (0, 1.5, -3)))
    assert not any(map(finite, (True, "1", None, float("nan"), float("inf"))))
