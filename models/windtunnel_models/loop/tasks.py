"""The task: asyncio's C task, numbered by its loop.

Imports asyncio. The number is its hash, so that sets of tasks (what `asyncio.wait` returns, what a
TaskGroup aborts, `all_tasks`, users' own) iterate in an order that no memory address decides, and
its default name counts per loop, not per interpreter.
"""

# ruff: noqa: ANN401 - asyncio's signatures

from __future__ import annotations

import asyncio
import contextvars
import sys
from collections.abc import Callable, Coroutine, Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windtunnel_models.loop.environment import SimEnvironment
    from windtunnel_models.loop.sim_loop import SimLoop

AnyTask = asyncio.Task[Any]
AnyCoroutine = Coroutine[Any, Any, Any] | Generator[Any, None, Any]


class SimTask(asyncio.Task[Any]):
    """asyncio's task with `number`, its place in the order of creation of its loop."""

    __slots__ = ("number",)

    number: int

    def __hash__(self) -> int:
        return self.number

    def cancel(self, msg: Any = None) -> bool:
        """Cancel as asyncio does, and count the sleep that may have been cut short.

        Its future stands on the environment's heap and cannot count itself.
        """
        cancelled = super().cancel(msg)
        env: SimEnvironment = self.get_loop().env  # type: ignore[attr-defined]
        env.bury()
        return cancelled


def make_task(coro: AnyCoroutine, *, loop: SimLoop, **options: Any) -> SimTask:
    """Make a numbered task; `options` are those of `asyncio.Task`.

    The number must stand before `__init__`, which puts the task into a set.
    """
    task = SimTask.__new__(SimTask)
    number = task.number = next(loop.numbers)
    if options.get("name") is None:
        options["name"] = f"Task-{number}"
    task.__init__(coro, loop=loop, **options)  # type: ignore[misc]
    return task


def make_by_factory(
    loop: SimLoop,
    factory: Callable[..., Any],
    coro: AnyCoroutine,
    name: str | None,
    context: contextvars.Context | None,
    options: dict[str, Any],
) -> AnyTask:
    """Make a task by a user's factory; its name is set afterwards, as a factory may not take it."""
    if context is not None:
        options["context"] = context
    task: AnyTask = factory(loop, coro, **options)
    if name is not None and hasattr(task, "set_name"):
        task.set_name(name)
    return task


def numbered(factory: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands in for the given task factory so that its tasks are numbered too.

    asyncio's own eager factory makes plain tasks; any other factory is used as it is.
    """
    if sys.version_info >= (3, 12) and factory is asyncio.eager_task_factory:
        return asyncio.create_eager_task_factory(make_task)  # type: ignore[type-var]
    return factory


def creation_order(task: AnyTask) -> int:
    """Return the sort key of a task; tasks of a user's own class come first."""
    return task.number if isinstance(task, SimTask) else 0


def is_of_interest(task: AnyTask) -> bool:
    """Tell whether a task is pending, or failed without anybody having looked."""
    return not task.done() or task._log_traceback  # noqa: SLF001 - asyncio's own flag
