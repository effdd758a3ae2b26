"""Names: how tasks, events and callbacks are called in messages, the same in every run.

Imports simpy and asyncio. No name holds a memory address.
"""

# ruff: noqa: ANN401 - anything may be awaited, so anything is named

from __future__ import annotations

import asyncio
import re
from typing import Any

import simpy

_ADDRESS = re.compile(r"( object)? at 0x[0-9a-fA-F]+")


def without_addresses(text: str) -> str:
    """Return the text without the ` at 0x…` of default representations."""
    return _ADDRESS.sub("", text)


def name_of(thing: Any) -> str:
    """Return what a task, future, process, event or other object is called in a message."""
    if isinstance(thing, asyncio.Task):
        return f"task {thing.get_name()!r}"
    if isinstance(thing, simpy.Process):
        return f"SimPy process {thing.name!r}"
    if isinstance(thing, simpy.Event):
        return _name_of_event(thing)
    if isinstance(thing, asyncio.Future):
        return _name_of_future(thing)
    return without_addresses(repr(thing))


def _name_of_event(event: simpy.Event) -> str:
    future = getattr(event, "sim_future", None)
    if future is not None:
        return name_of(future)
    parts = getattr(event, "_events", None)
    kind = type(event).__name__.removeprefix("Awaitable")
    if parts is not None:
        return f"{kind} of {', '.join(map(name_of, parts))}"
    owner = getattr(event, "resource", None)
    return f"SimPy {kind}" + ("" if owner is None else f" of a {type(owner).__name__}")


def _name_of_future(future: asyncio.Future[Any]) -> str:
    event = getattr(future, "sim_event", None)
    if event is not None:
        return name_of(event)
    children = getattr(future, "_children", None)
    if children is not None:
        return f"gather of {', '.join(name_of(child) for child in children if not child.done())}"
    return "a future"
