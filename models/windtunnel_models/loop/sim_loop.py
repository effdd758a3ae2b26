"""The loop: an asyncio event loop on SimPy's timeline.

Imports asyncio and simpy. This file is the interface and the fast paths of scheduling; what happens
in one iteration stands in `iteration.py`, how a loop runs and ends in `lifecycle.py`.
"""

# ruff: noqa: ANN401, SLF001 - callbacks take anything; SimPy and asyncio keep these names private

from __future__ import annotations

import asyncio
import contextvars
import itertools
import math
import weakref
from _thread import get_ident
from asyncio import coroutines, futures
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from heapq import heappush
from typing import Any

import simpy
from simpy.events import NORMAL

from windtunnel.units import SECOND, SHORT_S
from windtunnel.world import Ties
from windtunnel_models.errors import ForeignThread
from windtunnel_models.loop import bridge, guard, lifecycle
from windtunnel_models.loop.async_generators import AsyncGenerators
from windtunnel_models.loop.background import BackgroundFailures, Context, Handler
from windtunnel_models.loop.environment import SimEnvironment
from windtunnel_models.loop.handles import ARMED, Call, Handle, Timer, describe_call
from windtunnel_models.loop.instants import delay_ns, to_ns
from windtunnel_models.loop.refusals import RefusingLoop
from windtunnel_models.loop.roster import Roster
from windtunnel_models.loop.tasks import (
    AnyTask,
    is_of_interest,
    make_by_factory,
    make_task,
    numbered,
)
from windtunnel_models.loop.ties import TieRule
from windtunnel_models.loop.turns import Turns

Future = asyncio.Future
_copy_context = contextvars.copy_context
# asyncio.sleep's callback: it only settles a future, so it needs no context of its own.
_SETTER = futures._set_result_unless_cancelled  # type: ignore[attr-defined]

# Batches at one instant after which the program is taken to spin.
BUSY_LIMIT = 1_000_000


class SimLoop(RefusingLoop):
    """An asyncio event loop in virtual time.

    `env` is the SimPy environment, `time()` starts at 0 s and moves only when nothing is ready,
    `seed` is for whoever draws random numbers for this run, `busy_limit` is the number of batches
    at one instant that counts as a spin. Whatever could only end in real time (threads, sockets,
    programs, signals) raises `Unsupported`.
    """

    def __init__(self) -> None:
        self.env = SimEnvironment(self)
        self.seed = 0
        self.busy_limit = BUSY_LIMIT
        self._heap, self._ids = self.env._queue, self.env._eid
        self.numbers = itertools.count(1)
        self.ready: deque[Handle] = deque()
        self._tasks: Roster[AnyTask] = Roster(is_of_interest)
        self.daemons: weakref.WeakSet[Any] = weakref.WeakSet()
        self.background = BackgroundFailures(self)
        self._generators = AsyncGenerators(self)
        self._task_factory: Callable[..., Any] | None = None
        self._make_task: Callable[..., Any] = make_task
        # None when tasks are of a user's own kind: theirs do not count the sleeps they cut short.
        self._setter: Callable[..., object] | None = _SETTER
        self.goal: asyncio.Future[Any] | None = None
        self._goal_error: BaseException | None = None
        self.suspects: dict[str, None] = {}
        # Who goes first among lanes that are ready together; None: FIFO, and nothing is asked.
        self.turns: Turns | None = None
        self.stopping = False
        self._closed = self._running = self._debug = False
        self._thread = get_ident()
        # The thread that may schedule without being looked at; None when every call is looked at.
        self._trusted: int | None = self._thread
        self.set_debug(coroutines._is_debug_mode())  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<SimLoop at {self.time()} s running={self._running} closed={self._closed}>"

    # ------------------------------------------------------------------ time

    def time(self) -> float:
        """Return the virtual time in seconds since the loop was made."""
        return self.env._now / SECOND

    def time_ns(self) -> int:
        """Return the virtual time in whole nanoseconds since the loop was made."""
        return self.env._now

    # ------------------------------------------------------------------ scheduling

    def call_soon(  # type: ignore[override]
        self,
        *call: Any,
        context: contextvars.Context | None = None,
    ) -> Handle:
        """Run the callback in the next iteration; `call` is the callback, then its arguments.

        Raises ForeignThread when another thread calls while the loop runs; the run fails too.
        """
        if get_ident() != self._trusted:
            guard.check_call(self, "call_soon", call)
        handle = Handle()
        handle.call = call
        handle.context = _copy_context() if context is None else context
        self.ready.append(handle)
        return handle

    def call_soon_threadsafe(  # type: ignore[override]
        self,
        *call: Any,
        context: contextvars.Context | None = None,
    ) -> Handle:
        """Run the callback in the next iteration; from another thread, raise ForeignThread.

        Callable from a signal handler of the loop's own thread, as asyncio.Runner does.
        """
        return self.call_soon(*call, context=context)

    def call_later(  # type: ignore[override]
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> Timer:
        """Run the callback `delay` seconds from now, to the nearest nanosecond.

        A positive delay is at least 1 ns, a negative one is now, an infinite one never. Raises
        ValueError for NaN and for more than 292 years, ForeignThread as `call_soon`.
        """
        if callback is self._setter and delay < SHORT_S and args[1] is None:
            # asyncio.sleep, in the thread of its loop: nobody else has this callback, and it comes
            # here with a positive delay only. All that it does with the handle is to cancel it in
            # the end, so its future stands on the heap by itself, and for the handle too.
            future, _ = args
            deadline = self.env._now + ((delay * 1e9).__round__() or 1)
            heappush(self._heap, (deadline, NORMAL, next(self._ids), future))
            return future  # type: ignore[no-any-return]
        deadline_ns = self.env._now + delay_ns(delay)
        return self._set_timer("call_later", deadline_ns, (callback, *args), context)

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> Timer:
        """Run the callback at `when` seconds of `time()`; a past instant is now."""
        return self._set_timer("call_at", to_ns(when), (callback, *args), context)

    def _set_timer(
        self, method: str, deadline: float, call: Call, context: contextvars.Context | None
    ) -> Timer:
        """Put a timer on the heap, unless its deadline (ns) is never; a past one is now."""
        if get_ident() != self._trusted:
            guard.check_call(self, method, call)
        env = self.env
        timer = Timer()
        timer.env = env
        timer.call = call
        timer.context = _copy_context() if context is None else context
        timer.deadline = deadline = max(deadline, env._now)
        if deadline == math.inf:
            timer.callbacks = None
        else:
            timer.callbacks = ARMED
            heappush(env._queue, (deadline, NORMAL, next(env._eid), timer))  # type: ignore[misc]
        return timer

    # ------------------------------------------------------------------ futures and tasks

    def create_future(self) -> asyncio.Future[Any]:
        """Make a future of this loop."""
        return Future(loop=self)

    def create_task(
        self,
        coro: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        *,
        name: str | None = None,
        context: contextvars.Context | None = None,
        **options: Any,
    ) -> asyncio.Task[Any]:
        """Start a coroutine as a task; its default name counts per loop."""
        guard.check_closed(self)
        if self._task_factory is None:
            task: AnyTask = make_task(coro, loop=self, name=name, context=context, **options)
        else:
            task = make_by_factory(self, self._make_task, coro, name, context, options)
        self._tasks.add(task)
        return task

    def set_task_factory(self, factory: Callable[..., Any] | None) -> None:
        """Use the factory for tasks, called as `factory(loop, coro, **options)`; None: our own."""
        if factory is not None and not callable(factory):
            raise TypeError("task factory must be a callable or None")
        self._task_factory = factory
        self._make_task = make_task if factory is None else numbered(factory)
        self._setter = None if self._make_task is factory else _SETTER

    def get_task_factory(self) -> Callable[..., Any] | None:
        """Return the factory set, or None."""
        return self._task_factory

    def as_future(self, event: simpy.Event) -> asyncio.Future[Any]:
        """Return a future for any SimPy event of `env`; see `bridge.as_future`."""
        return bridge.as_future(self, event)

    def as_event(self, awaitable: Awaitable[Any]) -> simpy.Event:
        """Return an event for a SimPy process to `yield`; see `bridge.as_event`."""
        return bridge.as_event(self, awaitable)

    def mark_daemon(self, what: asyncio.Task[Any] | simpy.Process) -> None:
        """Leave a watcher that never ends out of reports of deadlocks and of `leftovers`."""
        self.daemons.add(what)

    def leftovers(self) -> list[asyncio.Task[Any]]:
        """Return the pending tasks, daemons and the running one aside, in order of creation."""
        return lifecycle.leftovers(self)

    def is_exhausted(self) -> bool:
        """Tell whether neither a callback nor a live timer is left."""
        return lifecycle.is_exhausted(self)

    def set_ties(self, ties: Ties) -> None:
        """Have ties at one instant decided as `ties` says; RuntimeError while the loop runs."""
        guard.check_not_running(self)
        self.turns = Turns(self, TieRule(ties)) if ties.asked else None

    @property
    def choices(self) -> tuple[int, ...]:
        """The choices made so far, the first `ties.MOST_CHOICES` of them; none for plain FIFO."""
        return tuple(self.turns.rule.choices) if self.turns is not None else ()

    # ------------------------------------------------------------------ running

    def run_forever(self) -> None:
        """Run until `stop` is called or, in virtual time, until nothing is left to do.

        Raises Deadlock when tasks (daemons aside) still wait then, BusySpin when time stands still.
        """
        lifecycle.run_forever(self)

    def run_until_complete(self, future: Any) -> Any:
        """Run until the awaitable is done; return its result or raise its exception.

        Raises Deadlock when nothing is left to do before that, RuntimeError when the loop is
        stopped before that.
        """
        return lifecycle.run_until_complete(self, future)

    def stop(self) -> None:
        """Let `run_forever` return after the present iteration."""
        self.stopping = True

    # ------------------------------------------------------------------ closing

    def cancel_leftovers(self) -> None:
        """Cancel all pending tasks, daemons too, in order of creation, and run until they end.

        Their failures are reported to `call_exception_handler`, as asyncio.Runner does; so is a
        task that has not ended an hour (of virtual time) later, which is then left alone.
        """
        lifecycle.cancel_leftovers(self)

    def is_running(self) -> bool:
        """Tell whether the loop runs."""
        return self._running

    def is_closed(self) -> bool:
        """Tell whether `close` was called."""
        return self._closed

    def close(self) -> None:
        """Close the loop; a second time does nothing.

        Raises BackgroundError for exceptions that nobody retrieved, in tasks, callbacks, futures
        and SimPy processes. When an error of the main task is being raised, they become its notes.
        Raises RuntimeError while the loop runs.
        """
        lifecycle.close(self)

    async def shutdown_asyncgens(self) -> None:
        """Close the asynchronous generators still alive, the oldest first."""
        await self._generators.shutdown()

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Do nothing: there is no executor."""

    # ------------------------------------------------------------------ errors and debugging

    def call_exception_handler(self, context: Context) -> None:
        """Report a failure: to the handler set, else it fails the run when the loop is closed."""
        self.background.report(context)

    def default_exception_handler(self, context: Context) -> None:
        """Let an exception fail the run when the loop is closed; log what is none."""
        self.background.keep(context)

    def set_exception_handler(self, handler: Handler | None) -> None:
        """Let the handler take failures, so that they no longer fail the run; None: undo."""
        if handler is not None and not callable(handler):
            raise TypeError(f"A callable object or None is expected, got {handler!r}")
        self.background.handler = handler

    def get_exception_handler(self) -> Handler | None:
        """Return the handler set, or None."""
        return self.background.handler

    def get_debug(self) -> bool:
        """Tell whether the loop is in debug mode."""
        return self._debug

    def set_debug(self, enabled: bool) -> None:  # noqa: FBT001 - asyncio's signature
        """Turn debug mode on or off: origins of coroutines are kept, callbacks looked at."""
        self._debug = bool(enabled)
        # Asked for by each future that is made: `bool()` is the fastest way to say False.
        self.get_debug = _yes if enabled else bool  # type: ignore[method-assign]
        guard.adopt(self, self._thread)
        if self._running:
            lifecycle.track_origins(self)

    def call_failed(self, handle: Handle | Timer, error: BaseException) -> None:
        """Report what a callback raised; another thread's call ends the run."""
        if isinstance(error, ForeignThread):
            raise error
        message = f"Exception in callback {describe_call(handle.call)}"
        self.call_exception_handler({"message": message, "exception": error, "handle": handle})


def _yes() -> bool:
    return True
