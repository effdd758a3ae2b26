"""The iteration: what the loop does over and over while it runs.

Imports asyncio and simpy. One iteration is asyncio's own: run the handles that were ready when it
began, then fire what was due on the heap when it began, straight from the heap, in SimPy's order
(time, priority, id). What these make ready or due at the same instant belongs to the next
iteration; so neither `while not flag: await sleep(0)` nor a SimPy process that times out after 0 ns
starves anybody. With nothing ready and nothing due, time advances to the head of the heap.

Where a tie rule or an explorer attaches: a lane is one task or one SimPy process (`lane_of` finds
it from a callback); inside a lane the order is always FIFO. Such a rule is asked in `iterate` where
a batch begins (`batch = len(ready)`), and only if the handles of the batch and the events due at
this instant belong to more than one lane; it may then reorder them between lanes or hold one back.
Without a rule the order is FIFO, and nothing is asked.
"""

from __future__ import annotations

import asyncio
from heapq import heappop
from typing import TYPE_CHECKING, Any

import simpy

from windtunnel_models.errors import BusySpin, Deadlock
from windtunnel_models.handles import DEAD, Timer
from windtunnel_models.naming import name_of
from windtunnel_models.waiting import report

if TYPE_CHECKING:
    from windtunnel_models.loop import SimLoop

Future = asyncio.Future
# The error for a spin names the lanes of this many batches.
SUSPECT_BATCHES = 8


def iterate(loop: SimLoop) -> None:
    """Iterate until the loop is stopped or nothing is left to do.

    Raises Deadlock and BusySpin; SystemExit and KeyboardInterrupt pass through.
    """
    env, ready = loop.env, loop.ready
    queue, eid = env._queue, env._eid  # noqa: SLF001 - the heap is the environment's, and ours
    popleft = ready.popleft
    now = env._now  # noqa: SLF001
    batch = mark = spins = 0
    while True:
        # The batch of this iteration, then the events due when it began: ids below the mark.
        while batch:
            batch -= 1
            handle = popleft()
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
        if queue and queue[0][0] <= now:
            mark = next(eid)
        elif batch:
            mark = 0
        elif not queue:
            _check_nothing_waits(loop)
            return
        else:
            # Time moves to the next event, which is fired at once, and the others due then too.
            when, _, _, event = heappop(queue)
            if event.__class__ is Future:
                if event.cancelled():
                    continue
                now = env._now = when  # type: ignore[assignment] # noqa: SLF001
                mark = next(eid) if queue and queue[0][0] <= now else 0
                event.set_result(None)
            elif event.callbacks is DEAD:
                env.dead -= 1
                continue
            else:
                now = env._now = when  # type: ignore[assignment] # noqa: SLF001
                mark = next(eid) if queue and queue[0][0] <= now else 0
                fire(loop, event)
            spins = 0
            continue
        spins += 1
        if spins > loop.busy_limit - SUSPECT_BATCHES:
            _suspect(loop, spins)


def fire(loop: SimLoop, event: Any) -> None:
    """Process an event that was taken off the heap, as `simpy.Environment.step` does.

    A failure of a SimPy event that nobody waited for is a background failure.
    """
    if event.__class__ is Future:
        if not event.cancelled():
            event.set_result(None)
        return
    if event.callbacks is DEAD:
        loop.env.dead -= 1
        return
    callbacks, event.callbacks = event.callbacks, None
    for callback in callbacks:
        callback(event)
    if event._ok or event.defused:  # noqa: SLF001 - the property costs a call
        return
    error = event._value  # noqa: SLF001
    if not isinstance(error, Exception):
        raise error  # an interrupt from the keyboard or the wall limit, caught by SimPy
    message = "SimPy event failed and nobody waited for it"
    loop.call_exception_handler({"message": message, "exception": error, "event": event})


def _check_nothing_waits(loop: SimLoop) -> None:
    """Raise Deadlock when something waits although nothing is left to do."""
    if loop.goal is not None or loop.leftovers():
        raise Deadlock(report(loop))


def lane_of(callback: object) -> object:
    """Return the task or SimPy process whose step the callback is, else the callback itself."""
    owner = getattr(callback, "__self__", None)
    return owner if isinstance(owner, asyncio.Task | simpy.Process) else callback


def _suspect(loop: SimLoop, batches: int) -> None:
    """Note who is ready in the last batches before the limit; at the limit, name them."""
    env = loop.env
    callbacks = [handle.call[0] for handle in loop.ready if handle.call]
    for when, _, _, event in env._queue:  # noqa: SLF001
        if when <= env._now and not isinstance(event, Timer | Future):  # noqa: SLF001
            callbacks.extend(event.callbacks)
    loop.suspects.update((name_of(lane_of(callback)), None) for callback in callbacks)
    if batches > loop.busy_limit:
        raise BusySpin(
            f"{batches} batches ran at {loop.time()} s and time did not advance; ready again and "
            f"again: {', '.join(loop.suspects)}. Let a loop that waits sleep for some time, or "
            "wait for an event."
        )
