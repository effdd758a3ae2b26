"""The link state: link and health apart, the newest report, and its end after 60 s."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.health import State
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.backend.link_state import UNKNOWN, Capacity, LinkState, Report

S = 10**9


def report(sequence: int, at: int = 0, online: int = 4, busy: int = 1) -> Report:
    return Report(Capacity(online, busy, online - busy, at), sequence)


@pytest.mark.spec("RT-R1")
def test_link_and_health_are_two_fields() -> None:
    state = LinkState(RouterOptions())
    assert (state.connected, state.health) == (False, "degraded")
    state.opened(5)
    state.health = "healthy"
    assert (state.connected, state.health) == (True, "healthy")
    state.health = "degraded"
    assert state.connected
    state.closed(7, "silent")
    assert (state.connected, state.health) == (False, "degraded")


def test_as_listed_they_are_one_and_the_link_is_never_connected_again() -> None:
    state = LinkState(RouterOptions(link_field="shared"))
    state.opened(5)
    assert (state.connected, state.health) == (True, "degraded")
    state.health = "healthy"
    assert (state.connected, state.health) == (False, "healthy")
    state.health = "degraded"
    assert not state.connected
    state.opened(9)
    assert state.connected


@pytest.mark.spec("RT-R1")
def test_it_tells_how_the_link_fares() -> None:
    state = LinkState(RouterOptions())
    state.closed(1, "refused")
    state.opened(2)
    state.closed(3, "silent")
    state.closed(4, "refused")
    state.closed(5, "refused")
    assert state.losses == 4
    assert state.connection() == {
        "status": "disconnected",
        "connectedAt": 2,
        "disconnectedAt": 3,
        "disconnectReason": "refused",
        "reconnectAttempts": 2,
    }
    state.opened(6)
    assert state.attempts == 0


@pytest.mark.spec("RT-R1", "RT-H1")
def test_a_report_is_known_for_60_s() -> None:
    state = LinkState(RouterOptions())
    assert (state.reported, state.capacity(0)) == (False, UNKNOWN)
    state.opened(0)
    state.report(report(1, at=10 * S))
    assert (state.reported, state.capacity(10 * S).online) == (True, 4)
    assert state.seen(69 * S) == State(connected=True, last_heartbeat=0, online=4, available=3)
    assert state.capacity(70 * S - 1) == Capacity(4, 1, 3, 10 * S)
    assert state.capacity(70 * S) is UNKNOWN
    assert state.seen(70 * S) == State(connected=True, last_heartbeat=0, online=0, available=0)
    state.heard(30 * S)
    assert state.seen(70 * S).last_heartbeat == 30 * S


@given(st.lists(st.one_of(st.none(), st.integers(0, 5)), max_size=30))
def test_for_all_reports_the_newest_of_the_link_stands(sent: list[int | None]) -> None:
    """None is a new link; its sequence begins anew."""
    state = LinkState(RouterOptions())
    newest: int | None = None
    for at, sequence in enumerate(sent):
        if sequence is None:
            state.opened(at)
            newest = None
            continue
        expected = None
        if newest is not None and sequence <= newest:
            expected = "repeated" if sequence == newest else "late"
        before = state.capacity(at)
        assert state.report(report(sequence, at, online=at)) == expected
        if expected is None:
            newest = sequence
            assert state.capacity(at).online == at
        else:
            assert state.capacity(at) == before


def test_as_listed_the_last_to_come_stands() -> None:
    state = LinkState(RouterOptions(reports="erase"))
    assert [state.report(report(s, online=s)) for s in (3, 1, 1)] == [None, None, None]
    assert state.capacity(0).online == 1
