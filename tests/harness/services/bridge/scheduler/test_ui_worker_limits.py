"""UIWorker, through both schedulers: delay, limits, wait time-out and drain."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from windtunnel.errors import Code
from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from worker_kit import Run, both_kinds, code_of, now, raise_later, sleeping, started

CRITICAL, HIGH, NORMAL, LOW = Priority


# ------------------------------------------------------------------ delay


@pytest.mark.spec("UI-Q4", "UI-Q15")
@pytest.mark.parametrize(
    ("priority", "delay_ms", "expected"),
    [
        (NORMAL, None, 3.0),
        (LOW, None, 3.0),
        (HIGH, None, 3.0),
        (CRITICAL, None, 0.0),
        (CRITICAL, 500, 0.5),
        (NORMAL, 0, 0.0),
        (NORMAL, 1000, 1.0),
    ],
)
@pytest.mark.parametrize("failing", [False, True], ids=["returns", "fails"])
def test_the_pause_after_an_action(
    run: Run, priority: Priority, delay_ms: float | None, expected: float, *, failing: bool
) -> None:
    async def main() -> None:
        scheduler = await started(delay_ms=3000)
        action = raise_later(ValueError()) if failing else sleeping(0)
        scheduler.execute(action, priority, delay_ms)
        await scheduler.execute(lambda: None, LOW)
        assert now() == expected
        await scheduler.stop()

    run(main())


# ------------------------------------------------------------------ queue and rate limits


@both_kinds
@pytest.mark.spec("UI-Q5", "UI-Q16")
def test_the_running_one_does_not_count_and_room_comes_back(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(size=2, kind=kind)
        scheduler.enqueue(sleeping(1))
        await asyncio.sleep(0.5)
        queued = [scheduler.enqueue(lambda: "ran") for _ in range(2)]
        assert code_of(scheduler.enqueue(lambda: "ran")) == (Code.RATE_LIMITED, None)
        queued[0].cancel()
        instead = scheduler.enqueue(lambda: "ran")
        assert scheduler.pending_count() == 2
        assert [*await asyncio.gather(queued[1], instead)] == ["ran", "ran"]
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q5")
def test_a_delaying_worker_is_not_about_to_take_one(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(delay_ms=1000, size=1)
        await scheduler.execute(lambda: None)
        waiting = scheduler.execute(lambda: "ran")
        assert code_of(scheduler.execute(lambda: "ran")) == (Code.RATE_LIMITED, None)
        assert await waiting == "ran"
        await scheduler.stop()

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q5")
def test_a_queue_that_was_not_started_holds_its_size(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = kind(0, 100, 3)
        answers = [scheduler.enqueue(lambda: "ran") for _ in range(4)]
        assert [answer.done() for answer in answers] == [False, False, False, True]
        await scheduler.start()
        assert [*await asyncio.gather(*answers[:3])] == ["ran"] * 3
        await scheduler.stop()

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q6", "UI-Q15", "UI-Q16")
def test_over_the_rate_an_action_is_refused_without_delay(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(delay_ms=100, rate=2, kind=kind)
        first = [scheduler.enqueue(now) for _ in range(4)]
        await asyncio.wait(first)
        assert [answer.result() for answer in first[:2]] == [0.0, 0.1]
        for answer in first[2:]:
            assert code_of(answer) == (Code.RATE_LIMITED, None)
            assert answer.exception().retry_after == 1
        assert now() == 0.2  # both at once: no delay follows a refusal
        await asyncio.sleep(0.8)
        assert await scheduler.enqueue(lambda: "a second after the first") is not None
        if kind is UIActionScheduler:
            metrics = scheduler.get_metrics()
            assert metrics["rate_limited_total"] == 2
            assert metrics["executed_total"] == 3
        await scheduler.stop()

    run(main())


# ------------------------------------------------------------------ the wait time-out


@both_kinds
@pytest.mark.spec("UI-Q7", "UI-Q16")
def test_a_wait_that_ends_while_running_leaves_the_action(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(delay_ms=3000, kind=kind)
        ran: list[float] = []

        async def act() -> None:
            await asyncio.sleep(2)
            ran.append(now())

        answer = scheduler.enqueue(act, wait_timeout_ms=1500)
        await asyncio.wait([answer])
        assert now() == 1.5
        assert code_of(answer) == (Code.TIMEOUT, "running")
        assert answer.exception().retry_after == 3
        await asyncio.sleep(1)
        assert ran == [2.0]
        await scheduler.stop()

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q7")
@pytest.mark.parametrize("no_bound", [None, 0])
def test_none_and_zero_are_no_bound(run: Run, kind: type[Any], no_bound: float | None) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        answer = scheduler.enqueue(sleeping(3600, "late"), wait_timeout_ms=no_bound)
        assert await answer == "late"
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q7")
def test_an_entry_settled_before_the_time_out_of_its_instant_keeps_its_result(run: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        loop = asyncio.get_running_loop()
        gate = loop.create_future()
        answer = scheduler.execute(lambda: gate, wait_timeout_ms=1000)
        # Settled in the iteration in which the time-out is due, but before its callback.
        loop.call_later(1 - 1e-9, gate.set_result, "in time")
        assert await answer == "in time"
        late = scheduler.execute(sleeping(1), wait_timeout_ms=1000)
        await asyncio.wait([late])
        assert code_of(late) == (Code.TIMEOUT, "running")
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q7", "UI-Q10")
def test_who_has_hung_up_is_not_told_of_a_time_out(run: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        answer = scheduler.execute(sleeping(3), wait_timeout_ms=2000)
        await asyncio.sleep(1)
        answer.cancel()
        await scheduler.drain()
        assert scheduler.get_metrics()["timeout_total"] == 0
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q7", "UI-Q15")
def test_one_that_timed_out_queued_is_skipped_without_delay(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(delay_ms=1000)
        scheduler.execute(sleeping(1))
        gone = scheduler.execute(lambda: "never", wait_timeout_ms=500)
        last = scheduler.execute(now)
        assert await last == 2.0  # 1 s and its delay; nothing for the one in between
        assert code_of(gone) == (Code.TIMEOUT, "queued")
        assert scheduler.get_metrics()["executed_total"] == 2
        await scheduler.stop()

    run(main())


# ------------------------------------------------------------------ drain


@pytest.mark.spec("UI-Q9", "UI-K4")
def test_an_action_is_over_before_its_delay(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(delay_ms=3000)
        scheduler.execute(sleeping(1))
        assert await scheduler.drain(5.0)
        assert now() == 1.0
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q9")
def test_several_drains_wait_each_for_itself(run: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        scheduler.execute(sleeping(1))
        drains = [scheduler.drain(timeout) for timeout in (0, 0.5, 2)]
        assert [*await asyncio.gather(*drains)] == [False, False, True]
        assert now() == 1.0
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q9")
def test_a_drain_that_is_cancelled_leaves_nothing_behind(run: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        scheduler.execute(sleeping(1))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await scheduler.drain(60)
        assert scheduler._worker.quiet._waiting == []
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q9")
@pytest.mark.parametrize("how", ["cancelled", "timed out", "refused"])
def test_a_drain_ends_when_the_last_entry_goes_in_another_way(run: Run, how: str) -> None:
    async def main() -> None:
        scheduler = UIActionScheduler()
        wait = 500 if how == "timed out" else None
        answer = scheduler.execute(lambda: None, wait_timeout_ms=wait)
        draining = asyncio.ensure_future(scheduler.drain(60))
        await asyncio.sleep(0.5)
        if how == "cancelled":
            answer.cancel()
        elif how == "refused":
            scheduler.mark_wechat_dead()
            await scheduler.start()
        assert await draining
        assert now() == 0.5
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q9", "UI-Q10")
def test_a_drain_ends_when_the_worker_stops(run: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        scheduler.execute(sleeping(60))
        scheduler.execute(sleeping(60))
        draining = asyncio.ensure_future(scheduler.drain(600))
        await asyncio.sleep(1)
        await scheduler.stop()
        assert await draining
        assert now() == 1.0

    run(main())


@pytest.mark.spec("UI-Q9")
def test_an_action_that_drains_waits_for_itself_and_gives_up(run: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        assert await scheduler.execute(lambda: scheduler.drain(2.0)) is False
        assert now() == 2.0
        await scheduler.stop()

    run(main())


# ------------------------------------------------------------------ figures


@pytest.mark.spec("UI-Q2")
@pytest.mark.parametrize("name", ["delay_ms", "wait_timeout_ms"])
@pytest.mark.parametrize("figure", [-1, math.nan, math.inf, 1e18])
def test_a_time_that_no_clock_holds_is_refused_and_nothing_is_queued(
    run: Run, name: str, figure: float
) -> None:
    async def main() -> None:
        scheduler = await started()
        ran: list[bool] = []
        with pytest.raises(ValueError, match=f"{name} must be at least 0 and at most 97 days"):
            scheduler.execute(lambda: ran.append(True), **{name: figure})
        assert scheduler.pending_count() == 0
        assert await scheduler.execute(lambda: "next") == "next"
        assert ran == []
        await scheduler.stop()

    run(main())
