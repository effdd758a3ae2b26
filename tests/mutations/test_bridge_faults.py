"""Faults planted in the bridge's services on purpose: the named scenarios' checks turn red."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from planting_kit import Faults, Played
from windtunnel.policies.ui.failed_looks import FailedLooks
from windtunnel.policies.ui.priority import Priority
from windtunnel.policies.ui.session_cache import SessionCache
from windtunnel.ports import LoginState, Program, WindowInfo
from windtunnel.services.bridge.bridge import Bridge
from windtunnel.services.bridge.dispatch import dispatch
from windtunnel.services.bridge.dispatch.dispatch import Dispatch
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS, Endpoint
from windtunnel.services.bridge.flows import flow_runner, qr_capture
from windtunnel.services.bridge.flows.action import UIAction
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.flows.flow_runner import FlowRunner
from windtunnel.services.bridge.flows.flows import FLOWS
from windtunnel.services.bridge.flows.kill_announcer import KillAnnouncer
from windtunnel.services.bridge.flows.qr_capture import QrCapture
from windtunnel.services.bridge.flows.wechat_process import WeChatProcess
from windtunnel.services.bridge.prometheus import BridgeMetrics
from windtunnel.services.bridge.routes import batch, routes
from windtunnel.services.bridge.routes.login_probe import LoginProbe
from windtunnel.services.bridge.routes.orchestrator import FlowOrchestrator
from windtunnel.services.bridge.watchers import watchdog
from windtunnel.services.bridge.watchers.friend_watcher import FriendRequestWatcher
from windtunnel.services.bridge.watchers.login_guard import LoginGuard
from windtunnel.services.bridge.watchers.verification import Verification
from windtunnel.services.bridge.watchers.watchdog import WeChatWatchdog

fault = Faults()


# ---------------------------------------------------------------- the watchdog


@fault(watchdog_drains_then_kills="happens_before event", call_site_watchdog="drained_before_kill")
def watchdog_does_not_drain(patch: pytest.MonkeyPatch) -> None:
    async def at_once(self: WeChatWatchdog) -> bool:
        return True

    patch.setattr(WeChatWatchdog, "_drained", at_once)


@fault(watchdog_timeline="answer happens_before", a_window_outlives_the_outage="answer")
def watchdog_opens_no_window(patch: pytest.MonkeyPatch) -> None:
    act = WeChatWatchdog.act

    async def windowless(self: WeChatWatchdog) -> bool:
        if self._scheduler is None:
            return await act(self)
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(self._scheduler, "mark_wechat_dead", lambda seconds: None)
            return await act(self)

    patch.setattr(WeChatWatchdog, "act", windowless)


@fault(watchdog_drains_then_kills="event", watchdog_timeline="event answer")
def watchdog_spares_what_did_not_drain(patch: pytest.MonkeyPatch) -> None:
    act = WeChatWatchdog.act

    async def patient(self: WeChatWatchdog) -> bool:
        return await self._drained() and await act(self)

    patch.setattr(WeChatWatchdog, "act", patient)


@fault(watchdog_looks_twice="count")
def watchdog_acts_on_the_first_failed_look(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(watchdog, "FailedLooks", lambda: FailedLooks(1))


@fault(watchdog_looks_twice="count")
def watchdog_forgets_no_failed_look(patch: pytest.MonkeyPatch) -> None:
    def look(self: FailedLooks, *, alive: bool) -> bool:
        self.failed += not alive
        return self.failed >= self._needed

    patch.setattr(FailedLooks, "look", look)


@fault(looks_take_no_lock="bounded count")
def watchdog_looks_under_the_lock(patch: pytest.MonkeyPatch) -> None:
    make = Bridge._make_watchdog

    def over_the_backend(self: Bridge) -> WeChatWatchdog:
        made = make(self)
        made._desktop = _Locking(self.backend)  # type: ignore[assignment] # all that a look needs
        return made

    patch.setattr(Bridge, "_make_watchdog", over_the_backend)


class _Locking:
    """Looks for the window as every command is given: under the lock."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def window(self) -> WindowInfo | None:
        return await self._backend._locked(lambda _: self._backend.window(), None)


# ---------------------------------------------------------------- flows and the session cache


def _without(patch: pytest.MonkeyPatch, step: str) -> None:
    flows = {
        name: tuple(each for each in steps if each.name != step) for name, steps in FLOWS.items()
    }
    patch.setattr(flow_runner, "FLOWS", flows)


@fault(flows_run_their_commands="count", a_popup_takes_a_click="count delivered_to")
def flows_skip_activate(patch: pytest.MonkeyPatch) -> None:
    _without(patch, "activate")


@fault(repeated_dialling="delivered_to", sixteen_callers="conservation")
def flows_skip_open_session(patch: pytest.MonkeyPatch) -> None:
    _without(patch, "open_session")


@fault(an_open_session_is_not_opened_again="count delivered_to")
def session_cache_outlives_a_restart(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SessionCache, "forget", lambda self: None)
    patch.setattr(SessionCache, "left", lambda self: None)
    patch.setattr(SessionCache, "is_open", lambda self, contact, window: self._open == contact)


@fault(an_open_session_is_not_opened_again="count delivered_to")
def session_cache_ignores_other_flows(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SessionCache, "left", lambda self: None)


@fault(an_open_session_is_not_opened_again="count delivered_to")
def session_cache_takes_any_contact_it_knows(patch: pytest.MonkeyPatch) -> None:
    def known(self: SessionCache, contact: str, window: object) -> bool:
        return contact in self.contacts and self._window == window

    patch.setattr(SessionCache, "is_open", known)


@fault(an_open_session_is_not_opened_again="count")
def session_cache_is_not_used(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SessionCache, "is_open", lambda self, contact, window: False)


@fault(a_flow_ends_after_thirty_seconds="answer")
def flow_is_not_bounded(patch: pytest.MonkeyPatch) -> None:
    make = FlowRunner.__init__

    def unbounded(self: FlowRunner, machine: Any, announcer: Any, bound: float, *rest: Any) -> None:
        make(self, machine, announcer, 1e6, *rest)

    patch.setattr(FlowRunner, "__init__", unbounded)


@fault(watchdog_announces_the_kill="event")
def kill_announcer_tells_nobody(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(KillAnnouncer, "announce", lambda self: None)


@fault(the_announcement_spares_a_search="event count")
def flows_do_not_heed_the_announcement(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(KillAnnouncer, "kills", property(lambda self: 0, lambda self, kills: None))


# ---------------------------------------------------------------- restart, autofix, capture


@fault(restart_fails_the_queue_fast="event count", a_run_of_slow_failures="count")
def restart_opens_no_window(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Bridge, "_windows", lambda self: {})


@fault(restart_fails_the_queue_fast="event")
def restart_opens_its_window_at_submission(patch: pytest.MonkeyPatch) -> None:
    submit = Dispatch.submit

    def early(self: Dispatch, action: UIAction, **options: Any) -> Awaitable[Any]:
        if action.name == "restart":
            self._scheduler.mark_wechat_dead(8.0)  # type: ignore[attr-defined] # ours has it
        return submit(self, action, **options)

    patch.setattr(Dispatch, "submit", early)


@fault(autofix_waits_for_autostart="count", flows_run_their_commands="count")
def autofix_starts_beside_autostart(patch: pytest.MonkeyPatch) -> None:
    async def autofix(self: WeChatProcess) -> int:
        await self._kill()
        return await self._start()

    patch.setattr(WeChatProcess, "autofix", autofix)


@fault(autofix_waits_for_autostart="answer")
def autofix_waits_for_an_autostart_for_ever(patch: pytest.MonkeyPatch) -> None:
    async def autofix(self: WeChatProcess) -> int:
        await self._kill()
        while not (pids := await self._processes.find("wechat")):  # noqa: ASYNC110 - the fault
            await asyncio.sleep(1)
        return int(pids[0])

    patch.setattr(WeChatProcess, "autofix", autofix)


@fault(call_site_capture="count")
def capture_is_killed_and_not_reaped(patch: pytest.MonkeyPatch) -> None:
    async def end(program: Program) -> None:
        program.kill()

    patch.setattr(qr_capture, "_end", end)


@fault(call_site_capture="bounded count")
def capture_has_no_timeout(patch: pytest.MonkeyPatch) -> None:
    make = QrCapture.__init__
    patch.setattr(
        QrCapture, "__init__", lambda self, processes, lock, _: make(self, processes, lock, None)
    )


@fault(a_capture_competes_with_a_send="mutual_exclusion happens_before")
def capture_takes_no_lock(patch: pytest.MonkeyPatch) -> None:
    make = QrCapture.__init__
    patch.setattr(
        QrCapture, "__init__", lambda self, processes, _, limit: make(self, processes, None, limit)
    )


# ---------------------------------------------------------------- locks, probes, routes


@fault(call_site_logout="mutual_exclusion", one_command_at_a_time="mutual_exclusion")
def lock_is_released_before_the_command(patch: pytest.MonkeyPatch) -> None:
    async def locked(self: Backend, command: Callable[[Any], Awaitable[Any]], argument: Any) -> Any:
        if self.lock is not None:
            async with self.lock:
                pass
        return await command(argument)

    patch.setattr(Backend, "_locked", locked)


@fault(probes_never_queue="bounded", probes_of_a_hundred_sends="threshold")
def probes_go_through_the_queue(patch: pytest.MonkeyPatch) -> None:
    make = Bridge._make_services

    def queued(self: Bridge) -> None:
        make(self)
        look = self.probe.look
        self.probe.look = lambda: self.dispatch.submit(UIAction("like", look))  # type: ignore[method-assign, assignment, return-value]

    patch.setattr(Bridge, "_make_services", queued)


@fault(looks_take_no_lock="bounded")
def window_is_looked_up_under_the_lock(patch: pytest.MonkeyPatch) -> None:
    window = Backend.window

    async def locked(self: Backend) -> WindowInfo | None:
        return await self._locked(lambda _: window(self), None)

    patch.setattr(Backend, "window", locked)


@fault(nobody_is_logged_in="answer count")
def routes_do_not_probe(patch: pytest.MonkeyPatch) -> None:
    async def come_in(self: LoginProbe) -> None:
        del self

    patch.setattr(LoginProbe, "require_login", come_in)


@fault(a_cached_login_goes_stale="answer")
def cached_state_is_kept_for_good(patch: pytest.MonkeyPatch) -> None:
    def state(self: LoginGuard) -> LoginState:
        return "logged_in"

    patch.setattr(LoginGuard, "state", state)


@fault(probes_of_a_hundred_sends="threshold")
def guard_keeps_no_state(patch: pytest.MonkeyPatch) -> None:
    def state(self: LoginGuard) -> LoginState:
        return "unknown"

    patch.setattr(LoginGuard, "state", state)


@fault(guard_warns_of_a_busy_lock="count")
def guard_never_warns(patch: pytest.MonkeyPatch) -> None:
    make = LoginGuard.__init__
    patch.setattr(
        LoginGuard,
        "__init__",
        lambda self, backend, **rest: make(self, backend, **rest | {"warns_s": 1e6}),
    )


def _with_row(patch: pytest.MonkeyPatch, module: Any, action: str, **changed: Any) -> None:
    row = replace(ENDPOINTS[action], **changed)
    patch.setattr(module, "ENDPOINTS", MappingProxyType({**ENDPOINTS, action: row}))


@fault(nobody_is_logged_in="answer")
def restart_asks_for_a_log_in(patch: pytest.MonkeyPatch) -> None:
    _with_row(patch, routes, "restart", probe=True)


@fault(endpoint_waits="answer")
def route_waits_too_long(patch: pytest.MonkeyPatch) -> None:
    _with_row(patch, routes, "screenshot", wait_ms=15000)


@fault(sixteen_callers="count")
def route_has_the_wrong_priority(patch: pytest.MonkeyPatch) -> None:
    _with_row(patch, dispatch, "comment", priority=Priority.NORMAL)


@fault(call_site_screenshot="happens_before", screenshot_beside_sends="no_interleave")
def screenshots_are_still_direct(patch: pytest.MonkeyPatch) -> None:
    way = Endpoint.way
    patch.setattr(
        Endpoint,
        "way",
        lambda self, wiring: "direct" if self.action == "screenshot" else way(self, wiring),
    )


@fault(status_tells_the_queue="equals", regression_list="equals")
def status_does_not_tell_the_pending(patch: pytest.MonkeyPatch) -> None:
    status = Bridge.status
    patch.setattr(Bridge, "status", lambda self: {**status(self), "send_queue_pending": 0})


@fault(prometheus_counts="equals")
def status_does_not_set_the_gauge(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(BridgeMetrics, "set_pending", lambda self, pending: None)


# ---------------------------------------------------------------- callers beside the routes


@fault(friend_watcher_past_the_queue="no_interleave", repeated_dialling="count delivered_to")
def friend_watcher_accepts_directly(patch: pytest.MonkeyPatch) -> None:
    make = FriendRequestWatcher.__init__
    patch.setattr(
        FriendRequestWatcher,
        "__init__",
        lambda self, *args, **rest: make(self, *args, **rest | {"at_once": True}),
    )


@fault(repeated_dialling="count")
def friend_watcher_accepts_twice(patch: pytest.MonkeyPatch) -> None:
    submit = FriendRequestWatcher._submit

    def twice(self: FriendRequestWatcher, contact: str) -> None:
        submit(self, contact)
        submit(self, contact)

    patch.setattr(FriendRequestWatcher, "_submit", twice)


@fault(a_batch_for_nobody="calls count")
def orchestrator_does_not_probe(patch: pytest.MonkeyPatch) -> None:
    make = FlowOrchestrator.__init__

    def trusting(self: FlowOrchestrator, probe: LoginProbe, *rest: Any) -> None:
        make(self, probe, *rest)
        self._probe = _Trusting()  # type: ignore[assignment] # all that it asks for

    patch.setattr(FlowOrchestrator, "__init__", trusting)


class _Trusting:
    async def require_login(self) -> None:
        """Take it for granted."""


@fault(sixteen_callers="count")
def phase1_has_priorities_already(patch: pytest.MonkeyPatch) -> None:
    way = Endpoint.way
    patch.setattr(
        Endpoint, "way", lambda self, wiring: "execute" if wiring == "phase1" else way(self, wiring)
    )


@fault(a_batch_sends_all_but_what_fails="count")
def batch_drops_its_last_item(patch: pytest.MonkeyPatch) -> None:
    run = batch.BatchWorker.run

    async def short(self: Any, sends: Any, gap_s: float = 0.0) -> Any:
        return await run(self, sends[:-1], gap_s)

    patch.setattr(batch.BatchWorker, "run", short)


@fault(a_batch_sends_all_but_what_fails="count calls")
def batch_ends_with_the_first_failure(patch: pytest.MonkeyPatch) -> None:
    async def one(self: Any, index: int, send: batch.Send) -> batch.SendResult:
        call = self._orchestrator
        await (
            call.send_file(send.to, send.file) if send.file else call.send_text(send.to, send.text)
        )
        return batch.SendResult(index, send.to, ok=True)

    patch.setattr(batch.BatchWorker, "_one", one)


@fault(delay_after_an_action="event")
def same_contact_is_not_noticed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(dispatch, "contact_delay_ms", lambda last, to: None)


# ---------------------------------------------------------------- start-up and shutdown


@fault(start_up_and_shutdown_in_order="happens_before")
def clean_up_comes_after_the_watchers(patch: pytest.MonkeyPatch) -> None:
    clean, start = Bridge._clean, Bridge.start

    async def late(self: Bridge) -> None:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(Bridge, "_clean", lambda _: asyncio.sleep(0))
            await start(self)
        await clean(self)

    patch.setattr(Bridge, "start", late)


@fault(
    start_up_and_shutdown_in_order="happens_before",
    verification_is_given_up_at_shutdown="happens_before",
)
def queue_stops_before_verification_is_cleared(patch: pytest.MonkeyPatch) -> None:
    clear = Bridge.stop

    async def early(self: Bridge) -> None:
        await self._scheduler.stop()
        self._note("scheduler.stopped", "", {})
        await clear(self)

    patch.setattr(Bridge, "stop", early)


@fault(verification_is_given_up_at_shutdown="count")
def verification_never_begins(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Verification, "begin", lambda self, action, before: None)


@fault(verification_is_given_up_at_shutdown="count")
def verification_looks_at_the_display(patch: pytest.MonkeyPatch) -> None:
    begin, make = Verification.begin, Bridge._make_services

    def made(self: Bridge) -> None:
        make(self)
        self.verification.backend = self.backend  # type: ignore[attr-defined] # for the one below

    def looking(self: Any, action: str, before: Any) -> Any:
        self.screenshot = asyncio.ensure_future(self.backend.capture())
        return begin(self, action, before)

    patch.setattr(Bridge, "_make_services", made)
    patch.setattr(Verification, "begin", looking)


def test_without_a_fault_these_scenarios_are_green(played: Played) -> None:
    fault.require_green(played)


@pytest.mark.parametrize("name", fault.rows)
def test_a_planted_fault_turns_these_checks_red(
    name: str, monkeypatch: pytest.MonkeyPatch, played: Played
) -> None:
    fault.require_red(name, monkeypatch, played)
