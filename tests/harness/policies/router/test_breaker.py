"""Breaker: its states and turns, probes, and late results."""

from __future__ import annotations

import pytest

from windtunnel.policies.router.breaker import RESET_AFTER, Breaker
from windtunnel.policies.router.router_options import LISTED, RouterOptions
from windtunnel.units import SECOND

pytestmark = pytest.mark.spec("RT-X1")


def ticket(breaker: Breaker, now: int) -> int:
    given = breaker.allow(now)
    assert given is not None
    return given


def fail(breaker: Breaker, times: int, now: int = 0) -> None:
    for _ in range(times):
        breaker.failure(ticket(breaker, now), now)


@pytest.fixture
def breaker() -> Breaker:
    """Give a breaker as specified, closed."""
    return Breaker(RouterOptions())


@pytest.fixture
def tripped(breaker: Breaker) -> Breaker:
    """Give one that opened at 0."""
    fail(breaker, 5)
    return breaker


def test_five_failures_running_open_it(breaker: Breaker) -> None:
    fail(breaker, 4)
    assert breaker.state(0) == "closed"
    assert breaker.closed(0)
    fail(breaker, 1)
    assert breaker.state(0) == "open"
    assert not breaker.closed(0)
    assert breaker.allow(0) is None


@pytest.mark.spec("F-R14")
def test_a_success_between_begins_the_count_anew(breaker: Breaker) -> None:
    fail(breaker, 4)
    breaker.success(ticket(breaker, 0), 0)
    fail(breaker, 4)
    assert breaker.closed(0)


def test_it_is_half_open_after_thirty_seconds(tripped: Breaker) -> None:
    assert RESET_AFTER == 30 * SECOND
    assert tripped.allow(RESET_AFTER - 1) is None
    assert tripped.state(RESET_AFTER - 1) == "open"
    assert tripped.state(RESET_AFTER) == "half_open"
    assert not tripped.closed(RESET_AFTER)


@pytest.mark.spec("F-R14")
def test_of_fifty_callers_one_probes(tripped: Breaker) -> None:
    assert sum(tripped.allow(RESET_AFTER) is not None for _ in range(50)) == 1


def test_a_probe_that_succeeds_closes_it(tripped: Breaker) -> None:
    tripped.success(ticket(tripped, RESET_AFTER), RESET_AFTER)
    assert tripped.closed(RESET_AFTER)
    fail(tripped, 4, RESET_AFTER)
    assert tripped.closed(RESET_AFTER), "the failures before do not count any more"


def test_a_probe_that_fails_opens_it_for_another_thirty_seconds(tripped: Breaker) -> None:
    later = RESET_AFTER + 5
    tripped.failure(ticket(tripped, RESET_AFTER), later)
    assert tripped.allow(later + RESET_AFTER - 1) is None
    assert tripped.allow(later + RESET_AFTER) is not None
    assert tripped.allow(later + RESET_AFTER) is None


def test_a_probe_without_a_result_makes_room_for_another(tripped: Breaker) -> None:
    probe = ticket(tripped, RESET_AFTER)
    assert tripped.allow(RESET_AFTER) is None
    tripped.forget(probe)
    assert tripped.state(RESET_AFTER) == "half_open"
    assert tripped.allow(RESET_AFTER) is not None


def test_forgetting_an_old_call_makes_no_room(breaker: Breaker) -> None:
    old = ticket(breaker, 0)
    fail(breaker, 5)
    assert breaker.allow(RESET_AFTER) is not None
    breaker.forget(old)
    assert breaker.allow(RESET_AFTER) is None


@pytest.mark.spec("F-R14")
def test_results_of_calls_before_the_last_turn_are_ignored(breaker: Breaker) -> None:
    slow, slower = ticket(breaker, 0), ticket(breaker, 0)
    fail(breaker, 5)
    breaker.success(slow, 1)
    assert breaker.state(1) == "open"
    probe = ticket(breaker, RESET_AFTER)
    breaker.failure(slower, RESET_AFTER)
    assert breaker.state(RESET_AFTER) == "half_open"
    assert breaker.allow(RESET_AFTER) is None, "and the probe is still under way"
    breaker.success(probe, RESET_AFTER)
    breaker.failure(probe, RESET_AFTER)
    assert breaker.closed(RESET_AFTER)


@pytest.mark.spec("F-R14")
def test_as_listed_half_open_lets_all_through_and_a_late_success_closes_it() -> None:
    breaker = Breaker(RouterOptions(**LISTED))
    slow = ticket(breaker, 0)
    fail(breaker, 5)
    assert all(breaker.allow(RESET_AFTER) is not None for _ in range(50))
    breaker.success(slow, RESET_AFTER)
    assert breaker.closed(RESET_AFTER)


@pytest.mark.spec("F-R14")
def test_as_listed_a_late_failure_begins_the_wait_anew() -> None:
    breaker = Breaker(RouterOptions(late_results="counted"))
    slow = ticket(breaker, 0)
    fail(breaker, 5)
    breaker.failure(slow, 10)
    assert breaker.allow(RESET_AFTER) is None
    assert breaker.allow(RESET_AFTER + 10) is not None


def test_its_figures_are_settings() -> None:
    breaker = Breaker(RouterOptions(), failures=1, reset_after=7)
    fail(breaker, 1, 3)
    assert [breaker.state(now) for now in (9, 10)] == ["open", "half_open"]
    with pytest.raises(ValueError, match="at least 1, not 0"):
        Breaker(RouterOptions(), failures=0)
