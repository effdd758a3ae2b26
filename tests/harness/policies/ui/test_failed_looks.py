"""FailedLooks: two in a row and no fewer, for all sequences of looks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.ui.failed_looks import FailedLooks


@pytest.mark.spec("UI-W1")
@given(st.lists(st.booleans()), st.integers(1, 4))
def test_acts_when_the_last_looks_all_failed_and_only_then(looks: list[bool], needed: int) -> None:
    policy = FailedLooks(needed)
    for number, alive in enumerate(looks, start=1):
        last = looks[max(0, number - needed) : number]
        expected = len(last) == needed and not any(last)
        assert policy.look(alive=alive) is expected
        assert policy.failed == len(
            "".join("+" if x else "-" for x in looks[:number]).split("+")[-1]
        )


@pytest.mark.spec("UI-W1")
def test_two_unless_told_otherwise_and_acting_begins_anew() -> None:
    policy = FailedLooks()
    assert not policy.look(alive=False)
    assert policy.look(alive=False)
    policy.reset()
    assert not policy.look(alive=False)
    assert policy.failed == 1


def test_it_takes_at_least_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        FailedLooks(0)
