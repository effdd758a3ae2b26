"""How long it takes to decide what becomes of 1,000 tasks that wait (bar: 1 ms; RT-P1).

A decision is the backend's, with everything that has a say in it (capacity, pauses, breaker, the
split), and the dispatcher's choice of an instance for each task that goes inside. It is gated as so
many plain loops over the same tasks, measured in turns with it: that depends little on the machine.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from path_kit import Healthy
from windtunnel.policies.router.breaker import Breaker
from windtunnel.policies.router.choice import Candidate, InstanceChoice
from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.entry import Entry, new_entry
from windtunnel.services.backend.inside_breaker import InsideBreaker
from windtunnel.services.backend.outside_slots import OutsideSlots
from windtunnel.services.backend.router import Router
from windtunnel.services.backend.settings import BackendSettings
from windtunnel.services.backend.waiting_queue import WaitingQueue
from windtunnel.services.note import ignore
from windtunnel.services.wire.task import Task
from windtunnel_models import run

pytestmark = [pytest.mark.bench, pytest.mark.spec("RT-P1")]

TASKS = 1_000
INTERNAL, EXTERNAL = 30, 10
ROUNDS = 200
BAR_MS = 1.0
# instances free → what a decision costs in plain loops where the bar is reached twice over
BARS_IN_LOOPS = {INTERNAL: 3.0, 200: 10.0, 1_000: 30.0}
GATE = 0.8


class Desk:
    """1,000 tasks before a backend's router, and the free instances before a dispatcher's choice.

    `internal` instances are free, and as many may go inside.
    """

    def __init__(self, internal: int) -> None:
        options = RouterOptions()
        settings = BackendSettings(internal_capacity=internal, external_capacity=EXTERNAL)
        book = CapacityBook(options, internal, EXTERNAL)
        book.report(internal, 0, 1)
        breaker = InsideBreaker(Breaker(options), ignore)
        accounts = Accounts(book, OutsideSlots(book), breaker, Healthy())
        self.router = Router(settings, options, accounts)
        self.waiting = WaitingQueue(routing=True)
        self.choice = InstanceChoice(Random(0), options)
        self.free = [Candidate(f"inst-{n}", f"bridge-{n % 4}", 0) for n in range(internal)]
        self.tasks = [new_entry(number, Task(f"t.{number}")) for number in range(1, TASKS + 1)]
        for entry in self.tasks:
            self.waiting.add(entry)

    def decide(self) -> tuple[list[tuple[Entry, str]], int, int]:
        """Return what goes where inside, how many go outside, and how many wait on."""
        decision = self.router.decide(self.waiting, 0)
        free = self.choice.among(self.free)
        last: str | None = None
        inside = []
        for entry in decision.inside:
            chosen = free.take(None, last)
            last = chosen.bridge
            inside.append((entry, chosen.id))
        outside = len(decision.outside)
        return inside, outside, decision.routed - len(inside) - outside

    def deal(self) -> int:
        """Deal the tasks out in order, as plainly as can be: the reference."""
        inside: list[Entry] = []
        outside: list[Entry] = []
        waiting: list[Entry] = []
        for entry in self.tasks:
            if len(inside) < len(self.free):
                inside.append(entry)
            elif len(outside) < EXTERNAL:
                outside.append(entry)
            else:
                waiting.append(entry)
        return len(waiting)


def simulated(program: Callable[[], Any]) -> Any:
    """Call a program on the simulated loop, whose clock the router reads."""

    async def main() -> Any:
        return program()

    return run(main())


def best(programs: tuple[Callable[[], object], ...]) -> list[float]:
    """Return the CPU seconds of each program's best round; they take turns."""
    gc.collect()
    gc.freeze()
    rounds: list[list[float]] = []
    for _ in range(ROUNDS):
        times = []
        for program in programs:
            began = time.process_time()
            program()
            times.append(time.process_time() - began)
        rounds.append(times)
    gc.unfreeze()
    return [min(times) for times in zip(*rounds, strict=True)]


def test_a_decision_is_about_all_that_wait() -> None:
    """What is measured is what the bar says."""
    desk = Desk(INTERNAL)
    inside, outside, waiting = simulated(desk.decide)
    assert [entry.number for entry, _ in inside] == list(range(1, INTERNAL + 1))
    assert sorted(instance for _, instance in inside) == sorted(one.id for one in desk.free)
    assert (outside, waiting) == (EXTERNAL, TASKS - INTERNAL - EXTERNAL)
    assert waiting == desk.deal()


@pytest.mark.parametrize(("internal", "bar"), BARS_IN_LOOPS.items())
def test_a_decision_for_1000_tasks(
    internal: int, bar: float, figure: Callable[[str], None]
) -> None:
    desk = Desk(internal)
    decision, loop = simulated(lambda: best((desk.decide, desk.deal)))
    in_loops = decision / loop
    report = (
        f"decision for {TASKS:,} tasks, {internal} instances free: {decision * 1e6:.0f} µs here "
        f"(bar {BAR_MS:g} ms: {told(decision * 1e3 <= BAR_MS)}); {in_loops:.1f} plain loops over "
        f"them (bar {bar:g}: {told(in_loops <= bar)}; gate {bar / GATE:.1f})"
    )
    figure(report)
    assert in_loops <= bar / GATE, report


def told(reached: bool) -> str:
    return "reached" if reached else "MISSED"
