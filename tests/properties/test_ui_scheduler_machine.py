"""The UI scheduler as a state machine: whatever is done to it, what must always hold does.

The exact course of events is the model's (`test_ui_scheduler_model.py`); here the scheduler lives
on between the steps, and after each of them its books are looked at.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from windtunnel.errors import BridgeError, Code
from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.scheduler.ui_entry import Answer
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel_models import SimLoop

STEP_MS = 100
SECOND_NS = 1_000_000_000
SETTLE = 6
"""Iterations after which nothing more happens at an instant: every action takes some time."""


@dataclass(eq=False)
class Job:
    """A submission, and what became of it."""

    number: int
    priority: Priority
    submitted: int
    answer: Answer | None = None
    started: int | None = None
    ended: bool = False
    told: int = 0
    """How often its caller was told."""

    @property
    def waits(self) -> bool:
        return self.started is None and self.answer is not None and not self.answer.done()

    @property
    def code(self) -> str | None:
        if self.answer is None or not self.answer.done() or self.answer.cancelled():
            return None
        error = self.answer.exception()
        return error.code if isinstance(error, BridgeError) else None


class SchedulerMachine(RuleBasedStateMachine):
    """Submissions, cancellations, time, windows, drains, stops and starts in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = SimLoop()
        self.jobs: list[Job] = []
        self.starts: list[int] = []
        self.running = 0
        self.wrong: list[str] = []
        self.stopped = False

    @initialize(
        delay=st.sampled_from([0, STEP_MS, 25 * STEP_MS]),
        rate=st.integers(1, 4),
        size=st.integers(1, 5),
    )
    def make(self, delay: int, rate: int, size: int) -> None:
        self.rate = rate
        self.size = size
        self.scheduler = UIActionScheduler(delay, rate, size)
        self.within(self.scheduler.start)

    def within(self, act: Callable[[], Any]) -> Any:
        """Do something in the loop, and let this instant settle."""

        async def step() -> Any:
            result = act()
            result = await result if asyncio.iscoroutine(result) else result
            for _ in range(SETTLE):
                await asyncio.sleep(0)
            return result

        return self.loop.run_until_complete(step())

    # -- what is done to it -------------------------------------------------------------------

    @rule(
        priorities=st.lists(st.sampled_from(Priority), min_size=1, max_size=4),
        steps=st.integers(1, 6),
        delay=st.none() | st.integers(0, 3),
        wait=st.none() | st.integers(1, 20),
        fails=st.booleans(),
    )
    def submit(
        self,
        priorities: list[Priority],
        steps: int,
        delay: int | None,
        wait: int | None,
        fails: bool,
    ) -> None:
        """Submit one or more alike but for their priority, at one instant."""

        def hand_over() -> None:
            for priority in priorities:
                job = Job(len(self.jobs), priority, self.loop.time_ns())
                self.jobs.append(job)
                job.answer = self.scheduler.execute(
                    self.action(job, steps, fails=fails),
                    priority,
                    None if delay is None else delay * STEP_MS,
                    None if wait is None else wait * STEP_MS,
                )
                job.answer.add_done_callback(partial(self.tell, job))

        self.within(hand_over)

    def action(self, job: Job, steps: int, *, fails: bool) -> Callable[[], Awaitable[int]]:
        async def act() -> int:
            self.begin(job)
            try:
                await asyncio.sleep(steps * STEP_MS / 1000)
            finally:
                self.running -= 1
                job.ended = True
            if fails:
                raise ValueError(job.number)
            return job.number

        return act

    def begin(self, job: Job) -> None:
        now = self.loop.time_ns()
        self.running += 1
        self.starts.append(now)
        if job.started is not None:
            self.wrong.append(f"{job.number} starts twice")
        if job.answer is not None and job.answer.done():
            self.wrong.append(f"{job.number} starts although its caller has been told")
        for other in self.jobs:
            earlier = other.submitted < now and (other.priority, other.number) < (
                job.priority,
                job.number,
            )
            if other is not job and other.waits and earlier:
                self.wrong.append(f"{job.number} starts before {other.number}")
        job.started = now

    def tell(self, job: Job, _: object) -> None:
        job.told += 1

    @rule(steps=st.integers(1, 12))
    def let_time_pass(self, steps: int) -> None:
        self.within(lambda: asyncio.sleep(steps * STEP_MS / 1000))

    @precondition(lambda self: self.jobs)
    @rule(back=st.integers(0, 5))
    def cancel(self, back: int) -> None:
        answer = self.jobs[-1 - back % len(self.jobs)].answer
        assert answer is not None
        self.within(answer.cancel)

    @rule(steps=st.integers(0, 12))
    def mark_dead(self, steps: int) -> None:
        self.within(lambda: self.scheduler.mark_wechat_dead(steps * STEP_MS / 1000))

    @rule()
    def mark_ready(self) -> None:
        self.within(self.scheduler.mark_wechat_ready)

    @rule(steps=st.integers(0, 8))
    def drain(self, steps: int) -> None:
        began = self.loop.time_ns()

        async def drain() -> None:
            if await self.scheduler.drain(steps * STEP_MS / 1000):
                assert not self.running
                assert not self.scheduler.pending_count()
            else:
                assert self.loop.time_ns() - began == steps * STEP_MS * 1_000_000

        self.within(drain)

    @rule()
    def stop(self) -> None:
        self.within(self.scheduler.stop)
        self.stopped = True
        assert all(job.answer is not None and job.answer.done() for job in self.jobs)
        assert self.running == 0

    @precondition(lambda self: self.stopped)
    @rule()
    def start(self) -> None:
        self.within(self.scheduler.start)
        self.stopped = False

    # -- what must always hold ----------------------------------------------------------------

    @invariant()
    def one_at_a_time_and_in_order(self) -> None:
        assert self.running in (0, 1)
        assert self.wrong == []

    @invariant()
    def the_rate_holds_in_every_second(self) -> None:
        for index in range(len(self.starts) - getattr(self, "rate", len(self.starts))):
            assert self.starts[index + self.rate] - self.starts[index] >= SECOND_NS

    @invariant()
    def every_caller_is_told_once(self) -> None:
        for job in self.jobs:
            assert job.told == (job.answer is not None and job.answer.done())

    @precondition(lambda self: hasattr(self, "scheduler"))
    @invariant()
    def the_books_balance(self) -> None:
        metrics = self.scheduler.get_metrics()
        codes = Counter(job.code for job in self.jobs)
        assert metrics["timeout_total"] == codes[Code.TIMEOUT]
        assert metrics["rate_limited_total"] == codes[Code.RATE_LIMITED]
        assert metrics["fast_fail_total"] == codes[Code.WECHAT_NOT_READY]
        assert metrics["executed_total"] == sum(job.ended for job in self.jobs)
        assert metrics["pending_count"] == sum(job.waits for job in self.jobs) <= self.size

    def teardown(self) -> None:
        if hasattr(self, "scheduler"):
            self.stop()
            assert self.within(lambda: self.scheduler.drain(1)) is True
        self.loop.close()


TestSchedulerMachine = pytest.mark.spec(
    *("UI-Q1", "UI-Q2", "UI-Q5", "UI-Q6", "UI-Q7", "UI-Q8", "UI-Q9", "UI-Q10", "UI-Q11", "UI-L3")
)(SchedulerMachine.TestCase)
TestSchedulerMachine.settings = settings(max_examples=150, stateful_step_count=40)
