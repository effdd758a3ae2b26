"""CapacityBook: reports, reservations, and what runs outside."""

from __future__ import annotations

import pytest

from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.policies.router.router_options import LISTED, RouterOptions


@pytest.fixture
def book() -> CapacityBook:
    """Give a book with a report, the fifth, of 8 instances, 2 of them busy."""
    book = CapacityBook(RouterOptions())
    assert book.report(8, 2, 5)
    return book


def reserve(book: CapacityBook, count: int) -> list[int]:
    return [book.reserve_inside() for _ in range(count)]


@pytest.mark.spec("RT-S1", "RT-R1")
def test_before_the_first_report_there_is_nothing_inside() -> None:
    book = CapacityBook(RouterOptions())
    assert (book.internal(), book.external()) == (0, 10)


@pytest.mark.spec("RT-S1", "F-R20")
def test_free_is_online_less_busy(book: CapacityBook) -> None:
    assert book.internal() == 6


@pytest.mark.spec("RT-S1")
def test_no_more_than_the_maximum_runs_inside() -> None:
    book = CapacityBook(RouterOptions())
    book.report(50, 10, 1)
    assert book.internal() == 20
    reserve(book, 15)
    assert book.internal() == 5
    book.report(50, 30, 2)
    assert book.internal() == 0
    small = CapacityBook(RouterOptions(), internal_max=3, external_max=2)
    small.report(50, 1, 1)
    assert (small.internal(), small.external()) == (2, 2)


@pytest.mark.parametrize(("online", "busy"), [(2, 5), (0, 0)])
def test_capacity_is_never_below_zero(online: int, busy: int, book: CapacityBook) -> None:
    book.report(online, busy, 6)
    assert book.internal() == 0


@pytest.mark.spec("RT-S4", "F-R10")
def test_a_task_that_was_sent_counts_at_once(book: CapacityBook) -> None:
    assert reserve(book, 6) == [1, 2, 3, 4, 5, 6]
    assert (book.internal(), book.reserved) == (0, 6)


@pytest.mark.spec("RT-S4", "F-R11")
def test_a_report_ends_the_reservations_that_it_counts_and_no_others(book: CapacityBook) -> None:
    first, second, third = reserve(book, 3)
    book.accepted(first, 6)
    book.accepted(second, 8)
    book.report(8, 3, 6)
    assert (book.reserved, book.internal()) == (2, 3)
    book.report(8, 3, 7)
    assert book.reserved == 2
    book.accepted(third, 8)
    book.report(8, 5, 9)
    assert (book.reserved, book.internal()) == (0, 3)


@pytest.mark.spec("F-R11")
def test_a_report_may_be_faster_than_the_answer(book: CapacityBook) -> None:
    (number,) = reserve(book, 1)
    book.report(8, 3, 6)
    assert (book.reserved, book.internal()) == (1, 4), "counted twice, which is safe"
    book.accepted(number, 6)
    assert (book.reserved, book.internal()) == (0, 5)


@pytest.mark.spec("F-R11")
def test_a_late_report_changes_nothing(book: CapacityBook) -> None:
    (number,) = reserve(book, 1)
    book.accepted(number, 4)
    reserve(book, 1)
    assert not book.report(20, 0, 4)
    assert (book.reserved, book.internal()) == (1, 5)
    assert book.report(8, 4, 5), "the same one again is no older"


def test_where_no_report_is_named_it_is_the_one_after_the_last(book: CapacityBook) -> None:
    (number,) = reserve(book, 1)
    book.accepted(number, None)
    book.report(8, 2, 5)
    assert book.reserved == 1
    book.report(8, 3, 6)
    assert book.reserved == 0


@pytest.mark.spec("RT-S4", "F-R7")
def test_a_refused_submission_frees_its_place_once(book: CapacityBook) -> None:
    numbers = reserve(book, 6)
    book.release_inside(numbers[3])
    book.release_inside(numbers[3])
    assert (book.internal(), book.reserved) == (1, 5)
    book.accepted(numbers[3], 9)
    assert book.reserved == 5, "what is gone is not brought back"


def test_one_that_was_accepted_can_be_released(book: CapacityBook) -> None:
    (number,) = reserve(book, 1)
    book.accepted(number, 9)
    book.release_inside(number)
    assert book.reserved == 0
    (other,) = reserve(book, 1)
    book.accepted(other, 10)
    book.report(8, 2, 9)
    assert book.reserved == 1, "that it is gone does not count for another"


@pytest.mark.spec("RT-R1")
def test_unknown_capacity_is_none_until_the_next_report(book: CapacityBook) -> None:
    reserve(book, 2)
    book.unknown()
    assert (book.internal(), book.reserved) == (0, 2)
    book.report(8, 2, 6)
    assert book.internal() == 4


@pytest.mark.spec("RT-B4", "F-R23")
def test_by_a_new_link_reports_count_anew(book: CapacityBook) -> None:
    accepted, open_ = reserve(book, 2)
    book.accepted(accepted, 6)
    book.new_link()
    assert (book.internal(), book.reserved) == (4, 2), "until it brings a report, the last stands"
    assert book.report(8, 3, 1), "of a dispatcher that has begun anew"
    assert (book.reserved, book.internal()) == (1, 4)
    book.accepted(open_, 2)
    book.report(8, 4, 2)
    assert (book.reserved, book.internal()) == (0, 4)


def test_an_answer_before_the_first_report_of_a_link_waits_for_it() -> None:
    book = CapacityBook(RouterOptions())
    (number,) = reserve(book, 1)
    book.accepted(number, 3)
    assert book.reserved == 1
    book.report(8, 1, 3)
    assert book.reserved == 0


@pytest.mark.spec("RT-S1", "F-R10")
def test_what_runs_outside_is_taken_off(book: CapacityBook) -> None:
    for _ in range(9):
        book.begin_outside()
    assert (book.external(), book.outside_running) == (1, 9)
    book.begin_outside()
    book.begin_outside()
    assert book.external() == 0
    book.end_outside()
    book.end_outside()
    assert (book.external(), book.outside_running) == (1, 9)


def test_no_more_can_end_outside_than_began(book: CapacityBook) -> None:
    book.begin_outside()
    book.end_outside()
    with pytest.raises(ValueError, match="no task runs outside"):
        book.end_outside()


@pytest.mark.spec("F-R10", "F-R20")
def test_as_listed_it_takes_what_is_online_and_the_maximum() -> None:
    book = CapacityBook(RouterOptions(**LISTED))
    book.report(6, 2, 1)
    assert reserve(book, 3) == [1, 2, 3]
    for _ in range(4):
        book.begin_outside()
    assert (book.internal(), book.external()) == (6, 10)
    assert (book.reserved, book.outside_running) == (0, 4)


@pytest.mark.spec("F-R11")
def test_erasing_every_report_takes_all_as_counted_late_or_not() -> None:
    book = CapacityBook(RouterOptions(reports="erase"))
    book.report(9, 0, 4)
    first, _ = reserve(book, 2)
    book.accepted(first, 6)
    assert book.report(9, 0, 3), "one from before both were sent"
    assert (book.reserved, book.internal()) == (0, 9)
    book.report(9, 0, 7)
    assert book.internal() == 9
