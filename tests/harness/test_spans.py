"""A span: two bounds in order, or one constant time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from windtunnel.spans import Drawn, Span
from windtunnel.units import MS

DRAWN: TypeAdapter[int | Span] = TypeAdapter(Drawn)


def test_a_constant_and_two_bounds() -> None:
    assert DRAWN.validate_python("50ms") == 50 * MS
    assert DRAWN.validate_python({"min": "1ms", "max": "2ms"}) == Span(min="1ms", max="2ms")  # type: ignore[arg-type]


@pytest.mark.parametrize("said", [50, "50", {"min": "1ms"}, {"min": "1ms", "max": "2ms", "p": 1}])
def test_what_is_neither_is_refused(said: object) -> None:
    with pytest.raises(ValidationError):
        DRAWN.validate_python(said)


@pytest.mark.parametrize(
    ("said", "message"),
    [("soon", "number with a unit"), ({"min": "2s", "max": "1s"}, "`min` is over `max`: 2s > 1s")],
)
def test_a_mistake_is_told_of_the_form_that_was_meant(said: object, message: str) -> None:
    with pytest.raises(ValidationError, match=message) as refused:
        DRAWN.validate_python(said)
    assert refused.value.error_count() == 1


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_bounds_are_in_order(least: int, most: int) -> None:
    said = {"min": f"{least}ns", "max": f"{most}ns"}
    if least <= most:
        assert Span.model_validate(said).model_dump() == {"min": least, "max": most}
    else:
        with pytest.raises(ValidationError, match="`min` is over `max`"):
            Span.model_validate(said)
