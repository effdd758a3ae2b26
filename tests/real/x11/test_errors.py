"""Errors: which refusal is which, and that each says what was being done."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_real.errors import InputError
from windtunnel_real.x11.errors import WindowGoneError, XRequestError, refusal
from windtunnel_real.x11.xlib import error

OF_A_WINDOW = ("BadWindow", "BadDrawable")


def refused(name: str, resource: object) -> object:
    """Make an error as the library would, which makes them of bytes alone."""
    made = getattr(error, name).__new__(getattr(error, name))
    made._data = {"resource_id": resource, "major_opcode": 8, "minor_opcode": 0}
    return made


@given(
    st.sampled_from(sorted(kind.__name__ for kind in error.xerror_class.values())),
    st.integers(0, 2**32 - 1),
)
def test_every_refusal_is_an_input_error_that_says_what_it_is(name: str, resource: int) -> None:
    found = refusal(refused(name, resource), "raise it")
    assert isinstance(found, InputError)
    assert isinstance(found, WindowGoneError) == (name in OF_A_WINDOW)
    assert (found.code, found.resource) == (name, resource)
    assert str(found).startswith("raise it: ")
    assert f"{resource:#x}" in str(found)


def test_a_resource_may_come_as_an_object() -> None:
    found = refusal(refused("BadWindow", SimpleNamespace(id=7)), "x")
    assert found.resource == 7


def test_a_missing_window_can_be_told_from_what_else_is_refused() -> None:
    with pytest.raises(XRequestError) as caught:
        raise refusal(refused("BadMatch", 1), "focus it")
    assert not isinstance(caught.value, WindowGoneError)
