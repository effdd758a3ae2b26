"""The player: plays a cell's timeline against a system under test, in the world's own loop.

Entries with `at` are played in the order of time, then of the file; an entry with `after` waits
for its event. The run is over when every entry has been played, every operation has settled and
`settle` has passed, or at `until` (DESIGN §3, end of a run).
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from typing import Any

from windtunnel import units
from windtunnel.scenario.cells import Cell, Entry
from windtunnel.systems.base import Operation, SystemUnderTest
from windtunnel.trace import Event, Trace

Agenda = dict[int, list[tuple[Entry, int]]]
"""Nanoseconds → entries and the numbers of the operations that are played then."""


class Player:
    """Plays one cell once."""

    def __init__(self, cell: Cell, system: SystemUnderTest, trace: Trace) -> None:
        self._cell = cell
        self._system = system
        self._trace = trace
        self._loop = asyncio.get_running_loop()
        self._open = 0
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._settling: asyncio.TimerHandle | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self.waiting: dict[int, Entry] = {}
        """Entries whose `after` has not happened, by their place in the timeline."""
        self.reached_until = False

    async def play(self) -> None:
        """Play the timeline to the end of the run; then take the observations."""
        origin = self._loop.time()
        self._schedule(origin)
        timers = self._boundaries(origin)
        self._close_if_quiet()
        try:
            await self._over
        finally:
            for timer in timers:
                timer.cancel()
        if self._cell.observe_at is None:
            self._observe()

    def _boundaries(self, origin: float) -> list[asyncio.TimerHandle]:
        timers = []
        if (observe_at := self._cell.observe_at) is not None:
            self._open += 1
            timers.append(self._loop.call_at(_at(origin, observe_at), self._observe_then_close))
        if (until := self._cell.until) is not None:
            timers.append(self._loop.call_at(_at(origin, until), self._end_until))
        return timers

    def _schedule(self, origin: float) -> None:
        agenda: Agenda = defaultdict(list)
        for place, entry in enumerate(self._cell.timeline):
            if entry.at is None:
                self._await_event(place, entry)
                continue
            self._plan(agenda, entry, entry.at)
        for instant in sorted(agenda):
            self._loop.call_at(_at(origin, instant), self._play_all, agenda[instant])

    def _await_event(self, place: int, entry: Entry) -> None:
        name = entry.after
        assert name is not None, "an entry has `at` or `after`"
        self.waiting[place] = entry
        left = name.nth

        def on_event(event: Event) -> None:
            nonlocal left
            if not name.matches(event):
                return
            left -= 1
            if left:
                return
            for stop in stops:
                stop()
            del self.waiting[place]
            self._follow(entry)

        stops = [self._trace.listen(kind, on_event) for kind in name.kinds]

    def _follow(self, entry: Entry) -> None:
        """Play an entry whose event has just happened; never inside the step that caused it."""
        agenda: Agenda = defaultdict(list)
        self._plan(agenda, entry, entry.plus)
        for offset, plays in agenda.items():
            if offset:
                self._loop.call_later(units.to_seconds(offset), self._play_all, plays)
            else:
                self._loop.call_soon(self._play_all, plays)

    def _plan(self, agenda: Agenda, entry: Entry, first: int) -> None:
        """Put an entry's operations on the agenda, the first at `first` nanoseconds."""
        self._open += entry.repeat
        for number in range(entry.repeat):
            agenda[first + number * entry.every].append((entry, number))

    def _play_all(self, plays: list[tuple[Entry, int]]) -> None:
        for entry, number in plays:
            self._play_one(entry.template.make(number))

    def _play_one(self, operation: Operation) -> None:
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
        if not closed.cancelled() and (error := closed.exception()) is not None:
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
        self._open -= 1
        self._close_if_quiet()

    def _observe(self) -> None:
        self._trace.record("world.observed", details={"values": dict(self._system.observe())})


def _at(origin: float, offset: int) -> float:
    return origin + units.to_seconds(offset)
