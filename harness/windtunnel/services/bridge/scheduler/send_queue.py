"""The old queue: first in, first out, without priority, drain, window or metrics (UI-Q16)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from windtunnel.policies.ui.priority import Priority
from windtunnel.policies.ui.ui_options import UIOptions
from windtunnel.services.bridge.scheduler.ui_entry import Answer, Factory
from windtunnel.services.bridge.scheduler.ui_log import Observer
from windtunnel.services.bridge.scheduler.ui_worker import UIWorker

FIFO: Final = UIOptions(order="fifo")


class SendQueue:
    """Runs one action at a time in the order of submission.

    The arguments are those of `UIActionScheduler`.
    """

    def __init__(
        self,
        send_delay_ms: float = 3000,
        max_calls_per_sec: int = 10,
        max_queue_size: int = 100,
    ) -> None:
        """Make a queue; raises `ValueError` for a negative delay or a limit below one."""
        self._worker = UIWorker(send_delay_ms, max_calls_per_sec, max_queue_size, FIFO)

    async def start(self) -> None:
        """Begin to run actions; what was submitted before is run now."""
        await self._worker.start()

    async def stop(self) -> None:
        """Stop; callers left are told STOPPED (UI-Q10)."""
        await self._worker.stop()

    def pending_count(self) -> int:
        """Return how many actions are queued; the running one does not count."""
        return self._worker.pending_count()

    def enqueue(
        self,
        factory: Factory,
        delay_ms: float | None = None,
        wait_timeout_ms: float | None = None,
    ) -> Answer:
        """Submit an action now and return the caller's answer (UI-Q2).

        The answer raises what the action raised, or `BridgeError`: RATE_LIMITED, TIMEOUT, STOPPED.
        """
        return self._worker.submit(factory, Priority.NORMAL, delay_ms, wait_timeout_ms, "")

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Have `observer(name, trace_id, fields)` called beside every log line.

        What is returned ends it. Several may observe at once, in the order in which they came.
        """
        return self._worker.log.observe(observer)
