"""The bridge: a SimPy event as an asyncio future, and an awaitable as a SimPy event.

Imports simpy and asyncio. Values and failures cross in both directions. Cancelling the waiting
side stops the wait and leaves what it waited for alone.
"""

# ruff: noqa: SLF001 - what SimPy's callbacks read of an event: the properties cost a call

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

import simpy

from windtunnel_models.errors import LoopError, TaskCancelled
from windtunnel_models.loop.naming import name_of

if TYPE_CHECKING:
    from windtunnel_models.loop.sim_loop import SimLoop

# From this many listeners on, listeners that gave up are looked for when the number doubles.
CROWD = 16


class Listener:
    """Waits at a SimPy event for an asyncio future; an entry of the event's `callbacks`."""

    __slots__ = ("future",)

    def __init__(self, future: asyncio.Future[Any]) -> None:
        self.future = future

    def __call__(self, event: simpy.Event) -> None:
        """Pass the event's outcome on; a failure counts as handled only if someone still waits."""
        future = self.future
        if future.done():
            return
        if event._ok:
            future.set_result(event._value)
        else:
            event.defused = True
            future.set_exception(event._value)


def as_future(loop: SimLoop, event: object) -> asyncio.Future[Any]:
    """Return a future of the loop that is settled when the event is processed.

    Raises LoopError when the event belongs to another environment, TypeError when it is no event.
    """
    if not isinstance(event, simpy.Event):
        raise TypeError(f"as_future() takes a SimPy event, got {event!r}")
    if event.env is not loop.env:
        raise LoopError(f"{name_of(event)} belongs to another environment than this loop's")
    future: asyncio.Future[Any] = loop.create_future()
    future.sim_event = event  # type: ignore[attr-defined] # for reports of deadlocks
    listener = Listener(future)
    if event.processed:
        listener(event)
        return future
    _thin_out(event.callbacks)
    event.callbacks.append(listener)
    return future


def _thin_out(callbacks: list[Any]) -> None:
    """Drop listeners that gave up, so that polling an event with a time-out costs no memory."""
    count = len(callbacks)
    if count >= CROWD and not count & (count - 1):
        callbacks[:] = [c for c in callbacks if not (type(c) is Listener and c.future.done())]


def as_event(loop: SimLoop, awaitable: Awaitable[Any]) -> simpy.Event:
    """Return an event of the loop's environment, triggered when the awaitable is done.

    A coroutine is started as a task at once. A failure fails the event; a cancellation fails it
    with TaskCancelled, as SimPy's failures are `Exception`s. Interrupting the process that waits
    leaves the task alone. SimPy throws a copy, `type(error)(*error.args)`, into each process; for
    an error that cannot be copied so (`json.JSONDecodeError`, say) a LoopError stands in, with the
    error as its cause. Raises TypeError when the argument cannot be awaited.
    """
    if isinstance(awaitable, simpy.Event) and awaitable.env is loop.env:
        return awaitable
    future = asyncio.ensure_future(awaitable, loop=loop)
    event = loop.env.event()
    event.sim_future = future  # type: ignore[attr-defined] # for reports of deadlocks

    def settle(done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            event.fail(TaskCancelled(f"{name_of(done)} was cancelled"))
        elif (error := done.exception()) is None:
            event.succeed(done.result())
        elif isinstance(error, Exception) and _can_be_copied(error):
            event.fail(error)
        else:
            event.fail(_stand_in(done, error))

    future.add_done_callback(settle)
    return event


def _can_be_copied(error: Exception) -> bool:
    try:
        return type(type(error)(*error.args)) is type(error)
    except Exception:  # noqa: BLE001 - whatever its constructor raises, it cannot be copied
        return False


def _stand_in(done: asyncio.Future[Any], error: BaseException) -> LoopError:
    stand_in = LoopError(f"{name_of(done)} failed with {error!r}")
    stand_in.__cause__ = error
    return stand_in
