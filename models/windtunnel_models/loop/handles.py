"""Handles: what `call_soon` and `call_later` return.

Imports `windtunnel.units`. A `Timer` is at once an asyncio timer handle and a SimPy event,
pushed on the environment's heap as it is: making objects is what a simulated sleep costs, so one
object does for both. No Python-level `__init__` runs for either; the loop fills the slots.
"""

from __future__ import annotations

import asyncio
import contextvars
from asyncio import format_helpers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from windtunnel.units import SECOND
from windtunnel_models.loop.naming import without_addresses

if TYPE_CHECKING:
    from windtunnel_models.loop.environment import SimEnvironment

    # To a type checker they are asyncio's handles, as the interface of a loop demands; at run time
    # they share nothing with them.
    HandleShape = asyncio.Handle
    TimerShape = asyncio.TimerHandle
else:
    HandleShape = TimerShape = object

# A callback, then its arguments.
Call = tuple[Any, ...]
Callbacks = tuple[Callable[[Any], None], ...] | None


class Handle(HandleShape):
    """A call in the ready queue; made once, in its context, unless cancelled.

    `call` is the callback with its arguments in one tuple, as `context.run` takes them.
    """

    __slots__ = ("call", "context")

    call: Call
    context: contextvars.Context

    if TYPE_CHECKING:

        def __init__(self) -> None: ...

    def cancel(self) -> None:
        """Let the call not be made; no effect when it has been."""
        self.call = NOTHING

    def cancelled(self) -> bool:
        """Tell whether `cancel` was called."""
        return self.call is NOTHING

    def get_context(self) -> contextvars.Context:
        """Return the context in which the call is made."""
        return self.context

    def __repr__(self) -> str:
        return f"<Handle {describe_call(self.call)}>"


class Timer(TimerShape):
    """A call at a virtual instant; an entry of the SimPy heap.

    SimPy's side: `callbacks` holds what `Environment.step` calls with the timer (`ARMED`), is None
    once it fired, and is `DEAD` when it was cancelled: an event without callbacks, which only
    passes by. asyncio's side: `cancel`, `cancelled`, `when`. `deadline` is in nanoseconds, or
    infinite.
    """

    __slots__ = ("call", "callbacks", "context", "deadline", "env")

    _ok = True

    call: Call
    callbacks: Callbacks
    context: contextvars.Context
    deadline: float
    env: SimEnvironment

    if TYPE_CHECKING:

        def __init__(self) -> None: ...

    def cancel(self) -> None:
        """Let the call not be made, and the heap be swept when it holds mostly such timers."""
        self.call = NOTHING
        if self.callbacks is ARMED:
            self.callbacks = DEAD
            self.env.bury()

    def cancelled(self) -> bool:
        """Tell whether `cancel` was called."""
        return self.call is NOTHING

    def when(self) -> float:
        """Return the deadline in seconds of `loop.time()`."""
        return self.deadline / SECOND

    def get_context(self) -> contextvars.Context:
        """Return the context in which the call is made."""
        return self.context

    def __repr__(self) -> str:
        return f"<Timer at {self.when()} s {describe_call(self.call)}>"


def _fire(timer: Timer) -> None:
    """Run a timer that was taken off the heap; what it raises goes to the loop's handler."""
    try:
        timer.context.run(*timer.call)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - as asyncio
        timer.env.loop.call_failed(timer, error)


# What SimPy calls when it takes a timer off its heap.
ARMED: Callbacks = (_fire,)
DEAD: Callbacks = ()


def _do_nothing() -> None:
    """Stand for a cancelled call."""


NOTHING: Call = (_do_nothing,)


def describe_call(call: Call) -> str:
    """Return the callback's name and place, as asyncio words it, or `cancelled`."""
    if call is NOTHING:
        return "cancelled"
    callback, *args = call
    text = format_helpers._format_callback_source(callback, tuple(args))  # noqa: SLF001 - as asyncio words it
    return without_addresses(text)
