"""The shrink: what of the backlog is offered for fallback."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.router_options import LISTED, RouterOptions
from windtunnel.policies.router.shrink import to_offer

pytestmark = pytest.mark.spec("RT-D5", "F-R8")

LOST = RouterOptions()
BACKLOG = RouterOptions(**LISTED)
COUNTS = st.integers(0, 40)
SOME = st.integers(1, 40)


def test_a_hundred_pending_and_one_of_eight_lost() -> None:
    # the one that ran on it is back: 101 are pending
    assert to_offer(101, 8, 7, 1, LOST) == 1
    assert to_offer(101, 8, 7, 1, BACKLOG) == 94


@pytest.mark.spec("RT-C1")
def test_four_running_and_two_of_four_lost_fit_into_what_is_left() -> None:
    assert to_offer(2, 4, 2, 2, LOST) == 0
    assert to_offer(2, 4, 2, 2, BACKLOG) == 0


@pytest.mark.spec("RT-C2")
def test_eight_tasks_and_two_of_four_lost() -> None:
    assert to_offer(6, 4, 2, 2, LOST) == 2
    assert to_offer(6, 4, 2, 2, BACKLOG) == 4


def test_an_idle_instance_lost_counts_as_the_task_it_would_have_held() -> None:
    assert to_offer(50, 8, 6, 0, LOST) == 2


def test_what_ran_counts_where_it_was_more_than_one_a_piece() -> None:
    assert to_offer(50, 8, 6, 5, LOST) == 5


@pytest.mark.spec("RT-B1")
@given(COUNTS, COUNTS, COUNTS, st.sampled_from([LOST, BACKLOG]))
def test_without_an_instance_all_is_offered_however_it_came_to_be_so(
    pending: int, before: int, lost_tasks: int, options: RouterOptions
) -> None:
    assert to_offer(pending, before, 0, lost_tasks, options) == pending


def test_nothing_is_left_to_offer_when_all_fits() -> None:
    assert to_offer(3, 8, 3, 3, LOST) == 0
    assert to_offer(3, 8, 2, 3, LOST) == 1


@given(COUNTS, SOME, COUNTS, COUNTS, st.sampled_from([LOST, BACKLOG]))
def test_no_offer_where_no_capacity_was_lost(
    pending: int, before: int, more: int, lost_tasks: int, options: RouterOptions
) -> None:
    assert to_offer(pending, before, before + more, lost_tasks, options) == 0


@given(COUNTS, SOME, COUNTS, COUNTS)
def test_no_more_is_offered_than_the_lost_capacity_means(
    pending: int, after: int, lost: int, lost_tasks: int
) -> None:
    offer = to_offer(pending, after + lost, after, lost_tasks, LOST)
    everything = to_offer(pending, after + lost, after, lost_tasks, BACKLOG)
    assert 0 <= offer <= everything <= pending
    assert offer <= max(lost, lost_tasks)
    assert offer in {0, lost, lost_tasks, everything}
