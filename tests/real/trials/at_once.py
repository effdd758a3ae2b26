"""A scheduler that queues nothing: only the UI lock keeps the commands of two flows apart."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class AtOnce:
    """Runs what is submitted at once, as a bridge without its queue would."""

    async def start(self) -> None:
        """There is nothing to start."""

    async def stop(self) -> None:
        """There is nothing to stop."""

    def pending_count(self) -> int:
        return 0

    def enqueue(self, action: Callable[[], Awaitable[object]]) -> Awaitable[object]:
        return asyncio.ensure_future(action())
