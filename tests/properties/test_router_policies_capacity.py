"""The capacity book against a dispatcher far away: submissions and reports take any time.

Whatever overtakes whatever, the backend that sends no more than `internal` says never has more
tasks there than instances; and when all has arrived, the book says exactly what is free.
"""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.policies.router.split import split

MAXIMUM = 6
Report = tuple[int, int, int]
"""What is online and busy, and its sequence number."""


class CapacityMachine(RuleBasedStateMachine):
    """Batches, answers, completions, reports late, lost, repeated and out of order."""

    def __init__(self) -> None:
        super().__init__()
        self.book = CapacityBook(RouterOptions(), internal_max=MAXIMUM, external_max=3)
        self.online = 0
        self.running = 0
        self.sequence = 0
        self.sent: list[int] = []
        self.answers: list[tuple[int, int | None]] = []
        """Reservation and the report that counts it, None: refused; on their way back."""
        self.reports: list[Report] = []
        self.last: Report = (0, 0, 0)
        self.outside = 0

    @initialize(online=st.integers(0, 9))
    def make(self, online: int) -> None:
        self.online = online

    @rule(tasks=st.integers(1, 12))
    def send(self, tasks: int) -> None:
        parts = split(range(tasks), self.book.internal(), self.book.external())
        self.sent += [self.book.reserve_inside() for _ in parts.inside]
        for _ in parts.outside:
            self.book.begin_outside()
            self.outside += 1

    @precondition(lambda self: self.sent)
    @rule(data=st.data(), refused=st.sampled_from([False, False, True]))
    def arrive(self, data: st.DataObject, refused: bool) -> None:
        number = self.sent.pop(data.draw(st.integers(0, len(self.sent) - 1)))
        self.running += not refused
        self.answers.append((number, None if refused else self.sequence + 1))

    @precondition(lambda self: self.answers)
    @rule(data=st.data(), again=st.booleans())
    def answer(self, data: st.DataObject, again: bool) -> None:
        number, report = self.answers.pop(data.draw(st.integers(0, len(self.answers) - 1)))
        for _ in range(1 + again):
            if report is None:
                self.book.release_inside(number)
            else:
                self.book.accepted(number, report)

    @precondition(lambda self: self.running)
    @rule()
    def complete(self) -> None:
        self.running -= 1

    @precondition(lambda self: self.outside)
    @rule()
    def complete_outside(self) -> None:
        self.book.end_outside()
        self.outside -= 1

    @rule()
    def take_report(self) -> None:
        self.sequence += 1
        self.reports.append((self.online, self.running, self.sequence))

    @precondition(lambda self: self.reports)
    @rule(data=st.data(), again=st.booleans())
    def deliver(self, data: st.DataObject, again: bool) -> None:
        place = data.draw(st.integers(0, len(self.reports) - 1))
        report = self.reports[place]
        if self.book.report(*report):
            assert report[2] >= self.last[2]
            self.last = report
        if not again:
            self.reports.pop(place)

    @rule()
    def report_in_time(self) -> None:
        self.take_report()
        self.last = self.reports.pop()
        assert self.book.report(*self.last)

    @rule()
    def link_again(self) -> None:
        """A new channel: what was under way on the old one is lost, a report comes at once."""
        self.reports.clear()
        self.book.new_link()
        self.report_in_time()

    @rule()
    def forget(self) -> None:
        self.book.unknown()
        assert self.book.internal() == 0

    @invariant()
    def neither_side_is_over_committed(self) -> None:
        there = self.running + len(self.sent)
        assert there <= self.online
        assert self.book.internal() <= max(0, min(MAXIMUM, self.online) - there)
        online, busy, _ = self.last
        assert self.book.internal() == 0 or self.book.reserved + busy < online
        assert self.outside == self.book.outside_running <= 3

    def teardown(self) -> None:
        """When all has arrived the book is exact: no reservation is left over or missing."""
        while self.sent:
            self.running += 1
            self.answers.append((self.sent.pop(), self.sequence + 1))
        for number, report in self.answers:
            if report is None:
                self.book.release_inside(number)
            else:
                self.book.accepted(number, report)
        self.report_in_time()
        assert self.book.reserved == 0
        assert self.book.internal() == max(0, min(MAXIMUM, self.online) - self.running)


TestCapacityMachine = pytest.mark.spec("RT-S1", "RT-S4", "F-R10", "F-R11")(CapacityMachine.TestCase)
TestCapacityMachine.settings = settings(max_examples=200, stateful_step_count=50, deadline=None)
