"""The programs: one life after another of the backend and of the dispatcher on their hosts.

Each life is made anew, of settings and of what its host gives it; what it notes is recorded while
it lives. Imports the services, the hosts' ports, the trace and `given`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from windtunnel import streams, units
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.hosts import HostPorts, Hosts
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.backend import Backend
from windtunnel.services.backend.settings import BackendSettings
from windtunnel.services.dispatcher.dispatcher import Dispatcher
from windtunnel.services.dispatcher.settings import DispatcherSettings
from windtunnel.services.note import Note
from windtunnel.services.wire.addresses import BACKEND, DISPATCHER
from windtunnel.systems.router.given import Given
from windtunnel.systems.router.owner import Owner
from windtunnel.trace import Trace

Heard = Callable[[str, Mapping[str, Any]], None]
"""Told of each note, once it is recorded: its kind and details."""


class Programs:
    """Starts both programs, and knows the present life of each."""

    def __init__(
        self, given: Given, options: RouterOptions, seed: int, trace: Trace, owner: Owner
    ) -> None:
        self._given = given
        self._options = options
        self._seed = seed
        self._trace = trace
        self._owner = owner
        self._lives = count()
        self._listeners: list[Heard] = []
        self.backend: tuple[Backend, HostPorts] | None = None
        """Its present life, or the last one; None before the first."""
        self.dispatcher: tuple[Dispatcher, HostPorts] | None = None
        self.sent: Counter[str] = Counter()
        """Side → tasks that it has taken so far, in all lives."""

    def start(self, hosts: Hosts) -> None:
        """Start both; each begins a new life after a crash."""
        hosts.start(DISPATCHER, self._run_dispatcher)
        hosts.start(BACKEND, self._run_backend)

    async def stop(self, hosts: Hosts) -> None:
        """End both for good."""
        await hosts.stop(BACKEND)
        await hosts.stop(DISPATCHER)

    def living_backend(self) -> Backend | None:
        """Return the present life of the backend, or None while it is down."""
        return self.backend[0] if self.backend is not None and self.backend[1].alive() else None

    def living_dispatcher(self) -> Dispatcher | None:
        """Return the present life of the dispatcher, or None while it is down."""
        life = self.dispatcher
        return life[0] if life is not None and life[1].alive() else None

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Tell `heard` of every note; returns a function that stops it."""
        self._listeners.append(heard)
        return lambda: self._listeners.remove(heard)

    async def _run_dispatcher(self, ports: HostPorts) -> None:
        stream = streams.stream(self._seed, f"dispatcher.{next(self._lives)}")
        life = Dispatcher(
            ports, dispatcher_settings(self._given), self._options, self._noting(ports), stream
        )
        self.dispatcher = (life, ports)
        await life.run()

    async def _run_backend(self, ports: HostPorts) -> None:
        async def tell(answer: Answer) -> None:
            if not ports.alive():
                await asyncio.get_running_loop().create_future()  # as the ports of the dead
            self._owner.tell(answer)

        life = Backend(
            ports, backend_settings(self._given), self._options, self._noting(ports), tell
        )
        self.backend = (life, ports)
        handing = asyncio.create_task(self._owner.hand_over(life), name="owner")
        try:
            await life.run()
        finally:
            handing.cancel()

    def _noting(self, ports: HostPorts) -> Note:
        record, alive, listeners, sent = self._trace.record, ports.alive, self._listeners, self.sent

        def note(kind: str, op: str, details: Mapping[str, Any]) -> None:
            if not alive():
                return
            record(kind, op, details=details)
            if kind == "task.sent":
                sent[details["side"]] += 1
            for heard in listeners:
                heard(kind, details)

        return note


def backend_settings(given: Given) -> BackendSettings:
    """Return the backend's settings; names, passwords and URLs come from its host."""
    said, seconds = given.router, units.to_seconds
    return BackendSettings(
        enabled=said.enabled,
        priority=said.priority,
        internal_capacity=said.capacity.internal,
        external_capacity=given.external_max,
        poll_s=seconds(said.poll),
        batch=said.batch,
        task_timeout_s=seconds(said.task_timeout),
        query_s=seconds(said.query_outside),
        health_interval_s=seconds(said.health.interval),
        health_timeout_s=seconds(said.health.timeout),
        health_failures=said.health.failures,
        heartbeat_s=seconds(said.heartbeat.interval),
        heartbeat_ack_s=seconds(said.heartbeat.ack),
        token_refresh_s=seconds(said.token.refresh),
        breaker_failures=said.breaker.failures,
        breaker_reset_s=seconds(said.breaker.reset),
    )


def dispatcher_settings(given: Given) -> DispatcherSettings:
    """Return the dispatcher's settings."""
    said, fleet, seconds = given.router, given.fleet, units.to_seconds
    return DispatcherSettings(
        queue_max=said.queue_max,
        retry_max=said.retry.max,
        retry_backoff_s=seconds(said.retry.backoff),
        expiry_s=seconds(said.expiry),
        heartbeat_s=seconds(fleet.heartbeat),
        dead_after_s=seconds(fleet.dead_after),
        report_s=seconds(said.reports),
        token_lifetime_s=seconds(said.token.lifetime),
    )
