"""The dispatcher: what its parts are and how they hang together.

Imports every other module of its folder, the host's ports and the router's policies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any

from windtunnel.policies.router.choice import InstanceChoice
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.hosts import HostPorts
from windtunnel.services.bounded_store import BoundedStore
from windtunnel.services.dispatcher.access_tokens import AccessTokens
from windtunnel.services.dispatcher.api import Api
from windtunnel.services.dispatcher.backend_channels import BackendChannels
from windtunnel.services.dispatcher.bridge_channels import BridgeChannels
from windtunnel.services.dispatcher.bridges import Bridges
from windtunnel.services.dispatcher.completion import Completion
from windtunnel.services.dispatcher.dispatcher_metrics import DispatcherMetrics
from windtunnel.services.dispatcher.expiry import Expiry
from windtunnel.services.dispatcher.hearing import Hearing
from windtunnel.services.dispatcher.local_journal import LocalJournal
from windtunnel.services.dispatcher.losses import Losses
from windtunnel.services.dispatcher.reception import Reception
from windtunnel.services.dispatcher.recovery import Recovery
from windtunnel.services.dispatcher.reports import Reports
from windtunnel.services.dispatcher.scheduling import Scheduling
from windtunnel.services.dispatcher.settings import DispatcherSettings, credentials
from windtunnel.services.dispatcher.shared import make_shared
from windtunnel.services.dispatcher.webhooks import Webhooks
from windtunnel.services.note import Note
from windtunnel.services.wire.addresses import DISPATCHER_PORT
from windtunnel.units import from_seconds


class Dispatcher:
    """One life of the dispatcher on its host: `run` until it is cancelled or killed.

    Serves port 4000 of its host: the endpoints of RT-A4 and the channels of backend and bridges.
    All that must outlive it is in the store (RT-R3, RT-B4). Raises `SettingsError` at once where
    the environment lacks MD_USERNAME or MD_PASSWORD. `stream` decides among equal instances.
    """

    def __init__(
        self,
        ports: HostPorts,
        settings: DispatcherSettings,
        options: RouterOptions,
        note: Note,
        stream: Random,
    ) -> None:
        tokens = AccessTokens(
            credentials(ports.environment), from_seconds(settings.token_lifetime_s)
        )
        self._metrics = DispatcherMetrics(self.observe)
        self._told = note
        self._network = ports.network
        store = BoundedStore(ports.store)
        self._shared = shared = make_shared(store, settings, options, self._note)
        self._bridges = Bridges(shared)
        self._scheduling = Scheduling(shared, InstanceChoice(stream, options), self._bridges.run)
        self._webhooks = Webhooks(shared, ports.network, store)
        self._journal = journal = LocalJournal()
        losses = Losses(shared, self._scheduling, self._webhooks)
        completion = Completion(
            shared, self._scheduling, self._webhooks, journal, self._bridges.acknowledge
        )
        Expiry(shared, completion)
        Recovery(shared, store, self._webhooks, losses, completion)
        hearing = Hearing(shared, self._scheduling, losses, completion)
        self._backends = BackendChannels(shared, tokens)
        bridge_channels = BridgeChannels(shared, self._bridges, hearing)
        self._reception = Reception(shared, self._backends, bridge_channels)
        self._reports = Reports(shared, self._bridges, self._scheduling, self._backends.send)
        self._api = Api(shared, tokens, self._bridges, self._scheduling, self._reports)

    async def run(self) -> None:
        """Restore what the store holds and serve, until cancelled."""
        self._network.serve(DISPATCHER_PORT, self._api.handle, self._reception.serve)
        works = (
            self._shared.alarms.run,
            self._scheduling.run,
            self._reports.run,
            self._webhooks.run,
        )
        async with asyncio.TaskGroup() as group:
            for work in works:
                supervised = self._shared.troubles.supervise(work)
                group.create_task(supervised, name=f"dispatcher.{work.__qualname__}")

    def observe(self) -> Mapping[str, int]:
        """Return figures by name.

        Tasks: pending, processing, offered, completed (those kept), webhooks (owners still to be
        told), journal (results kept while the store is down). Instances: instances, online, busy,
        available. Else: bridges, backends (connected), reports (sent so far), degraded (0 or 1).
        """
        tables, instances = self._shared.queue.tables, self._shared.instances
        online, busy = instances.online, instances.busy
        return {
            "pending": len(tables.pending),
            "processing": len(tables.processing),
            "offered": len(tables.offered),
            "completed": len(tables.completed),
            "webhooks": len(self._webhooks),
            "journal": len(self._journal),
            "instances": instances.total,
            "online": online,
            "busy": busy,
            "available": online - busy,
            "bridges": len(self._bridges),
            "backends": len(self._backends),
            "reports": self._reports.sequence,
            "degraded": int(self._shared.troubles.refuse() is not None),
        }

    def exposition(self) -> str:
        """Return the metrics in Prometheus' text format."""
        return self._metrics.exposition()

    def _note(self, kind: str, op: str, details: Mapping[str, Any]) -> None:
        self._told(kind, op, details)
        self._metrics.on_note(kind, op, details)
