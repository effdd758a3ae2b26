"""The UI action scheduler: a priority queue in front of one display (UI-Q1 to UI-Q15)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from windtunnel import units
from windtunnel.policies.ui.priority import Priority
from windtunnel.policies.ui.ui_options import SPECIFIED, UIOptions
from windtunnel.services.bridge.scheduler.ui_entry import Answer, Factory
from windtunnel.services.bridge.scheduler.ui_log import Observer
from windtunnel.services.bridge.scheduler.ui_worker import UIWorker


class UIActionScheduler:
    """Runs one action at a time, the most urgent first; takes SendQueue's place (UI-Q2).

    `send_delay_ms` is the pause after an action that names none, `max_calls_per_sec` the most
    starts in any second, `max_queue_size` the most that may be pending. May be made outside a
    running loop; everything else needs one.

    >>> import asyncio
    >>> async def main():
    ...     scheduler = UIActionScheduler(send_delay_ms=0)
    ...     await scheduler.start()
    ...     answer = await scheduler.execute(lambda: "sent")
    ...     await scheduler.stop()
    ...     return answer
    >>> asyncio.run(main())
    'sent'
    """

    def __init__(
        self,
        send_delay_ms: float = 3000,
        max_calls_per_sec: int = 10,
        max_queue_size: int = 100,
        *,
        options: UIOptions = SPECIFIED,
    ) -> None:
        """Make a scheduler; raises `ValueError` for a negative delay or a limit below one."""
        self._worker = UIWorker(send_delay_ms, max_calls_per_sec, max_queue_size, options)

    async def start(self) -> None:
        """Begin to run actions; what was submitted before is run now."""
        await self._worker.start()

    async def stop(self) -> None:
        """Stop for good or until the next start: callers left are told STOPPED (UI-Q10)."""
        await self._worker.stop()

    def pending_count(self) -> int:
        """Return how many actions are queued; the running one does not count."""
        return self._worker.pending_count()

    def execute(
        self,
        action: Factory,
        priority: Priority = Priority.NORMAL,
        delay_ms: float | None = None,
        wait_timeout_ms: float | None = None,
        trace_id: str = "",
    ) -> Answer:
        """Submit an action now and return the caller's answer (UI-Q2, UI-Q3).

        `delay_ms` is the pause after it (UI-Q4); `wait_timeout_ms` bounds the caller's whole wait,
        execution included, None or 0 for no bound (UI-Q7). The answer raises what the action
        raised, or `BridgeError`: RATE_LIMITED (UI-Q5, UI-Q6), TIMEOUT (UI-Q7), WECHAT_NOT_READY
        (UI-Q8), STOPPED (UI-Q10).
        """
        urgency = Priority(priority)
        return self._worker.submit(action, urgency, delay_ms, wait_timeout_ms, trace_id)

    def enqueue(
        self,
        factory: Factory,
        delay_ms: float | None = None,
        wait_timeout_ms: float | None = None,
    ) -> Answer:
        """Submit at NORMAL, as SendQueue does (UI-Q2)."""
        return self.execute(factory, Priority.NORMAL, delay_ms, wait_timeout_ms)

    async def drain(self, timeout: float = 5.0) -> bool:
        """Wait until nothing is queued or running; False after `timeout` seconds (UI-Q9)."""
        drained = await self._worker.quiet.wait(timeout)
        if not drained:
            self._worker.log.say("drain.gave_up", pending=self._worker.outstanding)
        return drained

    def mark_wechat_dead(self, duration_sec: float = 10.0) -> None:
        """Fail everything but CRITICAL at once for so many seconds (UI-Q8).

        Never shortens an open window. Raises `ValueError` for a duration that is negative or
        over 97 days.
        """
        if not 0 <= duration_sec <= units.to_seconds(units.MAX_NS):
            raise ValueError(
                f"duration_sec must be at least 0 and at most 97 days in s, not {duration_sec!r}"
            )
        now = units.from_seconds(asyncio.get_running_loop().time())
        window = self._worker.window
        window.open(now, units.from_seconds(duration_sec))
        pending = self._worker.pending_count()
        self._worker.log.say("window.opened", left=window.left(now), pending=pending)

    def mark_wechat_ready(self) -> None:
        """Close the window (UI-Q8)."""
        self._worker.window.close()
        self._worker.log.say("window.closed")

    def get_metrics(self) -> dict[str, Any]:
        """Return a copy of the metrics by name (UI-Q11, UI-Q14)."""
        return self._worker.metrics.snapshot(self._worker.pending_count())

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Have `observer(name, trace_id, fields)` called beside every log line.

        What is returned ends it. Several may observe at once, in the order in which they came.
        """
        return self._worker.log.observe(observer)
