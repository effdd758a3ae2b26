"""The agenda: what a run plays, and when. The one place that says what comes first at an instant.

Instants are nanoseconds since the agenda was made. At one instant faults that end come first, then
faults that begin, then submissions, each in the order of the file; then the observation and the
end. All callbacks are methods of one agenda, which keeps that order under every tie rule. Imports
asyncio and `windtunnel.units`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import IntEnum
from heapq import heappop, heappush
from itertools import count

from windtunnel import units

Do = Callable[[], None]


class Rank(IntEnum):
    """What comes first at one instant."""

    UNDO = 0
    INJECT = 1
    SUBMIT = 2
    OBSERVE = 3


class Agenda:
    """What is planned, for the running loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._origin = units.from_seconds(self._loop.time())
        self._numbers = count()
        # (instant, rank, place in the file, number in its repeat, number here, what to do)
        self._planned: list[tuple[int, int, int, int, int, Do]] = []
        self._due: list[tuple[int, int, int, int, int, Do]] = []
        self._armed: dict[int, asyncio.Handle] = {}
        self._blocked = 0
        self._closed = False

    def now(self) -> int:
        """Return the present instant, in nanoseconds."""
        return units.from_seconds(self._loop.time()) - self._origin

    def add(self, instant: int, rank: Rank, place: int, number: int, do: Do) -> None:
        """Plan something for an instant; for now or earlier: for the next step, never in this."""
        if self._closed:
            return
        heappush(self._planned, (instant, rank, place, number, next(self._numbers), do))
        if instant in self._armed:
            return
        if instant <= self.now():
            self._armed[instant] = self._loop.call_soon(self._reach, instant)
        else:
            at = units.to_seconds(self._origin + instant)
            self._armed[instant] = self._loop.call_at(at, self._reach, instant)

    def add_end(self, instant: int, do: Do) -> None:
        """Plan an end: it comes at its instant, whatever is still held up then."""
        at = units.to_seconds(self._origin + instant)
        self._armed[-1] = self._loop.call_at(at, self._reach_end, instant, do)

    def block(self, until: asyncio.Future[None]) -> None:
        """Play nothing more until the future is done: a fault is on before what comes after it."""
        if not until.done():
            self._blocked += 1
            until.add_done_callback(self._unblock)

    def close(self) -> None:
        """Play nothing more; what is added from now on is not taken."""
        self._closed = True
        for handle in self._armed.values():
            handle.cancel()
        self._armed.clear()
        self._planned.clear()
        self._due.clear()

    def _unblock(self, _: asyncio.Future[None]) -> None:
        self._blocked -= 1
        self._go_on()

    def _reach(self, instant: int) -> None:
        self._armed.pop(instant, None)
        reached = max(instant, self.now())
        while self._planned and self._planned[0][0] <= reached:
            heappush(self._due, heappop(self._planned))
        self._go_on()

    def _reach_end(self, instant: int, do: Do) -> None:
        self._reach(instant)
        do()

    def _go_on(self) -> None:
        while self._due and not self._blocked:
            do = heappop(self._due)[-1]
            do()
