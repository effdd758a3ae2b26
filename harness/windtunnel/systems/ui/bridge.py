"""The UI system under test, alive in a world: scheduler, watchdog, boundary."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

from windtunnel import units
from windtunnel.errors import BridgeError, PluginError, RequirementError
from windtunnel.ports import Display, Processes
from windtunnel.services.endpoints import ENDPOINTS
from windtunnel.services.flows import Command, run_flow
from windtunnel.services.watchdog import WeChatWatchdog
from windtunnel.systems.base import Operation, Setup
from windtunnel.systems.ui.boundary import Action, BoundaryOperation
from windtunnel.systems.ui.commands import commands_of
from windtunnel.systems.ui.given import Given
from windtunnel.systems.ui.needs import lacking
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel.systems.ui.recorded import RecordedScheduler
from windtunnel.systems.ui.submission import UNCHANGED, Submission, contact, plan
from windtunnel.trace import Outcome

P = TypeVar("P", Display, Processes)


class BridgeUnderTest:
    """A scheduler with its boundary and the services around it.

    Raises `RequirementError` when the scheduler lacks what the cell needs, `PluginError` when the
    world has no display or no processes.
    """

    def __init__(self, setup: Setup, plugged: PluggedScheduler) -> None:
        self._given: Given = setup.given
        self._trace = setup.world.trace
        self._plugged = plugged
        self._display = _needed(setup.world.ports.display, "display", setup.world.name)
        processes = _needed(setup.world.ports.processes, "processes", setup.world.name)
        self._require(setup)
        self._scheduler = RecordedScheduler(plugged, self._trace)
        self._watchdog = self._make_watchdog(processes)
        self._operations: dict[str, BoundaryOperation] = {}
        self._last_contact: str | None = None
        self._calls: Mapping[str, Callable[[Any], Awaitable[Any]]] = {
            "scheduler.start": lambda _: plugged.call("start"),
            "scheduler.stop": lambda _: plugged.call("stop"),
            "scheduler.drain": lambda args: self._scheduler.drain(units.to_seconds(args.timeout)),
            "scheduler.mark_wechat_dead": lambda args: plugged.call(
                "mark_wechat_dead", units.to_seconds(args.duration)
            ),
            "scheduler.mark_wechat_ready": lambda _: plugged.call("mark_wechat_ready"),
            "watchdog.act": lambda _: self._watchdog.act(),
            "caller.cancel": self._cancel,
        }

    def _require(self, setup: Setup) -> None:
        planned = [
            plan(operation, self._given, None)
            for operation in setup.planned
            if operation.mode == "submit"
        ]
        if missing := lacking(self._plugged, setup, planned):
            raise RequirementError(f"{self._plugged.name} lacks {', '.join(missing)}")

    def _make_watchdog(self, processes: Processes) -> WeChatWatchdog:
        figures = self._given.watchdog
        return WeChatWatchdog(
            None if self._given.wiring == "before" else self._scheduler,
            processes,
            drain_s=units.to_seconds(figures.drain),
            window_s=units.to_seconds(figures.window),
        )

    async def start(self) -> None:
        """Start the scheduler, unless the scenario starts it itself."""
        if self._given.scheduler.started:
            await self._plugged.manage("start")

    async def stop(self) -> None:
        """Stop the scheduler."""
        await self._plugged.manage("stop")

    def submit(self, operation: Operation) -> Awaitable[None]:
        """Submit an operation now; the result is done when it and its caller have settled."""
        submission = plan(operation, self._given, self._last_contact)
        if ENDPOINTS[operation.name].sends:
            self._last_contact = contact(operation)
        action = self._action(operation, submission)
        crossing = BoundaryOperation(self._trace, operation.id, operation.name, action)
        self._operations[operation.id] = crossing
        if submission.direct:
            crossing.submit(_at_once, "route", _details(submission, "direct"))
        else:
            via = self._plugged.via(submission.via)
            crossing.submit(
                lambda begin: self._plugged.submit(begin, via, submission.arguments),
                "route",
                _details(submission, via),
            )
        return crossing.closed

    def _action(self, operation: Operation, submission: Submission) -> Action:
        given = self._given.actions.get(operation.name, UNCHANGED)
        commands = commands_of(self._given, operation.name)

        async def action() -> None:
            if submission.window:
                await self._plugged.call("mark_wechat_dead", units.to_seconds(submission.window))
            await _do(self._display, given.duration, commands)
            if given.raises is not None:
                raise BridgeError(given.raises, "the scenario has this action fail")

        return action

    def call(self, operation: Operation) -> Coroutine[Any, Any, None]:
        """Call a service; what it returns or raises is recorded as `call.ended`."""
        return self._call(operation)

    async def _call(self, operation: Operation) -> None:
        self._trace.record("call.started", operation.id, class_=operation.name)
        details: dict[str, Any] = {}
        outcome = Outcome.DONE
        try:
            result = await self._calls[operation.name](operation.args)
            if isinstance(result, bool | int | float | str):
                details["result"] = result
        except Exception as error:  # noqa: BLE001 - its end is a fact of the run, recorded
            outcome = Outcome.FAILED
            details |= {"error": type(error).__name__}
            if isinstance(code := getattr(error, "code", None), str):
                details["code"] = str(code)
        self._trace.record(
            "call.ended", operation.id, class_=operation.name, outcome=outcome, details=details
        )

    async def _cancel(self, args: Any) -> bool:  # noqa: ANN401 - given.Cancel
        crossing = self._operations.get(args.of)
        if crossing is None or crossing.answer is None:
            raise PluginError(f"{args.of} has not been submitted")
        return crossing.answer.cancel()

    def observe(self) -> Mapping[str, Any]:
        """Return the scheduler's metrics by name (UI-Q11); empty when it has none."""
        return self._scheduler.metrics()


def _at_once(begin: Callable[[], Awaitable[Any]]) -> asyncio.Future[Any]:
    return asyncio.ensure_future(begin())


async def _do(display: Display, duration: int | None, commands: tuple[Command, ...]) -> None:
    if duration is None:
        await run_flow(display, commands)
    else:
        await asyncio.sleep(units.to_seconds(duration))


def _details(submission: Submission, via: str) -> dict[str, Any]:
    details: dict[str, Any] = {"priority": int(submission.priority), "via": via}
    if submission.delay_ms is not None:
        details["delay_ms"] = submission.delay_ms
    if submission.wait_ms is not None:
        details["wait_ms"] = submission.wait_ms
    return details


def _needed(port: P | None, name: str, world: str) -> P:
    if port is None:
        raise PluginError(f"the {world} world has no port `{name}`, which the ui system needs")
    return port
