"""The row of the table of kinds."""

from __future__ import annotations

import dataclasses

import pytest

from windtunnel.kinds.kind import Kind


def test_a_row_has_neither_fields_nor_details_unless_it_says_so() -> None:
    row = Kind("something happened", "system")
    assert row.fields == ()
    assert not row.details


def test_a_row_is_fixed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Kind("something happened", "system").summary = ""  # type: ignore[misc]
