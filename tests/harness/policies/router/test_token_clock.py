"""TokenClock: validity, the next refresh, retries, and failures within an hour."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.token_clock import LIFETIME, RETRY_AFTER, TokenClock
from windtunnel.units import HOUR, MINUTE, SECOND

MINUTES = st.integers(0, 70).map(MINUTE.__mul__)


@pytest.fixture
def clock() -> TokenClock:
    """Give a clock with a token of 24 h that was obtained at 0."""
    clock = TokenClock()
    clock.obtained(0)
    return clock


@pytest.mark.spec("RT-J1")
def test_at_the_start_a_log_in_is_due() -> None:
    clock = TokenClock()
    assert clock.due(5)
    assert clock.next_at(5) == 5
    assert not clock.valid(5)


@pytest.mark.spec("RT-J1")
def test_a_token_lives_a_day_and_is_refreshed_after_twenty_hours(clock: TokenClock) -> None:
    assert clock.valid(24 * HOUR - 1)
    assert not clock.valid(24 * HOUR)
    assert not clock.due(20 * HOUR - 1)
    assert clock.due(20 * HOUR)
    assert clock.next_at(3) == 20 * HOUR
    assert clock.next_at(21 * HOUR) == 21 * HOUR


@pytest.mark.spec("RT-J1", "F-R15")
@pytest.mark.parametrize(
    ("lifetime", "after"),
    [
        (48 * HOUR, 20 * HOUR),
        (12 * HOUR, 8 * HOUR),
        (8 * HOUR, 4 * HOUR),
        (5 * HOUR, 150 * MINUTE),
        (4 * HOUR, 2 * HOUR),
        (MINUTE, 30 * SECOND),
        (1, SECOND),
    ],
)
def test_the_lifetime_is_the_servers(lifetime: int, after: int) -> None:
    clock = TokenClock()
    clock.obtained(7, lifetime)
    assert clock.next_at(7) == 7 + after
    assert clock.valid(6 + lifetime)
    assert not clock.valid(7 + lifetime)


@pytest.mark.spec("F-R15")
@given(st.integers(2 * SECOND, 100 * HOUR), st.integers(0, LIFETIME))
def test_a_token_is_refreshed_while_it_is_valid(lifetime: int, now: int) -> None:
    clock = TokenClock()
    clock.obtained(now, lifetime)
    due = clock.next_at(now)
    assert now < due <= now + 20 * HOUR
    assert clock.valid(due)
    assert not clock.due(due - 1)
    left = now + lifetime - due
    assert left >= min(4 * HOUR, lifetime // 2)


@pytest.mark.parametrize("lifetime", [0, -HOUR])
def test_a_token_without_a_life_is_an_error(lifetime: int, clock: TokenClock) -> None:
    with pytest.raises(ValueError, match="a token lives longer than"):
        clock.obtained(HOUR, lifetime)
    assert clock.next_at(HOUR) == 20 * HOUR


@pytest.mark.spec("RT-J2", "F-R15")
def test_a_failed_refresh_keeps_the_token_and_is_tried_again(clock: TokenClock) -> None:
    clock.failed(20 * HOUR)
    assert clock.valid(20 * HOUR)
    assert not clock.due(20 * HOUR + RETRY_AFTER - 1)
    assert clock.due(20 * HOUR + RETRY_AFTER)
    assert clock.next_at(20 * HOUR) == 20 * HOUR + MINUTE
    clock.obtained(20 * HOUR + RETRY_AFTER)
    assert clock.next_at(21 * HOUR) == 40 * HOUR + MINUTE
    assert clock.valid(44 * HOUR)


@pytest.mark.spec("RT-J2", "F-R15")
def test_a_failed_log_in_is_tried_again() -> None:
    clock = TokenClock()
    clock.failed(0)
    assert not clock.due(RETRY_AFTER - 1)
    assert clock.due(RETRY_AFTER)
    assert not clock.valid(RETRY_AFTER)


@pytest.mark.spec("RT-J2")
def test_over_three_failures_in_an_hour_are_too_many(clock: TokenClock) -> None:
    for minute in (0, 20, 40):
        clock.failed(minute * MINUTE)
        assert not clock.too_many_failures(minute * MINUTE)
    clock.failed(HOUR - 1)
    assert clock.too_many_failures(HOUR - 1)
    assert not clock.too_many_failures(HOUR), "the first of them is an hour old"
    assert clock.failures_last_hour(HOUR) == 3
    clock.obtained(HOUR)
    assert clock.failures_last_hour(HOUR) == 3, "a success undoes none"


@pytest.mark.spec("RT-J2", "RT-P2")
@given(st.lists(MINUTES, max_size=40), MINUTES)
def test_failures_are_counted_by_the_hour(steps: list[int], later: int) -> None:
    clock = TokenClock()
    now = 0
    moments = []
    for step in steps:
        now += step
        clock.failed(now)
        moments.append(now)
        assert len(clock._failures) == clock.failures_last_hour(now)
    now += later
    expected = len([moment for moment in moments if now - moment < HOUR])
    assert clock.failures_last_hour(now) == expected
    assert clock.too_many_failures(now) == (expected >= 4)
