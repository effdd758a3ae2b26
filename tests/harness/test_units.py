"""Durations: parsed exactly, printed shortest, converted without loss."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import units
from windtunnel.errors import UnitError
from windtunnel.units import MAX_NS, UNITS, format_duration, parse_duration

DURATIONS = st.integers(0, MAX_NS)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("0s", 0),
        ("1ns", 1),
        ("5us", 5_000),
        ("5µs", 5_000),
        ("800ms", 800_000_000),
        ("1.5s", 1_500_000_000),
        ("0.000000001s", 1),
        ("2min", 120_000_000_000),
        ("2m", 120_000_000_000),
        ("1h", 3_600_000_000_000),
        ("1d", 86_400_000_000_000),
        (" 3 s ", 3_000_000_000),
        ("2499999999ns", 2_499_999_999),
    ],
)
def test_parsing(text: str, ns: int) -> None:
    assert parse_duration(text) == ns


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *(
            (text, "is not a duration")
            for text in ("", "5", "s", "5 parsecs", "-1s", "1e3s", "\N{ARABIC-INDIC DIGIT ONE}s")
        ),
        *((text, "is not a duration") for text in ("1,5s", ".5s", "5.s", "1 s 2", "nan s", "5S")),
        ("98d", "longer than 97 days"),
        ("99999999999999999h", "longer than 97 days"),
        ("0.5ns", "a fraction of a nanosecond"),
        ("1.0000000001s", "a fraction of a nanosecond"),
    ],
)
def test_what_is_no_duration(text: str, why: str) -> None:
    with pytest.raises(UnitError, match=why):
        parse_duration(text)


def test_the_hint_lists_the_units() -> None:
    with pytest.raises(UnitError, match=r"such as 800ms, 1\.5s or 2min") as refused:
        parse_duration("5")
    assert all(unit in str(refused.value) for unit in UNITS)


@given(DURATIONS)
def test_what_is_printed_reads_back(ns: int) -> None:
    assert parse_duration(format_duration(ns)) == ns


@given(DURATIONS)
def test_a_negative_one_is_printed_with_its_sign(ns: int) -> None:
    assert format_duration(-ns) == (f"-{format_duration(ns)}" if ns else "0s")


@given(st.integers(0, 10**6), st.sampled_from(sorted(UNITS)))
def test_whole_numbers_of_a_unit_are_exact(number: int, unit: str) -> None:
    ns = number * UNITS[unit]
    if ns <= MAX_NS:
        assert parse_duration(f"{number}{unit}") == ns


@given(st.decimals(0, 1000, places=9))
def test_fractions_are_exact(seconds: Decimal) -> None:
    assert parse_duration(f"{seconds:f}s") == int(seconds * 10**9)


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0s"),
        (1, "1ns"),
        (1_500, "1.5us"),
        (250_000_000, "250ms"),
        (1_500_000_000, "1.5s"),
        (90_000_000_000, "90s"),
        (120_000_000_000, "2min"),
        (3_600_000_000_000, "1h"),
        (100_000_000_000, "100s"),
    ],
)
def test_printing(ns: int, text: str) -> None:
    assert format_duration(ns) == text


@given(DURATIONS)
def test_seconds_and_back(ns: int) -> None:
    assert units.from_seconds(units.to_seconds(ns)) == ns


@given(DURATIONS)
def test_milliseconds_and_back(ns: int) -> None:
    assert units.from_ms(units.to_ms(ns)) == ns


def test_decimal_seconds_that_floats_cannot_hold_are_the_nearest_nanosecond() -> None:
    assert units.from_seconds(0.1 + 0.2) == 300_000_000
    assert units.from_ms(0.1) == 100_000
