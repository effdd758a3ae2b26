"""The player: plays a cell's timeline and its faults, in the world's own loop.

Entries with `at` are played in the order of time, then of the file; an entry with `after` waits
for its event; what `order` holds is played when it may be. The run is over when every entry has
been played, faults that have an end are over, every operation has settled and `settle` has passed,
or at `until` (DESIGN §3, end of a run).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from windtunnel import units
from windtunnel.scenario.cells import Cell, Entry, FaultEntry
from windtunnel.scenario.playing.agenda import Agenda, Rank
from windtunnel.scenario.playing.faults import Faults
from windtunnel.scenario.playing.holding import Holding
from windtunnel.scenario.playing.occurrence import once
from windtunnel.systems.base import Operation, SystemUnderTest
from windtunnel.world import World


class Player:
    """Plays one cell once; `holding` listens from before the system was started."""

    def __init__(self, cell: Cell, system: SystemUnderTest, world: World, holding: Holding) -> None:
        self._cell = cell
        self._system = system
        self._trace = world.trace
        self._loop = asyncio.get_running_loop()
        self._agenda = Agenda()
        self._holding = holding
        self.faults = Faults(world, self._agenda, self._close_one)
        self._open = 0
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._settling: asyncio.TimerHandle | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self.waiting: dict[tuple[Rank, int], Entry | FaultEntry] = {}
        """Entries whose `after` has not happened, by their kind and place in the file."""
        self.reached_until = False

    async def play(self) -> None:
        """Play the timeline to the end of the run; then take the observations."""
        for place, fault in enumerate(self._cell.faults):
            plan = partial(self._plan_fault, place, fault)
            self._schedule((Rank.INJECT, place), fault, plan)
        for place, entry in enumerate(self._cell.timeline):
            self._schedule((Rank.SUBMIT, place), entry, partial(self._plan, place, entry))
        if (observe_at := self._cell.observe_at) is not None:
            self._open += 1
            self._agenda.add(observe_at, Rank.OBSERVE, 0, 0, self._observe_then_close)
        if (until := self._cell.until) is not None:
            self._agenda.add_end(until, self._end_until)
        self._close_if_quiet()
        try:
            await self._over
        finally:
            self._agenda.close()
            self._holding.close()
        if self._cell.observe_at is None:
            self._observe()

    # ------------------------------------------------------------------ planning

    def _schedule(
        self, key: tuple[Rank, int], entry: Entry | FaultEntry, plan: Callable[[int], None]
    ) -> None:
        """Plan an entry from its instant on, or when its event has happened."""
        if entry.at is not None:
            plan(entry.at)
            return
        assert entry.after is not None, "an entry has `at` or `after`"
        self.waiting[key] = entry

        def follow() -> None:
            if self._over.done():  # what is taken down at the end is no event of the run
                return
            del self.waiting[key]
            plan(self._agenda.now() + entry.plus)

        once(self._trace, entry.after, follow)

    def _plan(self, place: int, entry: Entry, first: int) -> None:
        """Put an entry's operations on the agenda, the first at `first` nanoseconds."""
        self._open += entry.repeat
        for number in range(entry.repeat):
            offset = number * entry.every if entry.offsets is None else entry.offsets[number]
            play = partial(self._play_one, place, entry, number)
            self._agenda.add(first + offset, Rank.SUBMIT, place, number, play)

    def _plan_fault(self, place: int, entry: FaultEntry, instant: int) -> None:
        self._open += 1
        begin = partial(self.faults.begin, entry, place)
        self._agenda.add(instant, Rank.INJECT, place, 0, begin)

    # ------------------------------------------------------------------ playing

    def _play_one(self, place: int, entry: Entry, number: int) -> None:
        operation = entry.template.make(number)

        def release() -> None:
            submit = partial(self._submit, operation)
            self._agenda.add(self._agenda.now(), Rank.SUBMIT, place, number, submit)

        if not self._holding.holds(operation.id, release):
            self._submit(operation)

    def _submit(self, operation: Operation) -> None:
        try:
            if operation.mode == "call":
                closed = self._track(self._system.call(operation))
            else:
                closed = asyncio.ensure_future(self._system.submit(operation))
        except Exception as error:  # noqa: BLE001 - ends the run; `play` raises it
            self._end(error)
            return
        closed.add_done_callback(self._on_closed)

    def _track(self, call: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = self._loop.create_task(call)
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        return task

    def _on_closed(self, closed: asyncio.Future[None]) -> None:
        self._close_one(None if closed.cancelled() else closed.exception())

    # ------------------------------------------------------------------ ending

    def _close_one(self, error: BaseException | None) -> None:
        if error is not None:
            self._end(error)
            return
        self._open -= 1
        self._close_if_quiet()

    def _close_if_quiet(self) -> None:
        """Begin to settle when nothing is open; a new operation in the meantime starts it anew."""
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        if self._open or self._over.done():
            return
        delay = units.to_seconds(self._cell.settle)
        self._settling = self._loop.call_later(delay, self._end_quiet)

    def _end_quiet(self) -> None:
        if not self._open:
            self._end()

    def _end_until(self) -> None:
        self.reached_until = self._open > 0
        self._end()

    def _end(self, error: BaseException | None = None) -> None:
        """End the run, once; `play` raises the error."""
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)

    def _observe_then_close(self) -> None:
        self._observe()
        self._close_one(None)

    def _observe(self) -> None:
        self._trace.record("world.observed", details={"values": dict(self._system.observe())})
