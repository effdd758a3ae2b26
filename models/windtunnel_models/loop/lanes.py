"""Lanes: to whom a ready handle or a due event belongs. What belongs to one lane keeps its order.

Imports asyncio and simpy. A lane is one task or one SimPy process. What only wakes a task (a sleep,
a time-out that settles the future a task waits for, a SimPy event that a task awaits) is of that
task's lane. Any other callback is of the lane of the object whose method it is, so that what one
object has asked for happens in the order in which it asked; and a callback that is no method is a
lane of its own.
"""

# ruff: noqa: ANN401, SLF001 - anything may be on the heap; asyncio keeps a future's waiters private

from __future__ import annotations

import asyncio
from asyncio import futures, tasks
from types import ModuleType
from typing import Any, Final

from simpy.events import Interruption

from windtunnel_models.loop.bridge import Listener
from windtunnel_models.loop.handles import Handle, Timer

Future = asyncio.Future
# asyncio's own callbacks that do no more than settle the future given.
SETTLERS: Final = frozenset(
    {
        futures._set_result_unless_cancelled,  # type: ignore[attr-defined]
        getattr(tasks, "_release_waiter", None),
    }
)


def lane_of(callback: Any) -> Any:
    """Return the task, the SimPy process or another object whose method it is, else itself."""
    owner = getattr(callback, "__self__", None)
    if owner is None or isinstance(owner, ModuleType):
        return callback
    if isinstance(owner, asyncio.Task) and getattr(callback, "__name__", "") == "cancel":
        return callback  # somebody else's doing: it is in a race with the task
    return owner.process if isinstance(owner, Interruption) else owner


def lane_of_handle(handle: Handle) -> Any:
    """Return the lane of a handle in the ready queue; the handle itself is a lane of its own."""
    return _lane_of_call(handle, handle.call)


def lane_of_event(event: Any) -> Any:
    """Return the lane of what stands on the heap; the event itself is a lane of its own."""
    woken = woken_by(event)
    if woken is not None:
        return _waiter(woken)
    if isinstance(event, Timer):
        return _lane_of_call(event, event.call)
    for callback in event.callbacks or ():
        return _lane_of_call(event, (callback,))
    return event


def woken_by(event: Any) -> Future[Any] | None:
    """Return the future that an event settles, if that is all it does: no code sees it fire."""
    if isinstance(event, Future):
        return event
    if isinstance(event, Timer):
        return _settled_by(event.call)
    callbacks = event.callbacks
    if callbacks and len(callbacks) == 1 and type(callbacks[0]) is Listener:
        return callbacks[0].future
    return None


def _settled_by(call: tuple[Any, ...]) -> Future[Any] | None:
    callback, *args = call
    if callback.__class__ is _FUNCTION and callback in SETTLERS:
        return args[0] if isinstance(args[0], Future) else None
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, Future) and getattr(callback, "__name__", "").startswith("set_"):
        return owner
    return None


def _waiter(future: Future[Any]) -> Any:
    """Return the lane of the first who waits for the future, else the future itself."""
    for callback, _ in future._callbacks or ():
        return _lane_of_call(future, (callback,))
    return future


def _lane_of_call(thing: Any, call: tuple[Any, ...]) -> Any:
    lane = lane_of(call[0])
    return thing if lane is call[0] else lane


_FUNCTION: Final = type(lane_of)
