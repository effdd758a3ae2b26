"""Stable sets: `asyncio.as_completed` without the order of memory addresses.

Imports asyncio. `as_completed` starts the coroutines given to it in the order of `set(...)`, and a
coroutine hashes by its address. While a simulated loop runs, the module `asyncio.tasks` sees a
`set` of its own that keeps coroutines in the order given. Every other use gets a real set, so
ordinary loops in other threads notice nothing.
"""

from __future__ import annotations

import asyncio.tasks
import builtins
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_users = 0


def ordered_set(items: Iterable[Any] = ()) -> Collection[Any]:
    """Return a set, or the distinct items in order if there are coroutines among them."""
    distinct = dict.fromkeys(items)
    if any(asyncio.iscoroutine(item) for item in distinct):
        return distinct.keys()
    return builtins.set(distinct)


@contextmanager
def stable_sets() -> Iterator[None]:
    """Let `asyncio.tasks` use `ordered_set` while the block runs; blocks may overlap."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _users  # noqa: PLW0603 - one module of asyncio, one count of those who need it
    with _lock:
        _users += 1
        vars(asyncio.tasks)["set"] = ordered_set


def _leave() -> None:
    global _users  # noqa: PLW0603
    with _lock:
        _users -= 1
        if not _users:
            del vars(asyncio.tasks)["set"]
