"""The life of a loop: it runs, perhaps several times, ends what is left over, and is closed.

Imports asyncio.
"""

# ruff: noqa: ANN401, SLF001 - the loop's own state; any awaitable runs, with any result

from __future__ import annotations

import asyncio
import sys
from _thread import get_ident
from asyncio import events, futures
from typing import TYPE_CHECKING, Any

from windtunnel_models.errors import Deadlock, LoopError
from windtunnel_models.loop import guard
from windtunnel_models.loop.environment import is_cancelled
from windtunnel_models.loop.handles import Handle
from windtunnel_models.loop.iteration import iterate
from windtunnel_models.loop.stable_sets import stable_sets
from windtunnel_models.loop.threads import threads_refused
from windtunnel_models.loop.waiting import describe_task, report

if TYPE_CHECKING:
    from windtunnel_models.loop.sim_loop import SimLoop

# Seconds of virtual time that a leftover task has to end once it is cancelled.
END_GRACE = 3600.0
# How many frames of a coroutine's origin debug mode keeps; asyncio's own figure.
ORIGIN_DEPTH = 10


def run_forever(loop: SimLoop) -> None:
    """See `SimLoop.run_forever`."""
    guard.check_closed(loop)
    guard.check_not_running(loop)
    depth = sys.get_coroutine_origin_tracking_depth()
    try:
        loop._running = True
        guard.adopt(loop, get_ident())
        track_origins(loop)
        events._set_running_loop(loop)
        with loop._generators.hooked(), stable_sets(), threads_refused():
            if loop.turns is None:
                iterate(loop)
            else:
                loop.turns.iterate()
    finally:
        loop.stopping = loop._running = False
        events._set_running_loop(None)
        sys.set_coroutine_origin_tracking_depth(depth)


def track_origins(loop: SimLoop) -> None:
    """Let coroutines remember where they were made, in debug mode."""
    if loop._debug:
        sys.set_coroutine_origin_tracking_depth(ORIGIN_DEPTH)


def run_until_complete(loop: SimLoop, future: Any) -> Any:
    """See `SimLoop.run_until_complete`."""
    guard.check_closed(loop)
    guard.check_not_running(loop)
    is_new = not futures.isfuture(future)
    goal = asyncio.ensure_future(future, loop=loop)
    if is_new:
        goal._log_destroy_pending = False  # as asyncio
    goal.add_done_callback(_stop)
    loop.goal = goal
    try:
        loop.run_forever()
        if not goal.done():
            raise RuntimeError("Event loop stopped before Future completed.")  # noqa: TRY301
        return goal.result()
    except BaseException as error:
        loop._goal_error = error
        if is_new and goal.done() and not goal.cancelled():
            goal.exception()  # looked at: the error is on its way to the caller
        raise
    finally:
        loop.goal = None
        goal.remove_done_callback(_stop)


def _stop(future: asyncio.Future[Any]) -> None:
    """Stop the loop when the future that it runs for is done, as asyncio does."""
    if not future.cancelled() and isinstance(future.exception(), SystemExit | KeyboardInterrupt):
        return  # the loop has already been left with it
    future.get_loop().stop()


def leftovers(loop: SimLoop) -> list[asyncio.Task[Any]]:
    """See `SimLoop.leftovers`."""
    running = asyncio.current_task(loop) if loop._running else None
    return [
        task
        for task in loop._tasks
        if not task.done() and task not in loop.daemons and task is not running
    ]


def is_exhausted(loop: SimLoop) -> bool:
    """See `SimLoop.is_exhausted`."""
    taken = loop.turns.pending() if loop.turns is not None else ()
    if loop.ready or any(isinstance(item, Handle) or not is_cancelled(item) for item in taken):
        return False
    return all(is_cancelled(entry[3]) for entry in loop.env._queue)


def cancel_leftovers(loop: SimLoop) -> None:
    """See `SimLoop.cancel_leftovers`."""
    pending = [task for task in loop._tasks if not task.done()]
    for task in pending:
        task.cancel()
    if pending:
        cancelled_at = loop.time()
        loop.run_until_complete(asyncio.wait(pending, timeout=END_GRACE))
        if loop.is_exhausted() and loop.leftovers():
            raise Deadlock(report(loop, cancelled_at))
    for task in pending:
        if not task.done():
            _abandon(loop, task)
        elif not task.cancelled() and task.exception() is not None:
            message = "unhandled exception while the run was ended"
            error = task.exception()
            loop.call_exception_handler({"message": message, "exception": error, "task": task})


def _abandon(loop: SimLoop, task: asyncio.Task[Any]) -> None:
    """Report a task that ignores its cancellation, and hide it: asyncio.Runner would wait on."""
    error = LoopError(
        f"{describe_task(task)} {END_GRACE} s after it was cancelled: let a CancelledError end it"
    )
    message = "a task ignored its cancellation when the run was ended"
    loop.call_exception_handler({"message": message, "exception": error, "task": task})
    task._log_destroy_pending = False  # type: ignore[attr-defined] # told already
    asyncio.tasks._unregister_task(task)


def close(loop: SimLoop) -> None:
    """See `SimLoop.close`."""
    if loop._running:
        raise RuntimeError("Cannot close a running event loop")
    if loop._closed:
        return
    loop.background.look_at(loop._tasks)
    loop.env.cancel_sleeps()
    loop._closed = True
    loop._trusted = None
    loop.ready.clear()
    loop._tasks.clear()
    raised = sys.exception()
    loop.background.settle(raised if raised is loop._goal_error else None)
