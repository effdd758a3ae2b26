"""The router's machines against plain models: the breaker, health, and the retries of tasks."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from windtunnel.policies.router.breaker import Breaker
from windtunnel.policies.router.health import HealthMachine, State
from windtunnel.policies.router.retry import after_failure
from windtunnel.policies.router.router_options import RouterOptions

RESET = 30
"""Nanoseconds for which a breaker stays open here; steps of time are about as long."""
FEW = settings(max_examples=150, stateful_step_count=50, deadline=None)


@dataclass(eq=False)
class Era:
    """From one turn of the breaker to the next: which results count, and what they were."""

    opened: int | None
    failures: int = 0
    probes: int = 0
    """Calls under way that were let through half-open."""


@dataclass(eq=False)
class Call:
    """A call under way, and the era it began in."""

    ticket: int
    era: Era


class BreakerMachine(RuleBasedStateMachine):
    """Calls, results in any order, and time, on all four combinations of options."""

    @initialize(one=st.booleans(), ignored=st.booleans(), limit=st.sampled_from([1, 1, 2, 4]))
    def make(self, one: bool, ignored: bool, limit: int) -> None:
        self.one, self.ignored, self.limit = one, ignored, limit
        options = RouterOptions(
            half_open="one" if one else "all", late_results="ignored" if ignored else "counted"
        )
        self.breaker = Breaker(options, limit, RESET)
        self.now = 0
        self.era = Era(opened=None)
        self.calls: list[Call] = []

    @property
    def expected(self) -> str:
        if self.era.opened is None:
            return "closed"
        return "half_open" if self.now >= self.era.opened + RESET else "open"

    @rule(step=st.sampled_from([1, RESET - 1, RESET]))
    def wait(self, step: int) -> None:
        self.now += step

    @rule(times=st.integers(1, 4))
    def call(self, times: int) -> None:
        for _ in range(times):
            half_open = self.expected == "half_open"
            passes = self.expected == "closed" or (half_open and not (self.one and self.era.probes))
            ticket = self.breaker.allow(self.now)
            assert (ticket is not None) == passes
            if ticket is not None:
                assert ticket >= 1
                self.era.probes += half_open
                self.calls.append(Call(ticket, self.era))

    @precondition(lambda self: self.calls)
    @rule(data=st.data(), result=st.sampled_from(["success", "failure", "failure", "none"]))
    def end(self, data: st.DataObject, result: str) -> None:
        call = self.calls.pop(data.draw(st.integers(0, len(self.calls) - 1)))
        if result == "none":
            self.breaker.forget(call.ticket)
            call.era.probes = 0
            return
        (self.breaker.success if result == "success" else self.breaker.failure)(
            call.ticket, self.now
        )
        if call.era is self.era or not self.ignored:
            self.take(failed=result == "failure")

    def take(self, *, failed: bool) -> None:
        is_open = self.era.opened is not None
        self.era.failures = self.era.failures + 1 if failed else 0
        if failed and (is_open or self.era.failures == self.limit):
            self.era = Era(opened=self.now)
        elif is_open and not failed:
            self.era = Era(opened=None)

    @invariant()
    def the_states_agree(self) -> None:
        assert self.breaker.state(self.now) == self.expected
        assert self.breaker.closed(self.now) == (self.expected == "closed")


class HealthHistory(RuleBasedStateMachine):
    """Checks and what is seen between them; the model keeps the whole history and looks back."""

    def __init__(self) -> None:
        super().__init__()
        self.machine = HealthMachine(RouterOptions())
        self.history: list[bool] = []
        self.told: list[str] = []

    @property
    def expected(self) -> bool:
        """Healthy: since the last thing found wrong, three good checks; without any, one."""
        good = len(self.history)
        if False in self.history:
            good = self.history[::-1].index(False)
            return good >= 3
        return good >= 1

    def look(self, good: bool, change: object) -> None:
        before, known = self.expected, bool(self.history)
        self.history.append(good)
        turned = self.expected != before or not known
        assert (change is not None) == turned

    @rule()
    def good(self) -> None:
        state = State(connected=True, last_heartbeat=0, online=1, available=1)
        self.look(True, self.machine.check(state, 1))

    @rule(online=st.integers(0, 1), connected=st.booleans())
    def bad(self, online: int, connected: bool) -> None:
        state = State(connected=connected, last_heartbeat=0, online=online, available=0)
        change = self.machine.check(state, 1)
        reason = "no_instance" if not online else "nothing_available"
        assert self.machine.reason == (reason if connected else "channel_closed")
        self.look(False, change)

    @rule()
    def seen(self) -> None:
        self.look(False, self.machine.immediate("channel_closed"))

    @invariant()
    def they_agree(self) -> None:
        assert self.machine.healthy == self.expected
        assert (self.machine.reason is None) == (self.expected or not self.history)


@dataclass(eq=False)
class Task:
    """A task, and what happened to it."""

    number: int
    count: int = 0
    outcomes: list[str] = field(default_factory=list)


class RetryQueue(RuleBasedStateMachine):
    """A dispatcher's queues by the rule: failures go to the head with their count."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[Task] = []
        self.pending: deque[Task] = deque()
        self.running: list[Task] = []
        self.failed: list[Task] = []
        self.done: list[Task] = []

    @initialize(limit=st.integers(0, 3))
    def make(self, limit: int) -> None:
        self.limit = limit

    @rule()
    def submit(self) -> None:
        task = Task(len(self.tasks))
        self.tasks.append(task)
        self.pending.append(task)

    @precondition(lambda self: self.pending)
    @rule()
    def start(self) -> None:
        self.running.append(self.pending.popleft())

    @precondition(lambda self: self.running)
    @rule(data=st.data(), ends=st.sampled_from(["done", "failed", "failed", "failed"]))
    def end(self, data: st.DataObject, ends: str) -> None:
        task = self.running.pop(data.draw(st.integers(0, len(self.running) - 1)))
        task.outcomes.append(ends)
        if ends == "done":
            self.done.append(task)
        elif (count := after_failure(task.count, self.limit)) is None:
            self.failed.append(task)
        else:
            task.count = count
            self.pending.appendleft(task)

    @invariant()
    def each_task_is_in_one_place(self) -> None:
        places = [*self.pending, *self.running, *self.failed, *self.done]
        assert sorted(task.number for task in places) == list(range(len(self.tasks)))

    @invariant()
    def failed_for_good_is_the_first_run_and_every_retry(self) -> None:
        for task in self.tasks:
            failures = Counter(task.outcomes)["failed"]
            assert (failures == self.limit + 1) == (task in self.failed)
            assert failures <= self.limit + 1


TestBreakerMachine = pytest.mark.spec("RT-X1", "F-R14")(BreakerMachine.TestCase)
TestHealthHistory = pytest.mark.spec("RT-H2", "RT-H4")(HealthHistory.TestCase)
TestRetryQueue = pytest.mark.spec("RT-D4", "F-R16")(RetryQueue.TestCase)
TestBreakerMachine.settings = TestHealthHistory.settings = TestRetryQueue.settings = FEW
