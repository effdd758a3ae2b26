"""The recovery: of what the store holds at the start (RT-B4), and when it is back (RT-X2).

Imports completion, losses, webhooks and what is shared.
"""

from __future__ import annotations

from windtunnel.ports.store import Store, StoreError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.alarms import Alarm
from windtunnel.services.dispatcher.cache_queue import PENDING
from windtunnel.services.dispatcher.completion import Completion
from windtunnel.services.dispatcher.losses import Losses
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.dispatcher.troubles import LOOK_AGAIN
from windtunnel.services.dispatcher.webhooks import Webhooks


class Recovery:
    """Looks at the store at the start, every so often while it is down, and when it was read."""

    def __init__(
        self,
        shared: Shared,
        store: Store,
        webhooks: Webhooks,
        losses: Losses,
        completion: Completion,
    ) -> None:
        self._store = store
        self._webhooks = webhooks
        self._losses = losses
        self._completion = completion
        self._watch_pending = shared.watch_pending
        self._queue = shared.queue
        self._instances = shared.instances
        self._troubles = shared.troubles
        self._restored = False
        shared.alarms.add(Alarm.STORE, self._look)
        shared.alarms.set(Alarm.STORE, 0)  # at once

    async def _look(self) -> int | None:
        """Take up where the store is; look again later if it does not answer."""
        try:
            await self._take_up()
            await self._store.count(PENDING)
            await self._completion.catch_up()
        except StoreError as error:
            self._troubles.met(error)
            return now_ns() + LOOK_AGAIN
        self._troubles.store_back()
        await self._losses.settle()
        return None

    async def _take_up(self) -> None:
        """Do about what the store holds what has not been done, if anything."""
        await self._queue.load()
        await self._webhooks.load()
        if not self._restored:
            now = now_ns()
            for assignment in self._queue.tables.processing.values():
                self._instances.restored(assignment, now)
            self._restored = True
        for entry in self._queue.tables.pending.values():
            self._watch_pending(entry)
        self._losses.watch()
