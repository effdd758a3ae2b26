"""A scheduler whose drains and inner events are recorded: the boundary beside submission.

Drains are recorded around the call, for anybody's scheduler alike; events from inside only where
the scheduler can be observed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from windtunnel import units
from windtunnel.errors import PluginError
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel.trace import KINDS, Trace

T = TypeVar("T")


class RecordedScheduler:
    """What the watchdog and the timeline's calls see of a plugged scheduler."""

    def __init__(self, plugged: PluggedScheduler, trace: Trace) -> None:
        self._plugged = plugged
        self._trace = trace
        if plugged.has("observe"):
            self._observe()

    def _observe(self) -> None:
        try:
            self._plugged.instance.observe(self._on_line)
        except Exception as error:
            raise PluginError(
                f"{self._plugged.name}.observe must take a function (name, trace id, fields): "
                f"{type(error).__name__}: {error}"
            ) from error

    def _on_line(self, name: str, op: str, fields: Mapping[str, Any]) -> None:
        kind = KINDS.get(name)
        if kind is None or kind.origin != "scheduler" or (not op and "op" in kind.fields):
            return
        self._trace.record(name, op, details={key: fields[key] for key in kind.details})

    async def drain(self, timeout: float) -> bool:
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

    def mark_wechat_dead(self, duration_sec: float) -> None:
        """Open the dead window."""
        self._plugged.instance.mark_wechat_dead(duration_sec)

    def pending_count(self) -> int:
        """Return how many are queued; 0 for a scheduler that does not say."""
        return self._read("pending_count", int, "a number")

    def metrics(self) -> Mapping[str, Any]:
        """Return the metrics by name; empty for a scheduler that has none."""
        figures: dict[str, Any] = self._read("get_metrics", dict, "a mapping")
        return figures

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
