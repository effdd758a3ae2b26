"""Faults planted in the scheduler on purpose: each turns scenarios red, and the named ones do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.policies.ui import refusal
from windtunnel.policies.ui.dead_window import DeadWindow
from windtunnel.policies.ui.ordering import PendingQueue
from windtunnel.policies.ui.rate_window import RateWindow
from windtunnel.services.bridge.scheduler import ui_scheduler, ui_worker
from windtunnel.services.bridge.scheduler.ui_entry import Entry, Phase
from windtunnel.services.bridge.scheduler.ui_metrics import UIMetrics
from windtunnel.services.bridge.scheduler.ui_worker import UIWorker

Plant = Callable[[pytest.MonkeyPatch], None]
FAULTS: dict[str, tuple[Plant, set[str]]] = {}


def fault(*reddens: str) -> Callable[[Plant], Plant]:
    """Enter a fault into the table, with scenarios that must notice it."""

    def add(plant: Plant) -> Plant:
        FAULTS[plant.__name__] = (plant, set(reddens))
        return plant

    return add


@fault("restart-is-next", "order-within-and-between-priorities", "behind-a-hundred-sends")
def no_priority_order(patch: pytest.MonkeyPatch) -> None:
    def flat(rank: Callable[[Entry], int], wanted: Callable[[Entry], bool]) -> PendingQueue[Entry]:
        return PendingQueue(lambda entry: 0, wanted)

    patch.setattr(ui_worker, "PendingQueue", flat)


@fault("wait-timeout", "wait-timeout-leaves-the-count")
def no_skip_of_a_timed_out_entry(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(UIWorker, "_withdraw", lambda self, entry: None)


@fault("dead-window", "restart-fails-the-queue-fast", "order-at-dequeue")
def window_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(DeadWindow, "left", lambda self, now: 0)


@fault("delay-after-an-action", "restart-is-next", "watchdog-drains-then-kills")
def delay_skipped(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ui_worker, "delay_after_ms", lambda priority, own, default: 0)


@fault("a-caller-hangs-up", "logout-waits-for-a-send", "stop-tells-everyone")
def entry_settled_twice(patch: pytest.MonkeyPatch) -> None:
    """Run the action again after it has ended, as a retry inside the worker would."""
    run = UIWorker._run

    async def twice(self: UIWorker, entry: Entry) -> Any:
        await run(self, entry)
        entry.phase = Phase.QUEUED  # or it would not be run again
        return await run(self, entry)

    patch.setattr(UIWorker, "_run", twice)


@fault("rate-window", "rate-refusal-has-no-delay", "order-at-dequeue")
def rate_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(RateWindow, "admit", lambda self, now: True)


@fault("rate-refusal-has-no-delay", "rate-window")
def rate_window_closed_at_both_ends(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ui_worker, "RateWindow", lambda limit: RateWindow(limit, span=1_000_000_001))


@fault("dead-window")
def second_mark_shortens_the_window(patch: pytest.MonkeyPatch) -> None:
    def reopen(self: DeadWindow, now: int, duration: int) -> None:
        self._until = now + duration

    patch.setattr(DeadWindow, "open", reopen)


@fault("queue-limit", "queue-refusal-says-when-to-retry")
def queue_never_full(patch: pytest.MonkeyPatch) -> None:
    make = UIWorker.__init__

    def unbounded(self: UIWorker, delay: float, calls: int, queue: int, options: Any) -> None:
        make(self, delay, calls, 10**9, options)

    patch.setattr(UIWorker, "__init__", unbounded)


@fault("drain")
def drain_forgets_the_running_one(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(UIWorker, "outstanding", property(lambda self: len(self._queue)))


@fault("stop-tells-everyone")
def stop_strands_the_queued(patch: pytest.MonkeyPatch) -> None:
    def close(self: UIWorker) -> None:
        self._stopped = True

    patch.setattr(UIWorker, "_close", close)


@fault("queue-refusal-says-when-to-retry")
def wrong_retry_after(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(refusal, "QUEUE_FULL_RETRY_S", 30)


@fault("delay-follows-a-failure", "metrics")
def failures_not_counted(patch: pytest.MonkeyPatch) -> None:
    count = UIMetrics.count_executed
    settle = UIWorker._settle

    def quiet(self: UIWorker, entry: Entry, value: object, error: BaseException | None) -> None:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(UIMetrics, "count_executed", count if error is None else lambda *_: None)
            settle(self, entry, value, error)

    patch.setattr(UIWorker, "_settle", quiet)


@fault("kill-while-the-delay-sleeps")
def window_opened_after_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ui_scheduler.UIActionScheduler, "mark_wechat_dead", lambda self, seconds=10: None)


@fault("a-caller-hangs-up-at-its-turn")
def a_turn_given_up_is_lost(patch: pytest.MonkeyPatch) -> None:
    """Wait for what woke the entry that was withdrawn, as a lock handed to nobody does."""
    perform = UIWorker._perform

    async def lose(self: UIWorker, entry: Entry) -> bool:
        ran = await perform(self, entry)
        if not ran:
            await asyncio.get_running_loop().create_future()
        return ran

    patch.setattr(UIWorker, "_perform", lose)


@fault("a-running-action-outlives-its-caller")
def running_action_dies_with_its_caller(patch: pytest.MonkeyPatch) -> None:
    withdraw = UIWorker._withdraw

    def kill(self: UIWorker, entry: Entry) -> None:
        withdraw(self, entry)
        if entry.phase is Phase.RUNNING and self._task is not None:
            self._task.cancel()

    patch.setattr(UIWorker, "_withdraw", kill)


def test_without_a_fault_nothing_is_red(red_scenarios: Callable[[], set[str]]) -> None:
    assert red_scenarios() == set()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_turns_scenarios_red(
    name: str, monkeypatch: pytest.MonkeyPatch, red_scenarios: Callable[[], set[str]]
) -> None:
    plant, expected = FAULTS[name]
    plant(monkeypatch)
    red = red_scenarios()
    assert expected <= red, f"{name} turned only these red: {sorted(red)}"
