"""The expiry of tasks that were pending for too long (RT-D6).

Imports the cache queue, the webhooks and the policy.
"""

from __future__ import annotations

from windtunnel.policies.router.expiry import expired
from windtunnel.ports.store import StoreError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.alarms import Alarm
from windtunnel.services.dispatcher.cache_queue import End
from windtunnel.services.dispatcher.completion import Completion
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.dispatcher.troubles import LOOK_AGAIN
from windtunnel.services.wire.task import EXPIRED
from windtunnel.units import format_duration, from_seconds


class Expiry:
    """Ends what has been pending for too long, and tells its owner."""

    def __init__(self, shared: Shared, completion: Completion) -> None:
        self._queue = shared.queue
        self._completion = completion
        self._troubles = shared.troubles
        self._options = shared.options
        self._limit = from_seconds(shared.settings.expiry_s)
        shared.alarms.add(Alarm.EXPIRY, self._due)

    async def _due(self) -> int | None:
        now = now_ns()
        if self._troubles.store_down:
            return now + LOOK_AGAIN
        end = End(EXPIRED, error=f"pending for over {format_duration(self._limit)}")
        try:
            for entry in list(self._queue.tables.pending.values()):
                if expired(entry.submitted_at, now, self._limit, options=self._options):
                    await self._completion.end(entry, end, only="pending")
        except StoreError as error:
            self._troubles.met(error)
            return now + LOOK_AGAIN
        if self._options.expiry == "never":
            return None
        left = [entry.submitted_at for entry in self._queue.tables.pending.values()]
        return min(left) + self._limit + 1 if left else None
