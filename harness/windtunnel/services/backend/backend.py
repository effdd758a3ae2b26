"""The backend: what its parts are and how they hang together.

Imports every other module of its folder, the host's ports and the router's options.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from windtunnel.policies.router.breaker import Breaker
from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.ports.hosts import HostPorts
from windtunnel.ports.store import StoreError
from windtunnel.services.backend.accounts import Accounts
from windtunnel.services.backend.alert_figures import AlertFigures
from windtunnel.services.backend.alerting import Alerting
from windtunnel.services.backend.backend_metrics import BackendMetrics, heard_by
from windtunnel.services.backend.callbacks import Callbacks
from windtunnel.services.backend.degradation import Degradation
from windtunnel.services.backend.error_reactions import ErrorReactions, backend_reactions
from windtunnel.services.backend.fallback import Fallback
from windtunnel.services.backend.health_monitor import HealthMonitor
from windtunnel.services.backend.http_health import HttpHealth
from windtunnel.services.backend.inside_breaker import InsideBreaker
from windtunnel.services.backend.intake import Intake
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.link import DispatcherLink
from windtunnel.services.backend.link_state import LinkState
from windtunnel.services.backend.lives import Lives
from windtunnel.services.backend.outside_slots import OutsideSlots
from windtunnel.services.backend.owners import Owners, Tell
from windtunnel.services.backend.platforms import Platforms
from windtunnel.services.backend.poller import Poller
from windtunnel.services.backend.queries import Queries
from windtunnel.services.backend.results import Results
from windtunnel.services.backend.router import Router
from windtunnel.services.backend.settings import BackendSettings
from windtunnel.services.backend.submitter import Submitter
from windtunnel.services.backend.token_manager import TokenManager
from windtunnel.services.bounded_store import BoundedStore
from windtunnel.services.note import Note
from windtunnel.services.wire.addresses import CALLBACK_PORT
from windtunnel.services.wire.task import RUNNINGHUB, Task
from windtunnel.units import from_seconds

logger = logging.getLogger("windtunnel.backend")

Service = Callable[[], Awaitable[None]]

AGAIN_S: Final = 1.0
"""A store that cannot be read at the start is tried again so often."""
LAST_WORD_S: Final = 1.0
"""The bound of what is stored when the backend is stopped."""


class Backend:
    """One life of the backend on its host: `run` until it is cancelled or killed.

    What must outlive it is in the store. User name, password, key and the dispatcher's URL come
    from the host's environment where the settings leave them out.
    """

    def __init__(
        self,
        ports: HostPorts,
        settings: BackendSettings,
        options: RouterOptions,
        note: Note,
        tell: Tell,
    ) -> None:
        self._network = ports.network
        self._store = BoundedStore(ports.store)
        self.settings = settings = settings.completed_by(ports.environment)
        self._options = options
        self.metrics = BackendMetrics()
        self._note = heard_by(note, self.metrics.on_note, self._count)
        self._make_care()
        self._make_path(tell)

    # -- how it is made -------------------------------------------------------------------------

    def _make_care(self) -> None:
        """Make what looks after the link to the dispatcher, and whether to rely on it."""
        settings, note, network = self.settings, self._note, self._network
        url = settings.dispatcher_url
        self.state = LinkState(self._options)
        self.degradation = Degradation(self.state, self._store, note, self._options)
        # Switched off there is no inside to rely on, and nothing that would end a degradation.
        reactions = backend_reactions(self.degradation) if settings.enabled else {}
        self._errors = ErrorReactions(note, reactions)
        self.tokens = TokenManager(
            network,
            url,
            settings.username,
            settings.password.get_secret_value(),
            note,
            timeout_s=settings.task_timeout_s,
            refresh_s=settings.token_refresh_s,
        )
        self.monitor = HealthMonitor(
            self.state,
            self.degradation,
            self._errors,
            note,
            self._options,
            interval_s=settings.health_interval_s,
        )
        self.http_health = HttpHealth(
            network,
            url,
            note,
            interval_s=settings.health_interval_s,
            timeout_s=settings.health_timeout_s,
            failures=settings.health_failures,
            met=self._errors.met,
        )
        self._lives = Lives(self._store)
        self._figures = AlertFigures(
            self.state,
            self.degradation,
            self._lives,
            lambda: len(self._ledger.waiting),
            lambda: self.tokens.failures_last_hour,
        )
        self.alerting = Alerting(self._figures.figures, note)

    def _make_path(self, tell: Tell) -> None:
        """Make what a task goes through."""
        settings, note, options = self.settings, self._note, self._options
        routing = settings.enabled
        self._ledger = Ledger(self._store, self._met_by_store, routing=routing)
        self._accounts = self._make_accounts()
        self._results = Results(self._ledger, self._accounts, note, self._wake)
        fallback = Fallback(self._ledger, self._accounts, self._results, settings, note)
        platforms = Platforms(self._network, settings, self.tokens, self._errors.met)
        self._submitter = Submitter(
            platforms,
            self._ledger,
            self._accounts,
            fallback,
            self._results,
            options,
            note,
            unwell=self.http_health.check_soon,
        )
        router = Router(settings, options, self._accounts)
        self._poller = Poller(
            router, self._ledger, self._accounts, self._submitter, note, settings.poll_s
        )
        self._owners = Owners(self._ledger, tell)
        self._callbacks = Callbacks(
            self._ledger, self._results, fallback, note, settings.callback_url
        )
        self._queries = Queries(
            self._ledger,
            self._accounts.slots,
            platforms,
            self._results,
            fallback,
            settings.query_s,
        )
        self._intake = Intake(
            self._ledger,
            self._results,
            note,
            lambda: self.degradation.emergency,
            routing=routing,
        )
        self._link = DispatcherLink(
            self._network,
            settings.dispatcher_url,
            self.tokens,
            self.state,
            self._accounts.book,
            note,
            self._link_changed,
            heartbeat_s=settings.heartbeat_s,
            ack_s=settings.heartbeat_ack_s,
        )
        self.degradation.listen(lambda _degraded: self._poller.wake())

    def _make_accounts(self) -> Accounts:
        settings = self.settings
        book = CapacityBook(self._options, settings.internal_capacity, settings.external_capacity)
        breaker = Breaker(
            self._options, settings.breaker_failures, from_seconds(settings.breaker_reset_s)
        )
        return Accounts(
            book, OutsideSlots(book), InsideBreaker(breaker, self._note), self.degradation
        )

    def _met_by_store(self, error: StoreError) -> None:
        self._errors.met(error)

    def _count(self, kind: str, op: str, details: Mapping[str, Any]) -> None:
        self._figures.on_note(kind, op, details)

    def _wake(self) -> None:
        self._poller.wake()
        self._owners.wake()

    def _link_changed(self) -> None:
        self.monitor.changed()
        self._poller.wake()

    # -- life -----------------------------------------------------------------------------------

    async def run(self) -> None:
        """Read what the store holds and serve, until cancelled.

        A service that fails is met, logged and run again: no error ends the others (RT-X2).
        """
        await self._load()
        self._resume()
        port = urlsplit(self.settings.callback_url).port or CALLBACK_PORT
        self._network.serve(port, self._callbacks.handle)
        self._intake.open.set()
        loops = [self.http_health.loop] if self.settings.enabled else []
        loops.append(self.alerting.loop)
        try:
            async with asyncio.TaskGroup() as group:
                for loop in loops:
                    loop.start()
                self._submitter.start(group, partial(self._errors.unexpected, "a submission"))
                for name, service in self._services(group).items():
                    group.create_task(self._errors.survive(name, service), name=name)
        except asyncio.CancelledError:  # not what it raises: that is a crash (RT-X3)
            await self._say_goodbye()
            raise
        finally:
            for loop in loops:
                await loop.stop()

    def _services(self, group: asyncio.TaskGroup) -> Mapping[str, Service]:
        """Return what runs, by name; switched off nothing asks for the dispatcher (RT-S6)."""
        care: dict[str, Service] = {
            "tokens": self.tokens.run,
            "link": self._link.run,
            "health": self.monitor.run,
            "http_health": self.http_health.run,
        }
        path: dict[str, Service] = {
            "journal": self._ledger.journal.run,
            "poller": self._poller.run,
            "owners": self._owners.run,
            "queries": partial(
                self._queries.run, group, partial(self._errors.unexpected, "a question")
            ),
        }
        return care | path if self.settings.enabled else path

    async def _load(self) -> None:
        """Read the store, as often as it takes."""
        while True:
            try:
                await self._ledger.load()
                await self._lives.began()
            except StoreError as error:
                self._errors.met(error)
                await asyncio.sleep(AGAIN_S)
            else:
                return

    def _resume(self) -> None:
        """Go on with what a former life has left."""
        past = asyncio.get_running_loop().time() - self.settings.query_s
        for place in ("inside", "outside"):
            for entry in self._ledger.at(place):
                entry.asked = past
                if place == "outside" and entry.task.platform == RUNNINGHUB:
                    self._accounts.slots.begin(entry.id, entry.request)
        self._wake()

    async def _say_goodbye(self) -> None:
        """Note that this life has ended in order; a store that is down learns it never."""
        try:
            async with asyncio.timeout(LAST_WORD_S):
                await self._lives.ended()
        except (StoreError, TimeoutError) as error:
            logger.warning("the end of this life could not be stored: %s", error)

    # -- what others ask of it ------------------------------------------------------------------

    async def submit(self, task: Task) -> None:
        """Take a task in; it is stored when this returns. One that is known changes nothing.

        Waits while the store is down or not read yet, or in an emergency (RT-X2): the caller sets
        the deadline.
        """
        await self._intake.submit(task)

    def observe(self) -> Mapping[str, Any]:
        """Return figures by name.

        How many tasks are waiting, sending, inside, outside, done, failed and expired (of the last
        three the newest 1000 each), and untold; to_internal and to_external (taken by each side in
        this life); in_flight (submissions), reserved, outside_slots; capacity_internal and
        capacity_external as known; degraded and store_down.
        """
        counts = self._ledger.counts()
        book = self._accounts.book
        self.metrics.set(
            waiting=counts["waiting"],
            inside=counts["inside"],
            outside=counts["outside"],
            capacity=book.internal(),
        )
        return {
            **counts,
            "untold": len(self._ledger.untold),
            "to_internal": self._submitter.sent["internal"],
            "to_external": self._submitter.sent["external"],
            "in_flight": self._submitter.under_way,
            "reserved": book.reserved,
            "outside_slots": len(self._accounts.slots),
            "capacity_internal": book.internal(),
            "capacity_external": book.external(),
            "degraded": self.settings.enabled and self.degradation.degraded,
            "store_down": self._ledger.journal.down,
        }
