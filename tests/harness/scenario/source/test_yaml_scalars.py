"""Plain scalars: YAML 1.2's core schema, to the letter."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.source.yaml_scalars import MAX_DIGITS, Scalar, resolve, written


@pytest.mark.parametrize(
    "text",
    [
        *("no", "yes", "on", "off", "No", "y", "1:30", "1:30:00", "2024-01-01", "1_000", "0b11"),
        *("0o8", "0xg", "1.2.3", ".", "+", "-", "e3", "1e", "-0x1F", "tRue", "NaN", "inf", "<<"),
        *("=", "1 2", "١٢", "0O17", "+.nan", "..inf"),
    ],
)
def test_what_looks_like_a_text_is_one(text: str) -> None:
    assert resolve(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("010", 10), ("-7", -7), ("+7", 7), ("0o17", 15), ("0x1F", 31), ("0", 0), ("-0", 0)),
        *(("1.5", 1.5), (".5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("-1.5E-2", -0.015)),
        *((".inf", math.inf), ("+.INF", math.inf), ("-.Inf", -math.inf)),
        *(
            ("true", True),
            ("False", False),
            ("TRUE", True),
            ("null", None),
            ("~", None),
            ("", None),
        ),
    ],
)
def test_what_looks_like_a_value_is_one(text: str, value: object) -> None:
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_not_a_number(text: str) -> None:
    value = resolve(text)
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize("text", ["1" * 41, "1." + "0" * 60, "0x" + "f" * 5000, "1e" + "9" * 50])
def test_a_number_nobody_means_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="too long; quote it"):
        resolve(text)


def test_the_longest_number_and_a_long_text_are_read() -> None:
    assert resolve("9" * MAX_DIGITS) == int("9" * MAX_DIGITS)
    assert resolve("9" * 50 + "x") == "9" * 50 + "x"


@given(st.integers(-(10**30), 10**30))
def test_whole_numbers_read_back(number: int) -> None:
    assert resolve(str(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_other_numbers_read_back(number: float) -> None:
    assert resolve(repr(number)) == number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (1, "1"),
        (0, "0"),
        (1.5, "1.5"),
        ("x", "x"),
    ],
)
def test_a_value_is_written_as_in_a_file(value: Scalar, text: str) -> None:
    assert written(value) == text
