"""Pauses: `asyncio.sleep` for models that sleep often, cheaper to wait for.

Imports asyncio and the loop.
"""

# ruff: noqa: SLF001 - a part of the loop

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from heapq import heappush
from typing import Any

from simpy.events import NORMAL

from windtunnel.units import SHORT_S
from windtunnel_models.loop.sim_loop import SimLoop


def pause(loop: SimLoop, seconds: float) -> Awaitable[None]:
    """Return what is over `seconds` from now; to be awaited at once, by a task of the loop.

    It is the future that `asyncio.sleep` would put on the heap, without the coroutine around it.
    """
    if loop._setter is None or not 0 < seconds < SHORT_S:
        return asyncio.sleep(seconds)
    future: Any = asyncio.Future(loop=loop)
    deadline = loop.env._now + ((seconds * 1e9).__round__() or 1)
    heappush(loop._heap, (deadline, NORMAL, next(loop._ids), future))
    return future  # type: ignore[no-any-return]
