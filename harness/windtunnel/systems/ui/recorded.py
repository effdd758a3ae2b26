"""The scheduler that the bridge gets: the plugged one, with the boundary around each submission.

Submissions and drains are recorded around the call, for anybody's scheduler alike; events from
inside only where the scheduler can be observed. Which operation an action belongs to is read from
who acts (`windtunnel.acting`). Imports the boundary, the plug and the bridge's own action.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, TypeVar

from windtunnel import units
from windtunnel.acting import Acting, Gate, acting
from windtunnel.errors import PluginError
from windtunnel.kinds import KINDS
from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.flows.action import UIAction
from windtunnel.systems.ui.boundary import Answer, BoundaryOperation
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel.systems.ui.staging import Stage
from windtunnel.trace import Trace

T = TypeVar("T")
Factory = Callable[[], Any]
_OF_OPERATIONS: Final = {
    name: row.details for name, row in KINDS.items() if row.origin == "scheduler"
}
"""What a scheduler tells from inside → the details that are kept of it."""
_OF_ANYBODY: Final = {
    name: details for name, details in _OF_OPERATIONS.items() if "op" not in KINDS[name].fields
}
"""The same, of what need not name an operation."""
_NO_STAGES: Final[Mapping[str, Stage]] = {}
Line = Callable[[str, str, Mapping[str, Any]], None]

submitting: Final[ContextVar[list[BoundaryOperation] | None]] = ContextVar(
    "windtunnel.submitting", default=None
)
"""What was submitted inside a call of the timeline: the call is over when all of it is."""


class RecordedScheduler:
    """A plugged scheduler to the bridge and to the timeline's calls."""

    def __init__(
        self,
        plugged: PluggedScheduler,
        trace: Trace,
        gate: Gate | None = None,
        stages: Mapping[str, Stage] = _NO_STAGES,
        *,
        started_by_bridge: bool = True,
    ) -> None:
        self._plugged = plugged
        self._trace = trace
        self._gate = gate
        self._stages = stages
        self._started_by_bridge = started_by_bridge
        self._nobody = Acting("bridge", "")
        self.operations: dict[str, BoundaryOperation] = {}
        """Operation → its crossing of the boundary, until it is over and its caller was told."""
        self.latest: BoundaryOperation | None = None
        """The crossing of what was submitted last."""
        if plugged.has("get_metrics"):
            self.get_metrics = self._get_metrics
            """The metrics by name; not there for a scheduler that has none (UI-Q14)."""
        self._marking: list[asyncio.Future[Any]] = []
        self._observers: list[Line] = []
        if plugged.has("observe"):
            self._observe()

    # -- submission ---------------------------------------------------------------------------

    def execute(
        self,
        action: Factory,
        priority: Priority = Priority.NORMAL,
        delay_ms: float | None = None,
        wait_timeout_ms: float | None = None,
        trace_id: str = "",
    ) -> Answer:
        """Submit an action now; see `UIActionScheduler.execute`.

        Inside the scheduler it is known by the operation's id, in the place of `trace_id`, so that
        what is told from inside names the operation.
        """
        return self._submit("execute", action, priority, delay_ms, wait_timeout_ms, trace_id)

    def enqueue(
        self,
        factory: Factory,
        delay_ms: float | None = None,
        wait_timeout_ms: float | None = None,
    ) -> Answer:
        """Submit an action now as `SendQueue` takes it."""
        return self._submit("enqueue", factory, Priority.NORMAL, delay_ms, wait_timeout_ms)

    def direct(self, action: UIAction) -> Answer:
        """Run an action at once beside the scheduler (wirings `before` and `phase1`)."""
        details: dict[str, Any] = {"priority": int(Priority.NORMAL), "via": "direct"}
        return self._cross(self._acting(action), action, _at_once, details)

    def _submit(
        self,
        wanted: str,
        factory: Factory,
        priority: Priority,
        delay_ms: float | None,
        wait_ms: float | None,
        trace_id: str = "",
    ) -> Answer:
        plugged = self._plugged
        action = factory if isinstance(factory, UIAction) else UIAction("", factory)
        via = plugged.via(wanted)
        who = self._acting(action)
        details: dict[str, Any] = {"priority": int(priority), "via": via}
        if delay_ms is not None:
            details["delay_ms"] = delay_ms
        if wait_ms is not None:
            details["wait_ms"] = wait_ms
        if trace_id:
            details["trace_id"] = trace_id
        arguments = {
            "priority": priority,
            "delay_ms": delay_ms,
            "wait_timeout_ms": wait_ms,
            "trace_id": who.op,
        }
        return self._cross(
            who, action, lambda begin: plugged.submit(begin, via, arguments), details
        )

    def _acting(self, action: UIAction) -> Acting:
        """Return who runs an action: the operation on whose behalf it is submitted.

        A second action of one operation is told from the first: `op/2`.
        """
        outer = acting.get() or self._nobody
        op = outer.op
        outer.submitted = number = outer.submitted + 1
        if number > 1:
            op = f"{op}/{number}"
        # What it submits itself is told from it too: it counts as the first.
        return Acting(op, action.name, actor=outer.actor, gate=self._gate, submitted=1)

    def _cross(
        self,
        who: Acting,
        action: UIAction,
        submit: Callable[[Callable[[], Any]], Any],
        details: dict[str, Any],
    ) -> Answer:
        if action.to:
            details["to"] = action.to
        if action.text:
            details["text"] = action.text
        stage = self._stages.get(action.name)
        run = action if stage is None else partial(stage.run, action, self.mark_wechat_dead)
        crossing = BoundaryOperation(self._trace, who, run, self.operations)
        self.latest = crossing
        if (open_ := submitting.get()) is not None:
            open_.append(crossing)
        return crossing.submit(submit, who.actor or "route", details)

    # -- the rest of a scheduler --------------------------------------------------------------

    async def start(self) -> None:
        """Start it, unless the scenario starts it itself; raises `PluginError` when it fails."""
        if self._started_by_bridge:
            await self._plugged.manage("start")

    async def stop(self) -> None:
        """Stop it; raises `PluginError` when it fails."""
        await self._plugged.manage("stop")

    async def drain(self, timeout: float = 5.0) -> bool:
        """Drain, and record its start and its end."""
        self._record("drain.started", {"timeout": units.from_seconds(timeout)})
        drained = bool(await self._plugged.call("drain", timeout))
        if not drained:
            self._record("drain.timed_out", {})
        self._trace.record("drain.ended", actor="scheduler", details={"drained": drained})
        return drained

    def _record(self, kind: str, details: Mapping[str, Any]) -> None:
        if self._plugged.has("pending_count"):
            details = {**details, "pending": self.pending_count()}
        self._trace.record(kind, actor="scheduler", details=details)

    def mark_wechat_dead(self, duration_sec: float = 10.0) -> None:
        """Open the dead window; nothing happens where the scheduler has none."""
        self._mark("mark_wechat_dead", duration_sec)

    def mark_wechat_ready(self) -> None:
        """Close the dead window; nothing happens where the scheduler has none."""
        self._mark("mark_wechat_ready")

    def _mark(self, name: str, *args: float) -> None:
        if not self._plugged.has(name):
            return
        marked = getattr(self._plugged.instance, name)(*args)
        if inspect.isawaitable(marked):  # a foreign one may be a coroutine: it begins at once
            self._marking.append(asyncio.ensure_future(marked))

    def pending_count(self) -> int:
        """Return how many are queued; 0 for a scheduler that does not say."""
        return self._read("pending_count", int, "a number")

    def _get_metrics(self) -> dict[str, Any]:
        return self._read("get_metrics", dict, "a mapping")

    def _read(self, name: str, kind: Callable[..., T], what: str) -> T:
        """Return what a method tells, as that kind, or an empty one where there is no method."""
        if not self._plugged.has(name):
            return kind()
        try:
            return kind(getattr(self._plugged.instance, name)())
        except Exception as error:
            raise PluginError(
                f"{self._plugged.name}.{name} must return {what} at once: "
                f"{type(error).__name__}: {error}"
            ) from error

    # -- what it tells from inside ------------------------------------------------------------

    def observe(self, observer: Line) -> Callable[[], None]:
        """Have `observer(name, trace id, fields)` told what happens inside; returns what ends it.

        The plugged one is observed once, so that one which takes a single observer will do.
        """
        self._observers.append(observer)

        def end() -> None:
            if observer in self._observers:
                self._observers.remove(observer)

        return end

    def _observe(self) -> None:
        try:
            self._plugged.instance.observe(self._on_line)
        except Exception as error:
            raise PluginError(
                f"{self._plugged.name}.observe must take a function (name, trace id, fields): "
                f"{type(error).__name__}: {error}"
            ) from error

    def _on_line(self, name: str, op: str, fields: Mapping[str, Any]) -> None:
        for observer in self._observers:
            observer(name, op, fields)
        details = _OF_OPERATIONS.get(name) if op else _OF_ANYBODY.get(name)
        if details is not None:
            self._trace.record(name, op, details={key: fields[key] for key in details})


def _at_once(begin: Callable[[], Awaitable[Any]]) -> Answer:
    return asyncio.ensure_future(begin())
