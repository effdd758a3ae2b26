"""The port `Store`: the changes and conditions of a commit."""

from __future__ import annotations

import pytest

from windtunnel.ports.store import Change, Condition, Drop, Has, Lacks, Put, Trim


def test_an_entry_comes_last_and_stays_unless_it_is_said() -> None:
    put = Put("pending", "t.1", "{}")
    assert not put.head
    assert put.expires_s is None


@pytest.mark.parametrize(
    "value", [Put("a", "b", "c"), Drop("a", "b"), Trim("a", 3), Has("a", "b"), Lacks("a", "b")]
)
def test_what_is_to_be_done_cannot_be_changed(value: Change | Condition) -> None:
    with pytest.raises(AttributeError):
        value.key = "other"  # type: ignore[misc]
