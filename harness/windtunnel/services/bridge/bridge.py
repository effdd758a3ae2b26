"""The bridge: every service around one scheduler and one display, wired as the settings say.

Knows ports and services only; the same in every world. Start-up cleans before the watchers start;
shutdown ends the watchers, then verification, then the queue.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from windtunnel.errors import WorldError
from windtunnel.ports import Desktop, Ports, Processes, Records
from windtunnel.services.bridge.dispatch.call_sites import UNLOCKED
from windtunnel.services.bridge.dispatch.dispatch import Direct, Dispatch, Queue, run_at_once
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.action import UIAction
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.flows.flow_runner import NEVER_BOUND, FlowRunner, Machine, OwnFlow
from windtunnel.services.bridge.flows.flows import missing_arguments
from windtunnel.services.bridge.flows.kill_announcer import KillAnnouncer
from windtunnel.services.bridge.flows.qr_capture import PROGRAM, QrCapture
from windtunnel.services.bridge.flows.ui_lock import UILock
from windtunnel.services.bridge.flows.wechat_process import WeChatProcess
from windtunnel.services.bridge.prometheus import BridgeMetrics
from windtunnel.services.bridge.routes.batch import BatchWorker
from windtunnel.services.bridge.routes.login_probe import LoginProbe
from windtunnel.services.bridge.routes.orchestrator import FlowOrchestrator
from windtunnel.services.bridge.routes.routes import Routes
from windtunnel.services.bridge.settings import SERVICES, BridgeSettings, Service
from windtunnel.services.bridge.watchers.friend_watcher import ACTION, FriendRequestWatcher
from windtunnel.services.bridge.watchers.login_guard import LoginGuard
from windtunnel.services.bridge.watchers.streamer import MessageStreamer
from windtunnel.services.bridge.watchers.verification import Verification
from windtunnel.services.bridge.watchers.watchdog import Drainable, WeChatWatchdog
from windtunnel.services.note import Note, ignore

logger = logging.getLogger("windtunnel.bridge")

STOP_S: Final = 10.0
"""How long each step of a shutdown may take."""

P = TypeVar("P", Desktop, Processes, Records)


class Bridge:
    """A bridge over the ports of a world and anybody's scheduler.

    `flows` replaces the flow of an action by a coroutine function of backend and arguments;
    `direct` runs what is not queued; `note` is told what the services do. Raises `ValueError` when
    the world lacks a port.
    """

    def __init__(
        self,
        ports: Ports,
        scheduler: Queue,
        settings: BridgeSettings = BridgeSettings(),  # noqa: B008 - frozen
        *,
        flows: Mapping[str, OwnFlow] | None = None,
        direct: Direct = run_at_once,
        note: Note = ignore,
    ) -> None:
        self.settings = settings
        self._scheduler = scheduler
        self._note = note
        self._own = flows or {}
        self._desktop = _needed(ports.desktop, "desktop")
        self._processes = _needed(ports.processes, "processes")
        self._records = _needed(ports.records, "records")
        self._changed = settings.wiring == "after"
        self.lock = UILock(note) if settings.locked else None
        self.backend = Backend(self._desktop, self.lock)
        self.announcer = KillAnnouncer(note)
        self.qr_capture = self._make_capture()
        self._flows = self._make_flows()
        self.dispatch = Dispatch(scheduler, settings.wiring, direct, settings.delay_after_ms)
        self.prometheus = BridgeMetrics()
        self._observe_scheduler()
        self._make_services()
        self._life: object | None = None
        """Of the start that counts; None while it is stopped."""

    # -- how it is made -------------------------------------------------------------------------

    def _make_capture(self) -> QrCapture:
        if self._changed:
            return QrCapture(self._processes, self.lock, self.settings.capture_timeout_s)
        return QrCapture(self._processes, None, None)

    def _make_flows(self) -> FlowRunner:
        bare = Backend(self._desktop, None)
        process, name = self._processes, self.settings.process
        by_lock = self.backend if self._changed else bare
        restart = WeChatProcess(process, self.backend, self._killed, name)
        autofix = WeChatProcess(process, by_lock, self._killed, name)
        machine = Machine(
            self.backend,
            bare,
            program=self.qr_capture.run,
            whole={"restart": restart.restart, "autofix": autofix.autofix},
            unlocked={} if self._changed else UNLOCKED,
        )
        # Before the change nothing bounds the capture program, so nothing bounds its flow.
        unbounded = NEVER_BOUND if self._changed else NEVER_BOUND | {"qr_start"}
        bound_s = self.settings.flow_bound_s
        return FlowRunner(machine, self.announcer, bound_s, unbounded, self._own, self._windows())

    def _windows(self) -> Mapping[str, Callable[[], object]]:
        """Return what opens the dead window as an action starts (UI-T4)."""
        mark = getattr(self._scheduler, "mark_wechat_dead", None)
        if not self._changed or mark is None:
            return {}
        own = {"restart": self.settings.restart_window_s, "autofix": self.settings.autofix_window_s}
        seconds = {
            name: row.window_ms / 1000 if own.get(name) is None else own[name]
            for name, row in ENDPOINTS.items()
        }
        return {name: partial(mark, length) for name, length in seconds.items() if length}

    def _observe_scheduler(self) -> None:
        """Count for Prometheus what a scheduler with metrics does; a plain SendQueue has none."""
        observe = getattr(self._scheduler, "observe", None)
        if observe is not None and hasattr(self._scheduler, "get_metrics"):
            observe(self.prometheus.on_line)

    def _make_services(self) -> None:
        settings, note = self.settings, self._note
        self.login_guard = LoginGuard(
            self.backend, period_s=settings.login_guard_s, warns_s=settings.guard_warns_s, note=note
        )
        self.probe = LoginProbe(
            settings.probe, self.backend, self._processes, self.login_guard, settings.process
        )
        self.verification = Verification(self._records, note)
        self.orchestrator = FlowOrchestrator(self.probe, self.dispatch, self.action)
        self.batch = BatchWorker(self.orchestrator)
        self.streamer = MessageStreamer(self._records, period_s=settings.streamer_s)
        self.friend_watcher = FriendRequestWatcher(
            self._records,
            self.dispatch,
            lambda contact: self.action(ACTION, {"to": contact}),
            at_once=settings.friend_watcher == "direct",
            period_s=settings.friend_watcher_s,
        )
        self.watchdog = self._make_watchdog()
        self.routes = Routes(
            self.probe,
            self.dispatch,
            self.action,
            self.verification,
            self.status,
            frozenset(self._own),
        )

    def _make_watchdog(self) -> WeChatWatchdog:
        settings, scheduler = self.settings, self._scheduler
        drains = self._changed and isinstance(scheduler, Drainable)
        return WeChatWatchdog(
            scheduler if drains else None,  # type: ignore[arg-type] # as just asked
            self._processes,
            self._desktop,
            drain_s=settings.drain_s,
            window_s=settings.watchdog_window_s,
            period_s=settings.watchdog_s,
            process=settings.process,
            killed=self._killed,
            note=self._note,
        )

    def _killed(self) -> None:
        """WeChat was killed from here; before the change nobody tells the flows (UI-W6)."""
        self._flows.sessions.forget()
        if self._changed:
            self.announcer.announce()

    # -- life -----------------------------------------------------------------------------------

    async def start(self) -> None:
        """Clean up what an earlier run left, start the scheduler, then the background loops.

        A stop in the meantime ends it; after one that raised it may be called again.
        """
        if self._life is not None:
            return
        self._life = life = object()
        try:
            await self._clean()
            if self._life is life:
                await self._scheduler.start()
        except BaseException:
            self._life = None if self._life is life else self._life
            raise
        if self._life is life:
            self._begin()

    def _begin(self) -> None:
        self.verification.open()
        for name in SERVICES:
            if name in self.settings.services:
                self._loops[name].loop.start()
        self._note("watchers.started", "", {})

    async def _clean(self) -> None:
        """End the capture programs that an earlier run left; what cannot be ended is logged."""
        try:
            for pid in await self._processes.find(PROGRAM):
                await self._processes.kill(pid)
        except WorldError:
            raise
        except Exception:
            logger.exception("cannot clean up")
        self._note("startup.cleaned", "", {})

    async def stop(self) -> None:
        """End the background loops, give up verifications, stop the queue; in this order.

        Each step has a bound, and one that fails keeps none of the others from running; raises
        the first error, `TimeoutError` for one that takes too long.
        """
        self._life = None
        steps: tuple[tuple[str, str, Callable[[], Awaitable[None]]], ...] = (
            ("the watchers", "watchers.stopped", self._stop_watchers),
            ("verification", "", self.verification.clear),
            ("the queue", "scheduler.stopped", self._scheduler.stop),
        )
        errors: list[Exception] = []
        for what, kind, step in steps:
            bound = asyncio.timeout(STOP_S)
            try:
                async with bound:
                    await step()
            except TimeoutError as error:
                told = TimeoutError(f"{what} did not stop in {STOP_S:g} s")
                errors.append(told if bound.expired() else error)
            except Exception as error:  # noqa: BLE001 - raised below, after the other steps
                errors.append(error)
            if kind:
                self._note(kind, "", {})
        if errors:
            raise errors[0]

    async def _stop_watchers(self) -> None:
        loops = (
            service.loop.stop() for service in (self.login_guard, self.watchdog, self.streamer)
        )
        await asyncio.gather(*loops, self.friend_watcher.stop())

    @property
    def _loops(self) -> Mapping[Service, Any]:
        return {name: getattr(self, name) for name in SERVICES}

    # -- use ------------------------------------------------------------------------------------

    def action(self, name: str, args: Mapping[str, Any], *, cached: bool = False) -> UIAction:
        """Return the action of a class with its arguments, such as `{to, text}`.

        `cached`: it skips opening the contact's session if that is the open one when it runs.
        Raises `ValueError` for a class that is not in `ENDPOINTS` or arguments that its flow lacks.
        """
        if name not in ENDPOINTS:
            raise ValueError(f"no action {name!r}; there are {', '.join(ENDPOINTS)}")
        if name not in self._own and (missing := missing_arguments(name, args)):
            raise ValueError(f"{name} needs the arguments {', '.join(missing)}")
        run = partial(self._flows.run, name, args, cached=cached)
        return UIAction(name, run, args.get("to", ""), args.get("text") or args.get("file", ""))

    def status(self) -> dict[str, Any]:
        """Return `send_queue_pending` and `ui_scheduler`, the metrics or None (UI-M1).

        Sets the Prometheus gauge, which the system before the change never did (UI-M3).
        """
        count = getattr(self._scheduler, "pending_count", None)
        pending = 0 if count is None else int(count())
        if self.settings.wiring != "before":
            self.prometheus.set_pending(pending)
        metrics = getattr(self._scheduler, "get_metrics", None)
        return {
            "send_queue_pending": pending,
            "ui_scheduler": None if metrics is None else (metrics() or None),
        }


def _needed(port: P | None, name: str) -> P:
    if port is None:
        raise ValueError(f"a bridge needs the port `{name}`, and the world has none")
    return port
