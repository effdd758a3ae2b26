"""The shared: what every part of one dispatcher has.

Imports alarms, cache queue, instances, settings, troubles, the note and the router's options.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.store import Store
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.alarms import Alarm, Alarms
from windtunnel.services.dispatcher.cache_queue import CacheQueue
from windtunnel.services.dispatcher.entry import Entry
from windtunnel.services.dispatcher.instances import Instances
from windtunnel.services.dispatcher.settings import DispatcherSettings
from windtunnel.services.dispatcher.troubles import Troubles
from windtunnel.services.note import Note
from windtunnel.units import from_seconds


@dataclass(frozen=True, slots=True)
class Shared:
    """One of each."""

    settings: DispatcherSettings
    options: RouterOptions
    note: Note
    alarms: Alarms
    troubles: Troubles
    queue: CacheQueue
    instances: Instances
    change: asyncio.Event
    """Set when what a report shows has changed."""

    def watch_pending(self, entry: Entry) -> None:
        """See to it that a task which is pending from now on is not so for ever.

        It expires at its instant (RT-D6), and where no instance is there or comes it is offered.
        """
        limit = from_seconds(self.settings.expiry_s)
        self.alarms.set(Alarm.EXPIRY, entry.submitted_at + limit + 1)
        if not self.instances.present:
            self.alarms.set(Alarm.ALONE, now_ns() + from_seconds(self.settings.dead_after_s))


def make_shared(
    store: Store, settings: DispatcherSettings, options: RouterOptions, note: Note
) -> Shared:
    """Return the shared parts of a new dispatcher over that store."""
    alarms = Alarms()
    change = asyncio.Event()
    queue = CacheQueue(
        store,
        queue_max=settings.queue_max,
        known_s=settings.known_s,
        kept=settings.completed_kept,
        claim=options.claim,
        # What the store holds has to be taken up: by whoever looks whether it is back.
        read_anew=lambda: alarms.set(Alarm.STORE, 0),
    )
    instances = Instances(
        heartbeat=from_seconds(settings.heartbeat_s),
        dead_after=from_seconds(settings.dead_after_s),
        note=note,
        changed=change.set,
    )
    troubles = Troubles(alarms, note)
    return Shared(settings, options, note, alarms, troubles, queue, instances, change)
