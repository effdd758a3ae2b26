"""The UI schedulers against a sequential model written from their requirements.

A program is a list of operations on a coarse grid of time, so that many things fall on one instant.
What the model says of an instant: the timeline's operations come first, in their order; then
time-outs, in the order in which they were set; then the drains begun at that instant look; then the
worker goes on as far as it can. Starts and stops stand alone, each at an instant of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from windtunnel.errors import BridgeError
from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel_models import run

STEP = 100_000_000
"""Nanoseconds of the grid; the rate window is ten of these."""
SECOND = 1_000_000_000


@dataclass(frozen=True)
class Submit:
    """An action: `kind` is plain, value, fails or cancels. Times are steps."""

    priority: Priority
    kind: str
    duration: int
    delay: int | None
    wait: int | None


@dataclass(frozen=True)
class Do:
    """Any other operation: cancel, mark, ready, drain, stop or start, with its figure."""

    name: str
    figure: int = 0


SLOW = (Do("stop"), Do("start"))
"""Coroutines: what they do is done in the next iteration."""


@dataclass(frozen=True)
class Program:
    """The figures of a scheduler and what is done to it: (nanoseconds, operation)."""

    send_delay: int
    rate: int
    size: int
    started: bool
    steps: tuple[tuple[int, Submit | Do], ...]

    @property
    def end(self) -> int:
        """An instant at which everything that can end has ended."""
        longest = [12]
        for _, op in self.steps:
            if isinstance(op, Submit):
                longest += [op.duration, max(op.delay or 0, self.send_delay), op.wait or 0]
            else:
                longest.append(op.figure)
        return max((at for at, _ in self.steps), default=0) + sum(longest) * STEP + 999


@dataclass
class Record:
    """What a run shows: of the scheduler or of the model."""

    starts: list[tuple[int, int]] = field(default_factory=list)
    """(nanoseconds, number of the submission)."""
    told: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    """Number → (nanoseconds, what its caller was told …)."""
    drains: dict[int, tuple[int, bool]] = field(default_factory=dict)
    pending: list[int] = field(default_factory=list)
    """`pending_count` after each operation that is not `SLOW`."""
    metrics: Mapping[str, Any] = field(default_factory=dict)


# ------------------------------------------------------------------ the model


@dataclass(eq=False)
class Job:
    """A submission in the model."""

    number: int
    what: Submit
    at: int
    started: int = 0


class Model:
    """The requirements, one instant after the other; no task, no future, no heap."""

    def __init__(self, program: Program, *, by_priority: bool) -> None:
        self.program = program
        self.by_priority = by_priority
        self.now = 0
        self.record = Record()
        self.queue: list[Job] = []
        self.jobs: list[Job] = []
        self.worker = "idle" if program.started else "off"  # or running, delaying
        self.stopped = False
        self.busy_until = 0
        self.running: Job | None = None
        self.window_until = 0
        self.rate: list[int] = []
        self.timers: list[tuple[int, Callable[[], None]]] = []
        self.new_drains: list[tuple[int, int]] = []
        self.drains: list[int] = []
        self.drains_seen = 0
        self.executed = dict.fromkeys(Priority, 0)
        self.sums = {"wait": 0, "exec": 0, "timeout": 0, "limited": 0, "fast": 0}

    def play(self) -> Record:
        steps = [*self.program.steps, (self.program.end, Do("stop"))]
        while steps or self.timers:
            self.now = min(self._instants(steps))
            while steps and steps[0][0] == self.now:
                self._operate(steps.pop(0)[1])
            due = [fire for at, fire in self.timers if at == self.now]
            self.timers = [timer for timer in self.timers if timer[0] > self.now]
            for fire in due:
                fire()
            self._look()
            self._work()
        self.record.metrics = self._metrics()
        return self.record

    def _instants(self, steps: list[tuple[int, Submit | Do]]) -> Iterator[int]:
        yield from (at for at, _ in steps[:1])
        yield from (at for at, _ in self.timers)
        if self.worker in ("running", "delaying"):
            yield self.busy_until

    def _operate(self, op: Submit | Do) -> None:
        if isinstance(op, Submit):
            self._submit(op)
        else:
            getattr(self, f"_{op.name}")(op.figure)
        if op not in SLOW:
            self.record.pending.append(len(self.queue))

    def _submit(self, what: Submit) -> None:
        job = Job(len(self.jobs), what, self.now)
        self.jobs.append(job)
        if self.stopped:
            self._tell(job, "STOPPED", None, "queued")
        elif len(self.queue) - (self.worker == "idle") >= self.program.size:  # UI-Q5
            self.sums["limited"] += 1
            self._tell(job, "RATE_LIMITED", 3, None)
        else:
            self.queue.append(job)
            if what.wait:
                self.timers.append((self.now + what.wait * STEP, lambda: self._time_out(job)))

    def _time_out(self, job: Job) -> None:
        if job.number in self.record.told:
            return
        self.sums["timeout"] += 1
        phase = "queued" if job in self.queue else "running"
        self._tell(job, "TIMEOUT", max(1, self.program.send_delay * STEP // SECOND), phase)
        self._leave(job)

    def _cancel(self, which: int) -> None:
        if self.jobs:
            job = self.jobs[-1 - which % len(self.jobs)]
            if job.number not in self.record.told:
                self._tell(job, "cancelled")
                self._leave(job)

    def _leave(self, job: Job) -> None:
        if job in self.queue:
            self.queue.remove(job)
            self._quiet()

    def _mark(self, steps: int) -> None:
        self.window_until = max(self.window_until, self.now + steps * STEP)

    def _ready(self, _: int) -> None:
        self.window_until = 0

    def _drain(self, steps: int) -> None:
        self.new_drains.append((self.drains_seen, steps))
        self.drains_seen += 1

    def _look(self) -> None:
        for number, steps in self.new_drains:
            self.drains.append(number)
            self.timers.append((self.now + steps * STEP, lambda n=number: self._give_up(n)))  # type: ignore[misc]
        self.new_drains = []
        self._quiet()

    def _give_up(self, number: int) -> None:
        if number in self.drains:
            self.drains.remove(number)
            self.record.drains[number] = (self.now, False)

    def _quiet(self) -> None:
        if not self.queue and self.running is None:
            self.record.drains |= dict.fromkeys(self.drains, (self.now, True))
            self.drains = []

    def _start(self, _: int) -> None:
        if self.worker == "off":
            self.worker, self.stopped = "idle", False

    def _stop(self, _: int) -> None:
        self.worker, self.stopped = "off", True
        if self.running is not None:
            self._tell(self.running, "STOPPED", None, "running")
            self._count(self.running)
        for job in self.queue:
            self._tell(job, "STOPPED", None, "queued")
        self.queue = []
        self._quiet()

    def _work(self) -> None:
        """UI-Q15, as far as it goes at this instant."""
        while self.worker != "off":
            if self.worker == "running" and self.busy_until == self.now:
                self._end()
            elif self.worker == "idle" or self.busy_until == self.now:
                self.worker = "idle"
                if not self.queue:
                    return
                self._take(min(self.queue, key=self._rank))
            else:
                return

    def _rank(self, job: Job) -> tuple[int, int]:
        return (job.what.priority if self.by_priority else 0, job.number)

    def _take(self, job: Job) -> None:
        self.queue.remove(job)
        if self.window_until > self.now and job.what.priority is not Priority.CRITICAL:
            self.sums["fast"] += 1
            self._tell(job, "WECHAT_NOT_READY", 5, None)
        elif sum(self.now - SECOND < at for at in self.rate) >= self.program.rate:
            self.sums["limited"] += 1
            self._tell(job, "RATE_LIMITED", 1, None)
        else:
            self.rate.append(self.now)
            self.record.starts.append((self.now, job.number))
            self.worker, self.running, job.started = "running", job, self.now
            self.busy_until = self.now + job.what.duration * STEP
        self._quiet()

    def _end(self) -> None:
        job = self.running
        assert job is not None
        told = {"fails": "ValueError", "cancels": "cancelled"}.get(job.what.kind)
        self._tell(job, *((told,) if told else ("result", job.number)))
        self._count(job)
        delay = job.what.delay
        if delay is None:
            delay = 0 if job.what.priority is Priority.CRITICAL else self.program.send_delay
        self.worker, self.busy_until = "delaying", self.now + delay * STEP

    def _count(self, job: Job) -> None:
        self.running = None
        self.executed[job.what.priority] += 1
        self.sums["wait"] += job.started - job.at
        self.sums["exec"] += self.now - job.started
        self._quiet()

    def _tell(self, job: Job, *what: object) -> None:
        self.record.told.setdefault(job.number, (self.now, *what))

    def _metrics(self) -> dict[str, Any]:
        return {
            "executed_total": sum(self.executed.values()),
            "executed_by_priority": {key.name: ran for key, ran in self.executed.items()},
            "wait_duration_ms_sum": self.sums["wait"] / 1e6,
            "exec_duration_ms_sum": self.sums["exec"] / 1e6,
            "timeout_total": self.sums["timeout"],
            "rate_limited_total": self.sums["limited"],
            "fast_fail_total": self.sums["fast"],
            "pending_count": len(self.queue),
        }


# ------------------------------------------------------------------ the scheduler


class Driver:
    """Plays a program on a scheduler in the simulated loop."""

    def __init__(self, program: Program, kind: type[Any]) -> None:
        self.program = program
        self.kind = kind
        self.record = Record()
        self.answers: list[asyncio.Future[Any]] = []
        self.background: list[asyncio.Task[None]] = []
        self.drains_seen = 0

    async def play(self) -> None:
        program = self.program
        self.loop = asyncio.get_running_loop()
        self.scheduler = self.kind(program.send_delay * STEP / 1e6, program.rate, program.size)
        if program.started:
            await self.scheduler.start()
        for at, op in program.steps:
            self.loop.call_at(at / 1e9, self._operate, op)
        await asyncio.sleep(program.end / 1e9)
        self._operate(Do("stop"))
        await asyncio.sleep(30)
        assert all(task.done() for task in self.background)
        if hasattr(self.scheduler, "get_metrics"):
            self.record.metrics = self.scheduler.get_metrics()

    def now(self) -> int:
        return round(self.loop.time() * 1e9)

    def _operate(self, op: Submit | Do) -> None:
        if isinstance(op, Submit):
            self._submit(op)
        else:
            getattr(self, f"_{op.name}")(op.figure)
        if op not in SLOW:
            self.record.pending.append(self.scheduler.pending_count())

    def _submit(self, what: Submit) -> None:
        number = len(self.answers)
        figures = {
            "delay_ms": None if what.delay is None else what.delay * STEP / 1e6,
            "wait_timeout_ms": None if what.wait is None else what.wait * STEP / 1e6,
        }
        if hasattr(self.scheduler, "execute"):
            answer = self.scheduler.execute(self._action(number, what), what.priority, **figures)
        else:
            answer = self.scheduler.enqueue(self._action(number, what), **figures)
        self.answers.append(answer)
        answer.add_done_callback(lambda _: self._told(number))

    def _action(self, number: int, what: Submit) -> Callable[[], Any]:
        async def act() -> int:
            if what.duration:
                await asyncio.sleep(what.duration * STEP / 1e9)
            if what.kind == "fails":
                raise ValueError(number)
            if what.kind == "cancels":
                raise asyncio.CancelledError
            return number

        def factory() -> Any:
            self.record.starts.append((self.now(), number))
            return number if what.kind == "plain" else act()

        return factory

    def _told(self, number: int) -> None:
        assert number not in self.record.told
        self.record.told[number] = (self.now(), *described(self.answers[number]))

    def _cancel(self, which: int) -> None:
        if self.answers:
            self.answers[-1 - which % len(self.answers)].cancel()

    def _mark(self, steps: int) -> None:
        self.scheduler.mark_wechat_dead(steps * STEP / 1e9)

    def _ready(self, _: int) -> None:
        self.scheduler.mark_wechat_ready()

    def _drain(self, steps: int) -> None:
        number = self.drains_seen
        self.drains_seen += 1

        async def drain() -> None:
            drained = await self.scheduler.drain(steps * STEP / 1e9)
            self.record.drains[number] = (self.now(), drained)

        self.background.append(self.loop.create_task(drain()))

    def _stop(self, _: int) -> None:
        self.background.append(self.loop.create_task(self.scheduler.stop()))

    def _start(self, _: int) -> None:
        self.background.append(self.loop.create_task(self.scheduler.start()))


def described(answer: asyncio.Future[Any]) -> tuple[object, ...]:
    """What a caller was told, in the words of the model."""
    if answer.cancelled():
        return ("cancelled",)
    error = answer.exception()
    if error is None:
        return ("result", answer.result())
    if isinstance(error, BridgeError):
        return (error.code, error.retry_after, error.details.get("phase"))
    return (type(error).__name__,)


def observed(program: Program, kind: type[Any]) -> Record:
    driver = Driver(program, kind)
    run(driver.play())
    return driver.record


# ------------------------------------------------------------------ programs

COUNT = st.integers(0, 3)
KIND = st.sampled_from(["plain", "value", "value", "fails", "cancels"])


@st.composite
def submits(draw: st.DrawFn, priorities: st.SearchStrategy[Priority]) -> Submit:
    kind = draw(KIND)
    return Submit(
        draw(priorities),
        kind,
        0 if kind == "plain" else draw(st.integers(0, 5)),
        draw(st.none() | COUNT),
        draw(st.none() | st.integers(0, 5)),
    )


CANCEL = st.builds(Do, st.just("cancel"), COUNT)  # of the latest submissions
LIFE = st.sampled_from(SLOW)
MARK = st.builds(Do, st.just("mark"), st.integers(0, 8))
READY = st.just(Do("ready"))
DRAIN = st.builds(Do, st.just("drain"), st.integers(1, 6))


@st.composite
def programs(draw: st.DrawFn, *ops: st.SearchStrategy[Submit | Do]) -> Program:
    one = st.tuples(COUNT, st.sampled_from(ops).flatmap(lambda op: op))
    chosen = draw(st.lists(one, max_size=6) | st.lists(one, min_size=10, max_size=30))
    steps: list[tuple[int, Submit | Do]] = []
    grid = 0
    for number, (gap, op) in enumerate(chosen, start=1):
        grid += gap * STEP
        # A start and a stop have an instant of their own, and so has all that a start sets going.
        steps.append((grid + number if op in SLOW else grid, op))
    steps.sort(key=lambda step: step[0])
    return Program(
        draw(st.sampled_from([0, 1, 2, 25])),
        draw(st.integers(1, 4)),
        draw(st.integers(1, 6)),
        draw(st.sampled_from([True, True, False])),
        tuple(steps),
    )


URGENT = submits(st.sampled_from(Priority))
PLAIN = submits(st.just(Priority.NORMAL))


def note(record: Record) -> None:
    """Let `--hypothesis-show-statistics` tell what the programs reached."""
    for what in sorted({"/".join(map(str, told[1:2] + told[3:])) for told in record.told.values()}):
        event(f"told {what}")
    for drained in sorted({drained for _, drained in record.drains.values()}):
        event(f"drained {drained}")


HANGS_UP_BEFORE_THE_TIME_OUT = Program(
    send_delay=0,
    rate=4,
    size=6,
    started=True,
    steps=(
        (0, Submit(Priority.NORMAL, "value", duration=3, delay=None, wait=2)),
        (STEP, Do("cancel")),
    ),
)


@pytest.mark.spec(
    *("UI-Q1", "UI-Q2", "UI-Q3", "UI-Q4", "UI-Q5", "UI-Q6", "UI-Q7", "UI-Q8", "UI-Q9"),
    *("UI-Q10", "UI-Q11", "UI-Q15", "UI-K1", "UI-L2", "UI-L3"),
)
@settings(max_examples=500)
@given(
    programs(*[URGENT] * 14, CANCEL, CANCEL, CANCEL, MARK, MARK, MARK, READY, DRAIN, DRAIN, LIFE)
)
@example(HANGS_UP_BEFORE_THE_TIME_OUT)
def test_the_scheduler_does_what_the_requirements_say(program: Program) -> None:
    record = observed(program, UIActionScheduler)
    note(record)
    assert record == Model(program, by_priority=True).play()


@pytest.mark.spec("UI-Q16", "UI-Q5", "UI-Q6", "UI-Q7", "UI-Q10")
@settings(max_examples=150)
@given(programs(*[PLAIN] * 12, CANCEL, CANCEL, LIFE))
def test_the_old_queue_does_so_too(program: Program) -> None:
    record = observed(program, SendQueue)
    model = Model(program, by_priority=False).play()
    model.metrics = {}
    assert record == model
