"""A life: one run of a program on a host, from its start to its end, and all that it has begun.

Whatever a program starts (tasks, callbacks, timers) inherits the context that it was started in,
and the life stands in that context: so all of it is found when the life ends, by whatever means it
was started. The end is that of a killed process: nothing of it takes another step. Coroutines are
closed where they stand; what their `finally` blocks still do has no effect, as the ports are dead.
Imports the loop.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine, Iterator
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final, NoReturn

from windtunnel.errors import WorldError, world_error_in
from windtunnel_models.loop.handles import Handle, Timer
from windtunnel_models.loop.sim_loop import SimLoop

CLOSINGS: Final = 100
"""How many awaits in `finally` blocks a coroutine may have before it is left as it is."""
ROUNDS: Final = 100
"""How often what is being closed may start new tasks."""

_LIFE: Final[ContextVar[Life | None]] = ContextVar("windtunnel.life", default=None)


class Life:
    """One life of a program; `name` is its host's."""

    __slots__ = ("_context", "_left", "_loop", "_reaping", "alive", "name")

    def __init__(self, loop: SimLoop, name: str) -> None:
        self._loop = loop
        self._context = copy_context()
        self._context.run(_LIFE.set, self)
        # What tasks that are over have waited for, and nobody else does.
        self._left: set[Any] = set()
        self._reaping = False
        self.name = name
        self.alive = True

    def create_task(self, coro: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Start a task that belongs to this life, and ends with it."""
        return self._loop.create_task(coro, name=name, context=self._context.copy())

    def end(self) -> None:
        """End it: its tasks are over at this call, and the running one with its step.

        Nothing happens when it has ended.
        """
        if self.alive:
            self.alive = False
            self._reap()

    async def never(self) -> NoReturn:
        """Wait for ever: what a call becomes that a dead program makes.

        A task that belongs to the dead life is closed as soon as it waits here.
        """
        if not self._reaping and _life_of(asyncio.current_task()) is self:
            self._reap_soon()
        await self._loop.create_future()
        raise AssertionError("nobody settles that future")

    # ------------------------------------------------------------------ ending

    def _reap_soon(self) -> None:
        self._reaping = True
        self._loop.call_soon(self._reap, context=Context())  # one that is of no life

    def _reap(self) -> None:
        """End every task, also those that are begun meanwhile; then let no call of its be made."""
        self._reaping = False
        running = asyncio.current_task(self._loop)
        for _ in range(ROUNDS):
            tasks = [task for task in self._tasks() if task is not running]
            for task in tasks:
                self._end_task(task)
            calls = list(self._calls())
            for call in calls:
                _drop(call)
            if not (tasks or calls):
                break
        self._wake_nobody()
        if _life_of(running) is self:
            self._reap_soon()

    def _tasks(self) -> Iterator[asyncio.Task[Any]]:
        """Yield the tasks that are not over, in the order of creation.

        A failure that nobody has looked at is not reported any more, unless it is the world's:
        whoever might have looked at it is gone.
        """
        for task in self._loop._tasks:  # noqa: SLF001 - the loop's own roster
            if _life_of(task) is not self:
                continue
            if not task.done():
                yield task
                continue
            failure = None if task.cancelled() else task._exception  # noqa: SLF001 - `exception()` is to have looked
            if failure is not None and world_error_in(failure) is None:
                task.exception()

    def _end_task(self, task: asyncio.Task[Any]) -> None:
        """Close a task's coroutine, and have the task be over without another step.

        What it waited for is let be: others may wait for it too.
        """
        coro, context = task.get_coro(), context_of(task) or Context()
        for _ in range(CLOSINGS):
            try:
                is_closed = context.run(_close, coro)
            except RuntimeError:  # the running code is in that context already
                is_closed = _close(coro)
            if is_closed:
                break
        waited_for: asyncio.Future[Any] | None = task._fut_waiter  # type: ignore[attr-defined] # noqa: SLF001 - asyncio tells it nowhere else
        if waited_for is not None and _detach(task, waited_for):
            self._left.add(waited_for)
        # As a future: a task's own `cancel` would have it take a step.
        asyncio.Future.cancel(task)

    def _calls(self) -> Iterator[Handle | Timer]:
        """Yield the calls that its code has asked the loop for, steps of its tasks among them."""
        loop = self._loop
        taken = loop.turns.pending() if loop.turns is not None else ()
        events = (entry[3] for entry in loop.env._queue)  # noqa: SLF001 - SimPy's heap
        for item in [*taken, *loop.ready, *events]:
            if (
                isinstance(item, Handle | Timer)
                and item.context.get(_LIFE) is self
                and not item.cancelled()
            ):
                yield item

    def _wake_nobody(self) -> None:
        """Take the sleeps off the heap that nobody sleeps any more."""
        env, left = self._loop.env, self._left
        sleeps: list[Any] = [entry[3] for entry in env._queue if entry[3] in left]  # noqa: SLF001 - as above
        for sleep in sleeps:
            sleep.cancel()
            env.bury()
        left.clear()


def _drop(call: Handle | Timer) -> None:
    """Let a call not be made, nor a coroutine be started by it."""
    for argument in call.call[1:]:
        if isinstance(argument, Coroutine):
            _close(argument)
        elif isinstance(argument, asyncio.Future) and argument.done():
            _look_at(argument)
    call.cancel()


def _look_at(future: asyncio.Future[Any]) -> None:
    """Take a failure as looked at, unless it is the world's: the task about to see it is gone."""
    if not future.cancelled() and not isinstance(future._exception, WorldError):  # noqa: SLF001 - `exception()` is to have looked
        future.exception()


def context_of(task: asyncio.Task[Any]) -> Context | None:
    """Return the context that a task runs in."""
    if hasattr(task, "get_context"):  # from CPython 3.12 on
        context: Context = task.get_context()
        return context
    # The first that asyncio's C task refers to is its own.
    return next((each for each in gc.get_referents(task) if type(each) is Context), None)


def _life_of(task: asyncio.Task[Any] | None) -> Life | None:
    context = None if task is None else context_of(task)
    return None if context is None else context.get(_LIFE)


def _close(coro: Any) -> bool:  # noqa: ANN401 - whatever a task may have
    """Close a coroutine as far as its next await in a `finally` block; tell whether it is over."""
    try:
        coro.close()
    except RuntimeError:
        return False
    except (SystemExit, KeyboardInterrupt, WorldError):
        raise  # the run ends
    except BaseException:  # noqa: BLE001 - what a dead program raises concerns nobody
        return True
    return True


def _detach(task: asyncio.Task[Any], waited_for: asyncio.Future[Any]) -> bool:
    """Let a future not wake a task; tell whether it would wake nobody else."""
    for callback, _ in tuple(waited_for._callbacks or ()):  # noqa: SLF001 - asyncio tells it nowhere else
        if getattr(callback, "__self__", None) is task:
            waited_for.remove_done_callback(callback)
    return not waited_for._callbacks  # noqa: SLF001 - as above
