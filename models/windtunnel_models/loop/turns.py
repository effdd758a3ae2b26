"""Turns: the iteration with a tie rule attached. Lanes that are ready take turns as the rule says.

Imports asyncio and simpy. The order without a choice is that of `iteration.iterate`: batch by
batch, in each the handles that were ready when it began, then the events due then. What is ready
at this instant lies here, lane by lane, while the loop runs; when it stops, it is put back into the
queues of the loop. Whenever more than one lane has something to do, the rule is asked whose turn
it is; inside a lane the order is always FIFO. What only wakes a task is no turn: when it comes to
the front it is done without asking, and the task takes part in the ties from then on.
"""

# ruff: noqa: ANN401, SLF001 - anything may be on the heap; SimPy keeps its heap and clock private

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from heapq import heappop, heappush
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from windtunnel_models.loop.environment import is_cancelled
from windtunnel_models.loop.handles import Handle
from windtunnel_models.loop.iteration import (
    FIRST_LOOK,
    check_nothing_waits,
    fire,
    look_at_spin,
    run_handle,
)
from windtunnel_models.loop.lanes import lane_of_event, lane_of_handle, woken_by
from windtunnel_models.loop.ties import TieRule

if TYPE_CHECKING:
    from windtunnel_models.loop.sim_loop import SimLoop

HANDLES: Final = 0
EVENTS: Final = 1
Place = tuple[int, int, int, int]
"""(batch, HANDLES or EVENTS, SimPy's priority, number): where an item stands in FIFO; unique."""
Item = tuple[Place, Any]


class Lane:
    """What one lane has to do at this instant, in order; never empty while it is in line."""

    __slots__ = ("items", "key")

    def __init__(self, key: int) -> None:
        self.key = key
        self.items: list[Item] = []


class Turns:
    """The lanes of one loop, in line by the place of what each does next."""

    def __init__(self, loop: SimLoop, rule: TieRule) -> None:
        self.rule = rule
        self._loop = loop
        self._lanes: dict[int, Lane] = {}
        self._line: list[tuple[Place, Lane]] = []
        self._batch = 0
        self._numbers = 0

    def pending(self) -> Iterator[Any]:
        """Yield the handles and events that are taken in and not done, in no certain order."""
        for lane in self._lanes.values():
            for _, item in lane.items:
                yield item

    # ------------------------------------------------------------------ iterating

    def iterate(self) -> None:
        """Iterate until the loop is stopped or nothing is left to do, as `iteration.iterate`."""
        try:
            self._iterate()
        finally:
            self._put_back()

    def _iterate(self) -> None:
        loop = self._loop
        spins, patience = 0, FIRST_LOOK
        while True:
            self._gather(self._batch)
            while self._line and self._line[0][0][0] == self._batch:
                self._take_turn()
                self._gather(self._batch + 1)
            if loop.stopping:
                return
            self._batch += 1
            if self._line:
                spins += 1
            elif self._advance():
                spins = 0
            else:
                check_nothing_waits(loop)
                return
            if spins > patience:
                patience = look_at_spin(loop, spins)

    def _take_turn(self) -> None:
        """Run one step: of the lane that the rule names, if there is more than one."""
        _, head = self._line[0][1].items[0]
        if not isinstance(head, Handle) and (is_cancelled(head) or woken_by(head) is not None):
            self._step(0)
            return
        present = bisect_left(self._line, self._batch + 1, key=_batch_of)
        lanes = present if self._loop.stopping else len(self._line)
        index = self.rule.choose(lanes, present) if lanes > 1 else 0
        lane = self._line[index][1]
        if isinstance(self._step(index), Handle):
            return
        ready = self._loop.ready
        if len(ready) == 1 and id(lane_of_handle(ready[0])) == lane.key:
            run_handle(self._loop, ready.popleft())  # the event did no more than wake its lane

    def _step(self, index: int) -> Any:
        """Do what the lane at that place in line does next; return what it was."""
        lane = self._line.pop(index)[1]
        _, item = lane.items.pop(0)
        if lane.items:
            insort(self._line, (lane.items[0][0], lane))
        else:
            del self._lanes[lane.key]
        if isinstance(item, Handle):
            run_handle(self._loop, item)
        else:
            fire(self._loop, item)
        return item

    def _advance(self) -> bool:
        """Go on to the instant of the next event; False when there is none."""
        env = self._loop.env
        while env._queue:
            when, _, _, event = env._queue[0]
            if not is_cancelled(event):
                env._now = max(env._now, when)  # type: ignore[assignment] # an int, by `schedule`
                return True
            heappop(env._queue)
            env.dead -= 1
        return False

    # ------------------------------------------------------------------ what is ready

    def _gather(self, batch: int) -> None:
        """Take in what has become ready, as part of that batch."""
        env, ready = self._loop.env, self._loop.ready
        while ready:
            handle = ready.popleft()
            self._numbers += 1
            self._add((batch, HANDLES, 0, self._numbers), handle, lane_of_handle(handle))
        while env._queue and env._queue[0][0] <= env._now:
            _, priority, number, event = heappop(env._queue)
            if is_cancelled(event):
                env.dead -= 1
                continue
            if batch > self._batch:
                self._defer(priority)
            self._add((batch, EVENTS, priority, number), event, lane_of_event(event))

    def _add(self, place: Place, item: Any, owner: Any) -> None:
        lane = self._lanes.get(id(owner))
        if lane is None:
            lane = self._lanes[id(owner)] = Lane(id(owner))
        elif place < (first := lane.items[0][0]):
            del self._line[bisect_left(self._line, first, key=_place_of)]
        else:
            insort(lane.items, (place, item))
            return
        lane.items.insert(0, (place, item))
        insort(self._line, (place, lane))

    def _defer(self, priority: int) -> None:
        """Let the events of this batch that a new, more urgent one goes before wait for the next.

        SimPy's heap has it so: an urgent event (a process begins, an interrupt) stands before those
        that were due already, and with it ends the batch.
        """
        first = (self._batch, EVENTS, priority + 1, 0)
        last = (self._batch + 1, HANDLES, 0, 0)
        if not any(
            first <= place < last for lane in self._lanes.values() for place, _ in lane.items
        ):
            return
        for lane in self._lanes.values():
            lane.items = sorted(
                ((place[0] + 1, *place[1:]) if first <= place < last else place, item)
                for place, item in lane.items
            )
        self._line = sorted((lane.items[0][0], lane) for lane in self._lanes.values())

    def _put_back(self) -> None:
        """Give back to the loop what has not been done."""
        env, ready = self._loop.env, self._loop.ready
        items = sorted(item for lane in self._lanes.values() for item in lane.items)
        self._lanes.clear()
        self._line.clear()
        handles = [item for (_, kind, _, _), item in items if kind == HANDLES]
        ready.extendleft(reversed(handles))
        for (_, kind, priority, number), event in items:
            if kind == EVENTS:
                heappush(env._queue, (env._now, priority, number, event))  # type: ignore[misc]


_place_of = itemgetter(0)


def _batch_of(entry: tuple[Place, Lane]) -> int:
    return entry[0][0]
