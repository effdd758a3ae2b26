"""The backoff: doubling delays, their bound, and the reset by a success."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.backoff import Backoff, reconnect_delay
from windtunnel.units import SECOND

pytestmark = pytest.mark.spec("RT-W3")

DELAYS = [1, 2, 4, 8, 16, 32, 32, 32, 32]


def test_the_delays() -> None:
    assert [reconnect_delay(attempt) // SECOND for attempt in range(9)] == DELAYS
    assert reconnect_delay(0) == SECOND
    assert reconnect_delay(10**9) == 32 * SECOND


def test_there_is_no_attempt_before_the_first() -> None:
    with pytest.raises(ValueError, match="counted from 0, not -1"):
        reconnect_delay(-1)


@given(st.lists(st.integers(0, 9), max_size=6))
def test_a_success_begins_anew(runs: list[int]) -> None:
    backoff = Backoff()
    for length in runs:
        taken = [backoff.next() // SECOND for _ in range(length)]
        assert taken == DELAYS[:length]
        assert backoff.attempts == length
        backoff.reset()
    assert (backoff.attempts, backoff.next()) == (0, SECOND)
