"""The observation and its dotted names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.observation import look_up, names, unknown

VALUES = st.recursive(
    st.integers(),
    lambda inner: st.dictionaries(st.sampled_from(["a", "b", "c.d", "e"]), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["a", "b", "c.d"]), VALUES, max_size=3))
def test_every_name_that_is_told_can_be_looked_up(values: dict[str, object]) -> None:
    for name in names(values):
        look_up(values, name)


def test_a_key_with_dots_comes_before_what_lies_inside() -> None:
    values = {"a.b": 1, "a": {"b": 2, "c": {"d": 3}}}
    assert look_up(values, "a.b") == 1
    assert look_up(values, "a.c.d") == 3
    assert look_up({"a.b": {"c.d": 4}}, "a.b.c.d") == 4


@pytest.mark.parametrize("name", ["", ".", "a.", ".a", "a.x", "x", "a.b.c", "a.b.real"])
def test_what_is_not_there_is_an_error(name: str) -> None:
    with pytest.raises(KeyError):
        look_up({"a": {"b": 1}}, name)


def test_what_is_told_of_an_unknown_name() -> None:
    assert unknown({"pending": 1, "total": 2}, "pendng") == (
        "pendng is not observed; did you mean pending?"
    )
    assert unknown({"pending": 1, "total": 2}, "zzz") == (
        "zzz is not observed; there are pending, total"
    )
