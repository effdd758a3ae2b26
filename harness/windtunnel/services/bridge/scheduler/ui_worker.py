"""The serial worker under both UI schedulers: one queue, one action at a time.

It decides nothing by itself: order, rate, dead window, delay and refusals are policies; it moves
entries from phase to phase and sees to it that each is settled exactly once (UI-Q10, UI-Q15).
"""

from __future__ import annotations

import asyncio
import inspect
from contextlib import suppress
from itertools import count
from typing import Final

from windtunnel import units
from windtunnel.errors import BridgeError
from windtunnel.policies.ui import refusal
from windtunnel.policies.ui.dead_window import DeadWindow
from windtunnel.policies.ui.ordering import PendingQueue
from windtunnel.policies.ui.priority import Priority
from windtunnel.policies.ui.rate_window import RateWindow
from windtunnel.policies.ui.spacing import delay_after_ms
from windtunnel.policies.ui.ui_options import UIOptions
from windtunnel.services.bridge.scheduler.ui_entry import Answer, Entry, Factory, Phase
from windtunnel.services.bridge.scheduler.ui_log import UILog
from windtunnel.services.bridge.scheduler.ui_metrics import UIMetrics
from windtunnel.services.bridge.scheduler.ui_quiet import Quiet

LONGEST_MS: Final = units.to_ms(units.MAX_NS)
"""The longest delay or wait: up to here a loop's clock is exact (97 days)."""

STOP_GRACE_S: Final = 5.0
"""How long `stop` waits for an action that ignores its cancellation: the bound of one command."""


class UIWorker:
    """Takes actions in and runs them one after another.

    Raises `ValueError` for a delay that is negative or over 97 days, or a limit below one.
    """

    def __init__(
        self,
        send_delay_ms: float,
        max_calls_per_sec: int,
        max_queue_size: int,
        options: UIOptions,
    ) -> None:
        _require_ms("send_delay_ms", send_delay_ms)
        _require("max_calls_per_sec", max_calls_per_sec, least=1)
        _require("max_queue_size", max_queue_size, least=1)
        self._send_delay_ms = send_delay_ms
        self._max_calls = max_calls_per_sec
        self._max_queue = max_queue_size
        by_priority = options.order == "priority"
        self._queue: PendingQueue[Entry] = PendingQueue(
            rank=lambda entry: int(entry.priority) if by_priority else 0,
            wanted=lambda entry: entry.wanted,
        )
        self._rate = RateWindow(max_calls_per_sec)
        self.window = DeadWindow()
        self.metrics = UIMetrics()
        self.log = UILog()
        self._numbers = count()
        self._task: asyncio.Task[None] | None = None
        self._action: asyncio.Task[bool] | None = None
        self._stopped = False
        self._idle = False
        self._running: Entry | None = None
        self._wake: asyncio.Future[None] | None = None
        self.quiet = Quiet(lambda: self.outstanding)

    # -- life ---------------------------------------------------------------------------------

    async def start(self) -> None:
        """Begin to take entries; a second start changes nothing, one after a stop starts anew."""
        if self._task is None or self._task.done():
            self._stopped = False
            self._idle = self._action is None or self._action.done()
            self._task = asyncio.get_running_loop().create_task(self._work(), name="ui-worker")

    async def stop(self) -> None:
        """Stop, and settle whatever is left with STOPPED (UI-Q10).

        A running action is cancelled and waited for, at most `STOP_GRACE_S` seconds.
        """
        self._close()
        task = self._task
        self._task = None
        if task is None or task.done():
            return
        task.cancel()
        from_outside = asyncio.current_task() is not task
        if from_outside:
            await asyncio.wait({task}, timeout=STOP_GRACE_S)
        if not task.done() and self._running is not None:
            self.log.say("stop.abandoned", self._running)

    def _close(self) -> None:
        self._stopped = True
        self._idle = False
        if self._running is not None:
            phase: refusal.Phase = "queued" if self._running.wanted else "running"
            self._running.give_error(refusal.stopped(phase))
        while (entry := self._queue.pop()) is not None:
            if entry.wanted:
                self._end(entry, refusal.stopped("queued"))
            else:
                self.log.say("action.skipped", entry)
        self.quiet.tell()

    # -- submission ---------------------------------------------------------------------------

    def pending_count(self) -> int:
        """Return how many entries are queued, the running one not counted."""
        return len(self._queue)

    def submit(
        self,
        factory: Factory,
        priority: Priority,
        delay_ms: float | None,
        wait_timeout_ms: float | None,
        trace_id: str,
    ) -> Answer:
        """Take an action in, at this instant (UI-Q2); the answer carries every refusal.

        Raises `TypeError` when the factory cannot be called, `ValueError` for times that are
        negative or over 97 days.
        """
        if not callable(factory):
            raise TypeError(f"an action is a callable that makes it, not {factory!r}")
        _require_ms("delay_ms", delay_ms or 0)
        _require_ms("wait_timeout_ms", wait_timeout_ms or 0)
        loop = asyncio.get_running_loop()
        answer = Answer(next(self._numbers), loop)
        entry = Entry(factory, priority, delay_ms, trace_id, _now(loop), answer)
        if self._stopped:
            self._end(entry, refusal.stopped("queued"))
        elif len(self._queue) - self._idle >= self._max_queue:
            self.metrics.rate_limited += 1
            self.log.say("action.refused", entry, limit="queue")
            self._end(entry, refusal.queue_full(self._max_queue))
        else:
            self._accept(entry, wait_timeout_ms, loop)
        return entry.answer

    def _accept(
        self, entry: Entry, wait_timeout_ms: float | None, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._queue.push(entry)
        entry.answer.on_cancel = lambda: self._withdraw(entry)
        if wait_timeout_ms:
            entry.deadline = entry.submitted + units.from_ms(wait_timeout_ms)
            entry.timer = loop.call_later(wait_timeout_ms / 1000, self._give_up, entry)
        self.log.say("action.queued", entry, pending=len(self._queue))
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def _give_up(self, entry: Entry) -> None:
        """End the caller's wait, unless it has its answer already (UI-Q7)."""
        entry.timer = None
        if entry.answer.done():
            return
        phase: refusal.Phase = "queued" if entry.wanted else "running"
        self._withdraw(entry)
        pending = len(self._queue)
        self.metrics.timeout += 1
        self.log.say("action.timed_out", entry, phase=phase, pending=pending)
        waited = _now(asyncio.get_running_loop()) - entry.submitted
        entry.give_error(refusal.timed_out(pending, waited, self._send_delay_ms, phase))

    def _withdraw(self, entry: Entry) -> None:
        """Take an entry whose caller no longer waits out of the count, if it has not begun."""
        if not entry.wanted:
            return
        entry.phase = Phase.OVER
        if entry.timer is not None:
            entry.timer.cancel()
            entry.timer = None
        if entry is self._running:  # taken, its task not begun: it is in the queue no more
            self._running = None
            self.quiet.tell()
            return
        for swept in self._queue.give_up():
            self.log.say("action.skipped", swept)
        self.quiet.tell()

    # -- work ---------------------------------------------------------------------------------

    async def _work(self) -> None:
        try:
            if self._action is not None and not self._action.done():
                # An action that a stop did not end, or not yet, still holds the display (UI-L2).
                await asyncio.wait({self._action})
            while True:
                entry = await self._take()
                if not self._may_start(entry):
                    continue
                if await self._perform(entry):
                    await self._pause_after(entry)
        finally:
            if asyncio.current_task() is self._task or self._task is None:
                self._close()

    async def _take(self) -> Entry:
        """Return the next entry, waiting while there is none."""
        while True:
            entry = self._queue.pop()
            if entry is not None:
                self._idle = False
                return entry
            self._idle = True
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake

    def _may_start(self, entry: Entry) -> bool:
        """Decide at dequeue, in the order of UI-Q15; settle the entry if it may not start."""
        if not entry.wanted:
            self.log.say("action.skipped", entry)
            return False
        now = _now(asyncio.get_running_loop())
        self.log.say("action.dequeued", entry, waited=now - entry.submitted)
        left = self.window.left(now)
        if left and entry.priority is not Priority.CRITICAL:
            self.metrics.fast_fail += 1
            self.log.say("action.fast_failed", entry, left=left)
            self._end(entry, refusal.not_ready(left))
            return False
        if not self._rate.admit(now):
            self.metrics.rate_limited += 1
            self.log.say("action.refused", entry, limit="rate")
            self._end(entry, refusal.rate_exceeded(self._max_calls))
            return False
        return True

    async def _perform(self, entry: Entry) -> bool:
        """Run the action in a task of its own, so that it cannot take the worker with it.

        Return whether it ran: its caller may give up before the first step of that task.
        """
        loop = asyncio.get_running_loop()
        self._running = entry
        worker = asyncio.current_task()
        action = self._action = loop.create_task(
            self._run(entry), name=f"ui-action {entry.trace_id}".rstrip(), context=entry.context
        )
        with suppress(asyncio.CancelledError):  # the action's own, or the worker's: see below
            await action
        ends = worker is not None and worker.cancelling()
        if action.cancelled():  # before its first step, and it never ran, or in its last
            self._running = None
            self._end(entry, refusal.stopped("running") if ends else asyncio.CancelledError())
        if ends:
            raise asyncio.CancelledError
        return action.cancelled() or action.result()

    async def _run(self, entry: Entry) -> bool:
        """Run the action to its end and settle the entry, whatever happens (UI-Q3, UI-Q10).

        Return False, and do nothing, where nobody wants it any more (UI-Q7).
        """
        if not entry.wanted:
            self._rate.take_back()
            self.log.say("action.skipped", entry)
            return False
        entry.phase = Phase.RUNNING
        entry.started = _now(asyncio.get_running_loop())
        self.log.say("action.started", entry)
        error: BaseException | None = None
        value = None
        try:
            value = entry.factory()
            if inspect.isawaitable(value):
                value = await value
        except BaseException as caught:  # noqa: BLE001 - the caller gets it, whatever it is
            error = caught
        self._settle(entry, value, error)
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise error
        return True

    def _settle(self, entry: Entry, value: object, error: BaseException | None) -> None:
        took = _now(asyncio.get_running_loop()) - entry.started
        waited = entry.started - entry.submitted
        late = entry.deadline is not None and entry.started + took >= entry.deadline
        if late and not entry.answer.done():
            self.log.say("action.finished_at_timeout", entry)
        if error is None:
            entry.give_result(value)
            self.log.say("action.finished", entry, took=took, waited=waited)
        else:
            entry.give_error(error)
            self.log.say("action.failed", entry, took=took, waited=waited, error=repr(error))
        entry.phase = Phase.OVER
        if self._running is entry:
            self._running = None
        self.metrics.count_executed(entry.priority, waited, took)
        self.quiet.tell()

    async def _pause_after(self, entry: Entry) -> None:
        delay_ms = delay_after_ms(entry.priority, entry.delay_ms, self._send_delay_ms)
        if delay_ms > 0:
            self.log.say("action.delayed", entry, delay=units.from_ms(delay_ms))
            await asyncio.sleep(delay_ms / 1000)

    def _end(self, entry: Entry, error: BridgeError | asyncio.CancelledError) -> None:
        """Settle an entry that will not run."""
        entry.phase = Phase.OVER
        entry.give_error(error)
        self.quiet.tell()

    @property
    def outstanding(self) -> int:
        """How many are queued or running; an action is over when its caller is answered."""
        return len(self._queue) + (self._running is not None)


def _now(loop: asyncio.AbstractEventLoop) -> int:
    return units.from_seconds(loop.time())


def _require_ms(name: str, value: float) -> None:
    if not 0 <= value <= LONGEST_MS:
        raise ValueError(f"{name} must be at least 0 and at most 97 days in ms, not {value!r}")


def _require(name: str, value: float, *, least: int) -> None:
    if not value >= least:
        raise ValueError(f"{name} must be at least {least}, not {value!r}")
