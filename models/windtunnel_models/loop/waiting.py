"""Who waits for what: the report behind a `Deadlock`.

Imports simpy and asyncio. A task is shown with the innermost line of code that awaits, asyncio's
own files aside, and with the object of asyncio (queue, lock, event …) whose method it is in.
"""

# ruff: noqa: ANN401, SLF001 - coroutines and generators of any kind; no public way to ask them

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

import simpy

from windtunnel_models.loop.naming import name_of, without_addresses

if TYPE_CHECKING:
    from windtunnel_models.loop.sim_loop import SimLoop

_ASYNCIO = asyncio.__file__.removesuffix("__init__.py")
# What leads from an awaiting object to its frame and to what it awaits.
_FRAMES = ("cr_frame", "gi_frame", "ag_frame")
_AWAITED = ("cr_await", "gi_yieldfrom", "ag_await")


def report(loop: SimLoop, since: float | None = None) -> str:
    """Return the message of a Deadlock: who, daemons aside, waits for what, in order of creation.

    The tasks come first, then the SimPy processes; a goal that is no task is named before them.
    `since` is when that began, in seconds, if not now.
    """
    tasks = loop.leftovers()
    lines = [describe_task(task) for task in tasks]
    if loop.goal is not None and loop.goal not in tasks and not _is_daemon(loop, loop.goal):
        lines.insert(0, f"the run waits for {name_of(loop.goal)}")
    since = loop.time() if since is None else since
    lines += [describe_process(p) for p in loop.env.processes if not _is_daemon(loop, p)]
    and_who = ", and" if lines else ", though nothing is known to wait"
    return "\n  ".join([f"nothing is left to do at {since} s{and_who}", *lines])


def _is_daemon(loop: SimLoop, thing: object) -> bool:
    return thing in loop.daemons


def frames_of(awaiting: Any) -> list[FrameType]:
    """Return the suspended frames of a coroutine or generator, the outermost first."""
    frames = []
    while awaiting is not None:
        frame = _first(awaiting, _FRAMES)
        if frame is not None:
            frames.append(frame)
        awaiting = _first(awaiting, _AWAITED)
    return frames


def _first(thing: Any, names: Iterable[str]) -> Any:
    return next((value for name in names if (value := getattr(thing, name, None))), None)


def describe_task(task: asyncio.Task[Any]) -> str:
    """Return `task 'name' at file:line in function waits for …`."""
    frames = frames_of(task.get_coro())
    own = [frame for frame in frames if not _is_asyncio(frame)]
    tail = frames[frames.index(own[-1]) + 1 :] if own else frames
    return f"{name_of(task)}{_place(own)} waits for {_awaited(task, tail)}"


def describe_process(process: simpy.Process) -> str:
    """Return `SimPy process 'name' at file:line in function waits for …`."""
    frames = frames_of(process._generator)
    return f"{name_of(process)}{_place(frames)} waits for {name_of(process.target)}"


def _is_asyncio(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_ASYNCIO)


def _place(frames: list[FrameType]) -> str:
    if not frames:
        return ""
    code = frames[-1].f_code
    return f" at {code.co_filename}:{frames[-1].f_lineno} in {code.co_qualname}"


def _awaited(task: asyncio.Task[Any], tail: list[FrameType]) -> str:
    """Say what is awaited, from the frames inside asyncio or from the future itself."""
    for frame in tail:
        owner = frame.f_locals.get("self")
        if owner is not None:
            return f"{frame.f_code.co_qualname} of {_describe_owner(owner)}"
        if frame.f_code.co_name == "_wait":
            return f"any or all of {_pending(frame.f_locals.get('fs', ()))}"
    future = task._fut_waiter  # type: ignore[attr-defined]
    if future is None:
        return "its turn"
    return name_of(future)


def _describe_owner(owner: object) -> str:
    if isinstance(owner, asyncio.TaskGroup):
        return f"a TaskGroup of {_pending(owner._tasks)}"
    return without_addresses(repr(owner))


def _pending(futures: Iterable[asyncio.Future[Any]]) -> str:
    return ", ".join(name_of(future) for future in futures if not future.done()) or "nothing"
