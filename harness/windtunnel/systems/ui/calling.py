"""The calling: what each call of the timeline reaches, and how its end is recorded.

Imports the bridge, the plug and the boundary.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from windtunnel import units
from windtunnel.acting import on_behalf
from windtunnel.errors import PluginError, WorldError
from windtunnel.services import cancellation
from windtunnel.services.bridge.bridge import Bridge
from windtunnel.services.bridge.routes.batch import Send
from windtunnel.systems.base import Operation
from windtunnel.systems.ui.boundary import BoundaryOperation
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel.systems.ui.recorded import RecordedScheduler, submitting
from windtunnel.systems.ui.requests import Requests
from windtunnel.trace import Outcome, Trace

logger = logging.getLogger(__name__)

Call = Callable[[Any], Awaitable[Any]]

LOOKS: Final = frozenset({"login_guard.look", "watchdog.look", "streamer.poll"})
"""Calls that only look: their commands are those of a probe (UI-C2)."""
UNNAMED: Final = frozenset({"scheduler", "caller", "bridge"})
"""Callees that are no actor of their own."""


class Calling:
    """Makes the calls of the timeline that are no requests."""

    def __init__(
        self,
        trace: Trace,
        bridge: Bridge,
        scheduler: RecordedScheduler,
        plugged: PluggedScheduler,
        requests: Requests,
    ) -> None:
        self._trace = trace
        self._scheduler = scheduler
        self._requests = requests
        self._calls: Mapping[str, Call] = MappingProxyType(
            {
                **_of_services(bridge),
                **_of_scheduler(scheduler, plugged),
                "caller.cancel": self._cancel,
            }
        )

    async def make(self, operation: Operation) -> None:
        """Call a service; what it returns or raises is recorded as `call.ended`.

        It is over when what it submitted has settled too. Raises the `WorldError` or `PluginError`
        for which no verdict can rest on what was seen.
        """
        name = operation.name
        self._trace.record("call.started", operation.id, class_=name)
        actor = name.partition(".")[0]
        inside: list[BoundaryOperation] = []
        listed = submitting.set(inside)
        try:
            with on_behalf(
                operation.id,
                "probe" if name in LOOKS else name,
                "" if actor in UNNAMED else actor,
            ):
                outcome, details = await self._ending(operation)
        finally:
            submitting.reset(listed)
        self._trace.record(
            "call.ended", operation.id, class_=name, outcome=outcome, details=details
        )
        for crossing in inside:
            await crossing.closed

    async def _ending(self, operation: Operation) -> tuple[str, dict[str, Any]]:
        """Make a call; return its outcome and what its end keeps of what it returned or raised.

        What is raised without a code is no answer but a slip, and logged: the trace keeps no text.
        """
        try:
            result = await self._calls[operation.name](operation.args)
        except WorldError:
            raise
        except asyncio.CancelledError as error:
            if cancellation.is_own():
                raise
            return Outcome.ABORTED, {"error": type(error).__name__}  # its caller hung up
        except Exception as error:
            details: dict[str, Any] = {"error": type(error).__name__}
            if isinstance(code := getattr(error, "code", None), str):
                details["code"] = str(code)
            else:
                logger.exception("the call %s (%s) raised", operation.id, operation.name)
            return Outcome.FAILED, details
        if isinstance(result, bool | int | float | str):
            return Outcome.DONE, {"result": result}
        return Outcome.DONE, {}

    async def _cancel(self, args: Any) -> bool:  # noqa: ANN401 - calls.Cancel
        hung_up = self._requests.hang_up(args.of)
        if hung_up is not None:
            return hung_up
        crossing = self._scheduler.operations.get(args.of)
        if crossing is not None and crossing.answer is not None:
            return crossing.answer.cancel()
        if all(event.op != args.of for event in self._trace.of("action.submitted")):
            raise PluginError(f"{args.of} has not been submitted")
        return False  # it is over


def _of_services(bridge: Bridge) -> Mapping[str, Call]:
    orchestrator = bridge.orchestrator

    async def batch(args: Any) -> int:  # noqa: ANN401 - calls.Batch
        """Return how many items were sent."""
        sends = [Send(one.to, one.text or "", one.file or "") for one in args.sends] * args.times
        results = await bridge.batch.run(sends, units.to_seconds(args.gap))
        return sum(result.ok for result in results)

    async def polled(_: Any) -> int:  # noqa: ANN401 - no arguments
        """Return how many messages were new."""
        return len(await bridge.streamer.poll())

    return {
        "orchestrator.send_text": lambda args: orchestrator.send_text(args.to, args.text),
        "orchestrator.send_file": lambda args: orchestrator.send_file(args.to, args.file),
        "batch.run": batch,
        "watchdog.act": lambda _: bridge.watchdog.act(),
        "watchdog.look": lambda _: bridge.watchdog.look(),
        "login_guard.look": lambda _: bridge.login_guard.look(),
        "friend_watcher.poll": lambda _: bridge.friend_watcher.poll(),
        "streamer.poll": polled,
        "qr_capture.run": lambda _: bridge.qr_capture.run(),
        "bridge.start": lambda _: bridge.start(),
        "bridge.stop": lambda _: bridge.stop(),
    }


def _of_scheduler(scheduler: RecordedScheduler, plugged: PluggedScheduler) -> Mapping[str, Call]:
    return {
        "scheduler.start": lambda _: plugged.call("start"),
        "scheduler.stop": lambda _: plugged.call("stop"),
        "scheduler.drain": lambda args: scheduler.drain(units.to_seconds(args.timeout)),
        "scheduler.mark_wechat_dead": lambda args: plugged.call(
            "mark_wechat_dead", units.to_seconds(args.duration)
        ),
        "scheduler.mark_wechat_ready": lambda _: plugged.call("mark_wechat_ready"),
    }
