"""The environment: `simpy.Environment` in whole nanoseconds, the one timer heap of the loop.

Imports simpy. Its heap holds entries (time in ns, priority, id, event), SimPy's own format; the
asyncio timers of the loop stand on it among SimPy's events.
"""

from __future__ import annotations

import asyncio
import math
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NoReturn

import simpy
from simpy.core import BoundClass
from simpy.events import NORMAL, EventPriority

from windtunnel_models.errors import LoopError, NotInteger
from windtunnel_models.loop.events import (
    AwaitableAllOf,
    AwaitableAnyOf,
    AwaitableEvent,
    AwaitableProcess,
    AwaitableTimeout,
)
from windtunnel_models.loop.handles import DEAD, Timer
from windtunnel_models.loop.roster import Roster

if TYPE_CHECKING:
    from collections.abc import Iterable

    from windtunnel_models.loop.sim_loop import SimLoop

# A heap with fewer cancelled timers than this is not swept.
SWEEP_FLOOR = 100


def _is_alive(process: simpy.Process) -> bool:
    return process.is_alive


class SimEnvironment(simpy.Environment):
    """SimPy's environment inside a `SimLoop`; time is an int of nanoseconds from 0.

    Made by the loop (`loop.env`), never alone. What it makes can be awaited by asyncio code. A
    delay that is not an `int` raises `NotInteger` (a TypeError); a negative one, ValueError. While
    the loop runs, the loop drives the environment, and `run` and `step` raise `LoopError`.
    """

    _now: int

    def __init__(self, loop: SimLoop) -> None:
        super().__init__(0)
        self.loop = loop
        self.processes: Roster[simpy.Process] = Roster(_is_alive)
        self.dead = 0  # cancelled timers and sleeps on the heap, or a few more

    if TYPE_CHECKING:
        # What the class attributes below are to a type checker.

        @property
        def now(self) -> int: ...  # noqa: D102

        def process(self, generator: simpy.events.ProcessGenerator) -> AwaitableProcess: ...  # noqa: D102
        def timeout(  # type: ignore[override] # noqa: D102
            self, delay: int = 0, value: object = None
        ) -> AwaitableTimeout: ...
        def event(self) -> AwaitableEvent: ...  # noqa: D102
        def all_of(self, events: Iterable[simpy.Event]) -> AwaitableAllOf: ...  # noqa: D102
        def any_of(self, events: Iterable[simpy.Event]) -> AwaitableAnyOf: ...  # noqa: D102

    else:
        # Named anew: SimPy binds early only what stands in the class itself.
        process = BoundClass(AwaitableProcess)
        timeout = BoundClass(AwaitableTimeout)
        event = BoundClass(AwaitableEvent)
        all_of = BoundClass(AwaitableAllOf)
        any_of = BoundClass(AwaitableAnyOf)

    def schedule(
        self,
        event: simpy.Event,
        priority: EventPriority = NORMAL,
        delay: int = 0,  # type: ignore[override]
    ) -> None:
        """Put the event on the heap, `delay` nanoseconds from now.

        Raises NotInteger when the delay is not an `int`, ValueError when it is negative.
        """
        if delay.__class__ is not int:
            self.refuse(delay)
        if delay < 0:
            raise ValueError(f"Negative delay {delay}")
        heappush(self._queue, (self._now + delay, priority, next(self._eid), event))

    def refuse(self, delay: object) -> NoReturn:
        """Raise the NotInteger that names who asked for this delay and says the unit."""
        raise NotInteger(
            f"{self._asker()} asked for a delay of {delay!r}: the environment counts whole "
            f"nanoseconds and takes an int{_suggestion(delay)}"
        )

    def _asker(self) -> str:
        if self._active_proc is not None:
            return f"SimPy process {self._active_proc.name!r}"
        task = asyncio.current_task(self.loop)
        return "code outside any process" if task is None else f"task {task.get_name()!r}"

    def run(self, until: int | simpy.Event | None = None) -> object:  # type: ignore[override]
        """Run SimPy alone, as `simpy.Environment.run`; `until` is in nanoseconds, or an event.

        asyncio timers due fire too, but tasks take their steps only when the loop runs.
        """
        self._check_idle("run")
        if until is not None and not isinstance(until, simpy.Event) and until.__class__ is not int:
            self.refuse(until)
        return super().run(until)

    def step(self) -> None:
        """Process the next event, as `simpy.Environment.step`; cancelled timers are passed over."""
        self._check_idle("step")
        self._drop_cancelled()
        if not (self._queue and isinstance(self._queue[0][3], asyncio.Future)):
            super().step()
            return
        self._now, _, _, future = heappop(self._queue)  # type: ignore[assignment]
        future.set_result(None)  # type: ignore[attr-defined]

    def _drop_cancelled(self) -> None:
        """Take cancelled timers off the head of the heap."""
        while self._queue and is_cancelled(self._queue[0][3]):
            heappop(self._queue)
            self.dead -= 1

    def _check_idle(self, method: str) -> None:
        if self.loop.is_running():
            raise LoopError(
                f"env.{method}() called while the loop runs: the loop drives the environment; "
                "await the event or process instead"
            )

    def bury(self) -> None:
        """Count one more cancelled timer or sleep; sweep the heap when they are most of it.

        A cancelled task is counted as if it had slept. The count may be too high; then the next
        sweep comes early, which costs no more than it saves: it looks at twice the count at most.
        """
        self.dead += 1
        if self.dead > SWEEP_FLOOR and 2 * self.dead > len(self._queue):
            # In place: the loop holds the list.
            self._queue[:] = [entry for entry in self._queue if not is_cancelled(entry[3])]
            heapify(self._queue)
            self.dead = 0

    def cancel_sleeps(self) -> None:
        """Cancel the sleeps on the heap, before the loop is closed.

        A coroutine that is thrown away later cancels its sleep, which would then call a closed
        loop.
        """
        for entry in self._queue:
            sleep: object = entry[3]
            if isinstance(sleep, asyncio.Future):
                sleep.cancel()


def is_cancelled(event: simpy.Event | Timer | asyncio.Future[None]) -> bool:
    """Tell whether what stands on the heap is a cancelled timer or a cancelled sleep."""
    if isinstance(event, asyncio.Future):
        return event.cancelled()
    return event.callbacks is DEAD


def _suggestion(delay: object) -> str:
    """Return what to write instead, when the delay was meant as seconds."""
    if isinstance(delay, float) and math.isfinite(delay):
        return f"; for {delay} s write {round(delay * 1e9):_}"
    return ""
