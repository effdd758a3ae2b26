"""The guard: what is checked when a call into the loop is not on the fast path.

Imports asyncio. The loop trusts one thread, its own, and only while it is open and not in debug
mode; every other call comes here.
"""

# ruff: noqa: SLF001 - it looks after the loop's own state; asyncio keeps the running loop private

from __future__ import annotations

import contextvars
from _thread import get_ident
from asyncio import coroutines, events
from typing import TYPE_CHECKING, NoReturn

from windtunnel_models.errors import ForeignThread
from windtunnel_models.loop.handles import Call, Handle

if TYPE_CHECKING:
    from windtunnel_models.loop.sim_loop import SimLoop


def check_call(loop: SimLoop, method: str, call: Call) -> None:
    """Check a call that schedules something: a closed loop, a foreign thread, debug mode.

    Raises RuntimeError, ForeignThread (and lets the run fail with it), TypeError respectively.
    """
    check_closed(loop)
    thread = get_ident()
    if not loop._running:
        adopt(loop, thread)
    elif thread != loop._thread:
        _fail_for_thread(loop, method, call)
    if loop._debug and not _is_callback(call):
        raise TypeError(f"{method}() takes a function and its arguments, got {call!r}")


def adopt(loop: SimLoop, thread: int) -> None:
    """Make the thread the loop's own."""
    loop._thread = thread
    loop._trusted = None if loop._debug or loop._closed else thread


def _is_callback(call: Call) -> bool:
    return (
        bool(call)
        and callable(call[0])
        and not coroutines.iscoroutine(call[0])
        and not coroutines.iscoroutinefunction(call[0])
    )


def _fail_for_thread(loop: SimLoop, method: str, call: Call) -> NoReturn:
    """Raise ForeignThread here, and in the loop's thread, which never waits for anybody.

    The call follows the error: a task whose future the thread settled must be woken, or it could
    not even be cancelled when the run is ended.
    """
    error = ForeignThread(
        f"another thread called loop.{method}(): virtual time does not wait for real threads; "
        "call the function in the loop's own thread, or model its duration with a sleep"
    )
    for each in ((_raise, error), call):
        handle = Handle()
        handle.call, handle.context = each, contextvars.copy_context()
        loop.ready.append(handle)  # atomic
    raise error


def _raise(error: BaseException) -> NoReturn:
    raise error


def check_closed(loop: SimLoop) -> None:
    """Raise RuntimeError when the loop is closed."""
    if loop._closed:
        raise RuntimeError("Event loop is closed")


def check_not_running(loop: SimLoop) -> None:
    """Raise RuntimeError when this or another loop runs in this thread."""
    if loop._running:
        raise RuntimeError("This event loop is already running")
    if events._get_running_loop() is not None:
        raise RuntimeError("Cannot run the event loop while another loop is running")
