"""The iteration: what the loop does over and over while it runs.

Imports asyncio. One iteration is asyncio's own: run the handles that were ready when it
began, then fire what was due on the heap when it began, straight from the heap, in SimPy's order
(time, priority, id). What these make ready or due at the same instant belongs to the next
iteration; so neither `while not flag: await sleep(0)` nor a SimPy process that times out after 0 ns
starves anybody. With nothing ready and nothing due, time advances to the head of the heap.

Here the order is FIFO, and nothing is asked. With a tie rule attached, `turns.py` stands in the
place of `iterate`: it keeps the same batches, and asks the rule wherever more than one lane
(`lanes.py`) is ready.
"""

# ruff: noqa: ANN401, SLF001 - the heap holds any event; SimPy keeps its heap and clock private

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from heapq import heappop
from typing import TYPE_CHECKING, Any

from windtunnel_models.errors import BusySpin, Deadlock, TaskCancelled
from windtunnel_models.loop.handles import DEAD, Handle, Timer
from windtunnel_models.loop.lanes import lane_of
from windtunnel_models.loop.naming import name_of
from windtunnel_models.loop.waiting import report

if TYPE_CHECKING:
    from windtunnel_models.loop.sim_loop import SimLoop

Future = asyncio.Future
# The error for a spin names the lanes of this many batches.
SUSPECT_BATCHES = 8
# At so many batches at one instant `busy_limit` is first looked at: it may be set in the run.
FIRST_LOOK = 100


def iterate(loop: SimLoop) -> None:  # noqa: C901, PLR0912 - one loop, no calls: this is the fast path
    """Iterate until the loop is stopped or nothing is left to do.

    Raises Deadlock and BusySpin; SystemExit and KeyboardInterrupt pass through.
    """
    env, ready = loop.env, loop.ready
    queue: list[tuple[int, int, int, Any]] = env._queue  # type: ignore[assignment]
    eid = env._eid
    future_class = Future
    now = env._now
    batch, mark = len(ready), next(eid)
    spins, patience = 0, FIRST_LOOK
    while True:
        # The batch of this iteration, then the events due when it began: ids below the mark.
        while batch:
            batch -= 1
            handle = ready.popleft()
            try:
                handle.context.run(*handle.call)
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as error:  # noqa: BLE001 - as asyncio
                loop.call_failed(handle, error)
        while mark and queue and queue[0][0] <= now and queue[0][2] < mark:
            fire(loop, heappop(queue)[3])
        if loop.stopping:
            return
        batch = len(ready)
        if batch:
            mark = next(eid) if queue and queue[0][0] <= now else 0
        elif queue:
            # No batch: the next event is fired, now or later, then those due with it.
            when, _, _, event = heappop(queue)
            if type(event) is future_class:
                try:
                    event.set_result(None)  # asyncio only makes its task ready: no code sees `now`
                except asyncio.InvalidStateError:
                    env.dead -= 1
                    continue  # a cancelled sleep: time does not go there
            elif event.callbacks is DEAD:
                env.dead -= 1
                continue
            mark = next(eid) if queue and queue[0][0] <= when else 0
            if when > now:
                now = env._now = when
                spins = 0
            if type(event) is future_class:
                if not mark:
                    batch = len(ready)  # nothing else is due: its task goes on at once
                continue
            fire(loop, event)
        else:
            check_nothing_waits(loop)
            return
        spins += 1
        if spins > patience:
            patience = look_at_spin(loop, spins)


def run_handle(loop: SimLoop, handle: Handle) -> None:
    """Make the call of a handle that was taken off the ready queue, as `iterate` does."""
    try:
        handle.context.run(*handle.call)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - as asyncio
        loop.call_failed(handle, error)


def fire(loop: SimLoop, event: Any) -> None:
    """Process an event that was taken off the heap, as `simpy.Environment.step` does.

    A failure of a SimPy event that nobody waited for is a background failure.
    """
    if type(event) is Future:
        if event.cancelled():
            loop.env.dead -= 1
        else:
            event.set_result(None)
        return
    if event.callbacks is DEAD:
        loop.env.dead -= 1
        return
    callbacks, event.callbacks = event.callbacks, None
    for callback in callbacks:
        callback(event)
    if event._ok or event.defused:
        return
    error = event._value
    if isinstance(error, TaskCancelled):
        return  # as asyncio does not report a cancelled task either
    if not isinstance(error, Exception):
        raise error  # an interrupt from the keyboard or the wall limit, caught by SimPy
    message = "SimPy event failed and nobody waited for it"
    loop.call_exception_handler({"message": message, "exception": error, "event": event})


def check_nothing_waits(loop: SimLoop) -> None:
    """Raise Deadlock when something waits although nothing is left to do."""
    if loop.goal is not None or loop.leftovers():
        raise Deadlock(report(loop))


def look_at_spin(loop: SimLoop, spins: int) -> int:
    """Look at a run of batches at one instant; return at how many to look again.

    In the last batches before `loop.busy_limit` those who are ready are noted, at the limit they
    are named.
    """
    limit = loop.busy_limit
    if spins < limit - SUSPECT_BATCHES:
        return limit - SUSPECT_BATCHES - 1
    if spins == limit - SUSPECT_BATCHES:
        loop.suspects.clear()
    loop.suspects.update((name_of(lane_of(callback)), None) for callback in _about_to_run(loop))
    if spins > limit:
        raise BusySpin(
            f"{spins} batches ran at {loop.time()} s and time did not advance; ready again and "
            f"again: {', '.join(loop.suspects)}. Let a loop that waits sleep for some time, or "
            "wait for an event."
        )
    return spins


def _about_to_run(loop: SimLoop) -> Iterator[Any]:
    """Yield the callbacks that are ready now."""
    env = loop.env
    due = [event for when, _, _, event in env._queue if when <= env._now]
    taken = loop.turns.pending() if loop.turns is not None else ()
    for item in (*taken, *loop.ready, *due):
        if isinstance(item, Handle):
            yield item.call[0]
        elif not isinstance(item, Timer | Future):
            yield from item.callbacks or ()
