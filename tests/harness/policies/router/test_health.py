"""Health: score and triggers, the machine's turns, and the count of failed checks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.health import (
    HEARTBEAT_LIMIT,
    Change,
    FailureCount,
    HealthMachine,
    Reason,
    State,
    score,
    trigger,
)
from windtunnel.policies.router.router_options import LISTED, RouterOptions
from windtunnel.units import SECOND

NOW = 1000 * SECOND
GOOD = State(connected=True, last_heartbeat=NOW, online=4, available=2)
FULL = replace(GOOD, available=0)
CLOSED = replace(GOOD, connected=False)
OPTIONS = RouterOptions()

STATES = st.builds(
    State,
    connected=st.booleans(),
    last_heartbeat=st.none() | st.integers(NOW - 2 * HEARTBEAT_LIMIT, NOW),
    online=st.integers(0, 3),
    available=st.integers(0, 3),
)


@pytest.mark.spec("RT-H1")
@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (GOOD, 1.0),
        (FULL, 0.4),
        (replace(GOOD, online=0, available=0), 0.4),
        (replace(GOOD, online=0), 0.4),
        (CLOSED, 0.6),
        (replace(GOOD, last_heartbeat=None), 0.6),
        (replace(GOOD, last_heartbeat=NOW - HEARTBEAT_LIMIT), 1.0),
        (replace(GOOD, last_heartbeat=NOW - HEARTBEAT_LIMIT - 1), 0.6),
        (State(connected=False, last_heartbeat=None, online=0, available=0), 0.0),
    ],
)
def test_the_score(state: State, expected: float) -> None:
    assert score(state, NOW, OPTIONS) == expected


@pytest.mark.spec("RT-H2")
@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (GOOD, None),
        (replace(GOOD, last_heartbeat=NOW - HEARTBEAT_LIMIT), None),
        (State(connected=False, last_heartbeat=None, online=0, available=0), "channel_closed"),
        (State(connected=True, last_heartbeat=None, online=0, available=0), "no_heartbeat"),
        (replace(FULL, last_heartbeat=NOW - HEARTBEAT_LIMIT - 1), "no_heartbeat"),
        (replace(GOOD, online=0, available=0), "no_instance"),
        (replace(GOOD, online=0), "no_instance"),
        (FULL, "nothing_available"),
    ],
)
def test_triggers_by_precedence(state: State, reason: Reason | None) -> None:
    assert trigger(state, NOW, OPTIONS) == reason


@pytest.mark.spec("RT-H1", "RT-H2")
@given(STATES)
def test_healthy_is_when_all_hold_by_either(state: State) -> None:
    assert (score(state, NOW, OPTIONS) == 1.0) == (trigger(state, NOW, OPTIONS) is None)


@pytest.mark.spec("F-R1")
@given(STATES)
def test_as_listed_a_heartbeat_is_never_recent(state: State) -> None:
    listed = RouterOptions(**LISTED)
    assert score(state, NOW, listed) in {0.0, 0.6}
    assert trigger(state, NOW, listed) in {"channel_closed", "no_heartbeat"}


def kinds(machine: HealthMachine, *states: State) -> list[str | None]:
    changes = [machine.check(state, NOW) for state in states]
    return [None if change is None else change.kind for change in changes]


@pytest.mark.spec("RT-H4")
def test_at_the_start_one_good_check_is_enough() -> None:
    machine = HealthMachine(OPTIONS)
    before = machine.healthy
    assert machine.check(GOOD, NOW) == Change("recovered", None)
    assert (before, machine.healthy) == (False, True)
    assert machine.check(GOOD, NOW) is None


@pytest.mark.spec("RT-H3", "RT-H4")
def test_a_bad_first_check_is_a_degradation_to_recover_from() -> None:
    machine = HealthMachine(OPTIONS)
    assert machine.check(FULL, NOW) == Change("degraded", "nothing_available")
    assert kinds(machine, GOOD, GOOD, GOOD) == [None, None, "recovered"]


@pytest.mark.spec("RT-H4")
def test_recovery_takes_three_good_checks_in_a_row() -> None:
    machine = HealthMachine(OPTIONS)
    turns = kinds(machine, GOOD, FULL, GOOD, GOOD, FULL, GOOD, GOOD, GOOD, GOOD)
    assert turns == ["recovered", "degraded", None, None, None, None, None, "recovered", None]


@pytest.mark.spec("RT-H2", "RT-H3")
def test_a_closed_channel_degrades_at_once_and_once() -> None:
    machine = HealthMachine(OPTIONS)
    machine.check(GOOD, NOW)
    assert machine.immediate("channel_closed") == Change("degraded", "channel_closed")
    assert machine.immediate("channel_closed") is None
    assert machine.check(CLOSED, NOW) is None
    assert not machine.healthy


@pytest.mark.spec("RT-H4")
def test_what_is_seen_between_checks_breaks_their_row() -> None:
    machine = HealthMachine(OPTIONS)
    machine.immediate("channel_closed")
    assert kinds(machine, GOOD, GOOD) == [None, None]
    machine.immediate("channel_closed")
    assert kinds(machine, GOOD, GOOD, GOOD) == [None, None, "recovered"]


@pytest.mark.spec("RT-H3")
def test_the_reason_is_the_latest_and_goes_with_recovery() -> None:
    machine = HealthMachine(OPTIONS)
    reasons: list[str | None] = []
    for state in (FULL, CLOSED, GOOD, GOOD, GOOD):
        machine.check(state, NOW)
        reasons.append(machine.reason)
    assert reasons == ["nothing_available", *["channel_closed"] * 3, None]


@pytest.mark.spec("RT-H5")
def test_three_failures_running_are_a_verdict() -> None:
    count = FailureCount()
    outcomes = [False, False, True, False, False, False, False, True, False]
    verdicts = [True, True, True, True, True, False, False, True, True]
    assert count.healthy
    assert [count.note(ok) for ok in outcomes] == verdicts
    assert count.healthy


@pytest.mark.spec("RT-H5")
@given(st.lists(st.booleans(), max_size=30), st.integers(1, 5))
def test_the_verdict_looks_at_the_last_checks_alone(outcomes: list[bool], threshold: int) -> None:
    count = FailureCount(threshold)
    for number, ok in enumerate(outcomes, start=1):
        last = outcomes[max(0, number - threshold) : number]
        assert count.note(ok) is count.healthy is (len(last) < threshold or any(last))


def test_a_threshold_of_no_failure_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        FailureCount(0)
