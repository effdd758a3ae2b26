"""Stable sets: `asyncio.as_completed` without the order of memory addresses.

Imports asyncio. `as_completed` starts the coroutines given to it in the order of `set(...)`, and a
coroutine hashes by its address. While a simulated loop runs, the module `asyncio.tasks` sees a
`set` of its own that keeps coroutines in the order given. Every other use gets a real set, so
ordinary loops in other threads notice nothing.
"""

from __future__ import annotations

import asyncio.tasks
import builtins
from collections.abc import Collection, Iterable
from typing import Any

from windtunnel_models.loop.patches import Patch


def ordered_set(items: Iterable[Any] = ()) -> Collection[Any]:
    """Return a set, or the distinct items in order if there are coroutines among them."""
    distinct = dict.fromkeys(items)
    if any(asyncio.iscoroutine(item) for item in distinct):
        return distinct.keys()
    return builtins.set(distinct)


def _put() -> None:
    vars(asyncio.tasks)["set"] = ordered_set


def _undo() -> None:
    del vars(asyncio.tasks)["set"]


stable_sets = Patch(_put, _undo).applied
"""Let `asyncio.tasks` use `ordered_set` while the block runs; blocks may overlap."""
