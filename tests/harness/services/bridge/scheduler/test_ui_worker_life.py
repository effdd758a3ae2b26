"""UIWorker, through both schedulers: start, stop, and what becomes of whatever is left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.errors import Code
from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.scheduler import ui_worker
from worker_kit import Run, both_kinds, code_of, now, sleeping, started

CRITICAL, HIGH, NORMAL, LOW = Priority


# ------------------------------------------------------------------ start and stop


@both_kinds
@pytest.mark.spec("UI-Q10")
def test_stop_tells_everybody(run_on_both: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        answers = [scheduler.enqueue(sleeping(60)) for _ in range(3)]
        await asyncio.sleep(0.01)
        await scheduler.stop()
        assert [code_of(answer) for answer in answers] == [
            *((Code.STOPPED, "running"), (Code.STOPPED, "queued"), (Code.STOPPED, "queued"))
        ]
        assert scheduler.pending_count() == 0
        await scheduler.stop()  # a second time does nothing
        late = scheduler.enqueue(lambda: "never")
        assert code_of(late) == (Code.STOPPED, "queued")

    run_on_both(main())


@both_kinds
@pytest.mark.spec("UI-Q10")
def test_stop_without_a_start_tells_everybody_too(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = kind()
        answer = scheduler.enqueue(lambda: "never")
        gone = scheduler.enqueue(lambda: "never")
        gone.cancel()
        await scheduler.stop()
        assert code_of(answer) == (Code.STOPPED, "queued")

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q10")
def test_stop_cancels_what_runs_and_waits_for_its_end(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        cleaned: list[float] = []

        async def act() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(1)
                cleaned.append(now())

        answer = scheduler.enqueue(act)
        await asyncio.sleep(1)
        await scheduler.stop()
        assert cleaned == [2.0]
        assert code_of(answer) == (Code.STOPPED, "running")

    run(main())


@pytest.mark.spec("UI-Q10")
def test_stop_before_the_action_has_made_its_first_step(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        await asyncio.sleep(0)
        ran: list[bool] = []
        answer = scheduler.execute(lambda: ran.append(True))
        await asyncio.sleep(0)  # the worker has taken it; its task has not begun
        await scheduler.stop()
        assert code_of(answer) == (Code.STOPPED, "queued")
        assert ran == []
        assert scheduler.get_metrics()["executed_total"] == 0
        await scheduler.start()
        assert await scheduler.drain(0)  # nothing is left over from it
        await scheduler.stop()

    run_on_both(main())


@both_kinds
@pytest.mark.spec("UI-Q7", "UI-Q15")
def test_a_caller_that_hangs_up_before_the_first_step_is_not_run_for(
    run_on_both: Run, kind: type[Any]
) -> None:
    async def main() -> None:
        scheduler = await started(delay_ms=60_000, rate=1, kind=kind)
        await asyncio.sleep(0)
        ran: list[str] = []
        answer = scheduler.enqueue(lambda: ran.append("never"))
        await asyncio.sleep(0)  # the worker has taken it; its task has not begun
        assert answer.cancel()
        assert scheduler.pending_count() == 0
        assert await scheduler.enqueue(lambda: "next") == "next"  # no delay, no start counted
        assert ran == []
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-Q7", "UI-Q9", "UI-Q11")
def test_a_wait_that_ends_before_the_first_step_ends_in_the_queue(run: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        await asyncio.sleep(0)
        ran: list[str] = []
        answer = scheduler.execute(lambda: ran.append("never"), wait_timeout_ms=1000)
        await asyncio.sleep(0)  # the worker has taken it; its task has not begun
        worker = scheduler._worker  # whose timer may fire in between
        worker._give_up(worker._running)
        assert await scheduler.drain(0)
        assert code_of(answer) == (Code.TIMEOUT, "queued")
        await asyncio.sleep(1)
        assert ran == []
        assert scheduler.get_metrics()["executed_total"] == 0
        assert scheduler.get_metrics()["timeout_total"] == 1
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q10")
def test_stop_gives_up_on_an_action_that_ignores_its_cancellation(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        scheduler = await started()
        answer = scheduler.execute(stubborn, trace_id="mule")
        await asyncio.sleep(1)
        await scheduler.stop()
        assert now() == 1 + ui_worker.STOP_GRACE_S
        assert code_of(answer) == (Code.STOPPED, "running")
        await scheduler.start()
        assert await scheduler.execute(lambda: "next") == "next"
        await asyncio.sleep(60)
        assert await scheduler.execute(lambda: "after it") == "after it"
        await scheduler.stop()

    run(main())
    assert "NORMAL mule ignores its cancellation" in caplog.text


async def stubborn() -> None:
    for _ in range(3):
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            continue


@both_kinds
@pytest.mark.spec("UI-L2", "UI-Q10")
def test_after_a_restart_nothing_starts_beside_an_abandoned_action(
    run: Run, kind: type[Any]
) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        ended: list[float] = []

        async def mule() -> None:
            until = now() + 60
            while now() < until:
                try:
                    await asyncio.sleep(until - now())
                except asyncio.CancelledError:
                    continue
            ended.append(now())

        scheduler.enqueue(mule)
        await asyncio.sleep(1)
        await scheduler.stop()
        assert now() == 1 + ui_worker.STOP_GRACE_S
        await scheduler.start()
        begun = await scheduler.enqueue(now)
        assert ended == [60]
        assert begun == 60
        await scheduler.stop()

    run(main())


@both_kinds
@pytest.mark.spec("UI-L2", "UI-Q10")
def test_a_start_during_a_stop_starts_nothing_beside_what_still_runs(
    run: Run, kind: type[Any]
) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        ended: list[float] = []

        async def act() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(2)
                ended.append(now())

        scheduler.enqueue(act)
        await asyncio.sleep(1)
        stopping = asyncio.ensure_future(scheduler.stop())
        await asyncio.sleep(1)
        await scheduler.start()
        begun = await scheduler.enqueue(now)
        assert ended == [3]
        assert begun == 3
        await stopping
        assert await scheduler.enqueue(lambda: "next") == "next"
        await scheduler.stop()

    run(main())


@both_kinds
@pytest.mark.spec("UI-L2", "UI-Q10")
def test_an_abandoned_action_is_waited_for_after_every_restart(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        scheduler.enqueue(stubborn)
        await asyncio.sleep(1)
        for _ in range(3):
            await scheduler.stop()
            await scheduler.start()
        # Cancelled once, at 1 s; then it sleeps twice 10 s.
        assert await scheduler.enqueue(now) == 21
        await scheduler.stop()

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q10")
def test_stop_inside_an_action(run_on_both: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        answer = scheduler.enqueue(scheduler.stop)
        behind = scheduler.enqueue(lambda: "never")
        await asyncio.wait([answer, behind], timeout=1)
        assert code_of(answer) == (Code.STOPPED, "running")
        assert code_of(behind) == (Code.STOPPED, "queued")

    run_on_both(main())


@both_kinds
@pytest.mark.spec("UI-Q10")
def test_stop_while_the_worker_delays_or_idles(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        for delay_ms in (60_000, 0):
            scheduler = await started(delay_ms=delay_ms, kind=kind)
            await scheduler.enqueue(lambda: None)
            await asyncio.sleep(1)
            before = now()
            await scheduler.stop()
            assert now() == before

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q10")
def test_a_second_start_changes_nothing(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        running = scheduler.enqueue(sleeping(1, "whole"))
        await asyncio.sleep(0.5)
        await scheduler.start()
        second = scheduler.enqueue(now)
        assert await running == "whole"
        assert await second == 1.0  # one worker, one at a time
        await scheduler.stop()

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q10")
def test_start_after_a_stop_starts_anew(run_on_both: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = await started(kind=kind)
        for turn in range(3):
            assert await scheduler.enqueue(lambda turn=turn: turn) == turn
            await scheduler.stop()
            await scheduler.start()
        await scheduler.stop()

    run_on_both(main())


@both_kinds
def test_what_is_submitted_before_the_start_runs_then(run: Run, kind: type[Any]) -> None:
    async def main() -> None:
        scheduler = kind(0, 100, 100)
        answer = scheduler.enqueue(now)
        await asyncio.sleep(5)
        await scheduler.start()
        assert await answer == 5.0
        await scheduler.stop()

    run(main())


@both_kinds
@pytest.mark.spec("UI-Q10")
def test_the_end_of_the_program_settles_what_is_left(run_on_both: Run, kind: type[Any]) -> None:
    answers: list[asyncio.Future[Any]] = []

    async def main() -> None:
        scheduler = await started(kind=kind)
        answers.extend(scheduler.enqueue(sleeping(60)) for _ in range(2))
        await asyncio.sleep(0.01)

    run_on_both(main())  # it cancels the worker from outside, and ends
    assert answers[0].cancelled() or code_of(answers[0]) == (Code.STOPPED, "running")
    assert code_of(answers[1]) == (Code.STOPPED, "queued")


@pytest.mark.spec("UI-Q10")
def test_a_worker_cancelled_from_outside_settles_what_is_left(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started()
        answers = [scheduler.execute(sleeping(60)) for _ in range(2)]
        await asyncio.sleep(0.01)
        (worker,) = (task for task in asyncio.all_tasks() if task.get_name() == "ui-worker")
        worker.cancel()
        await asyncio.wait(answers, timeout=1)
        assert answers[0].cancelled()
        assert code_of(answers[1]) == (Code.STOPPED, "queued")
        assert code_of(scheduler.execute(lambda: "never")) == (Code.STOPPED, "queued")
        assert await scheduler.drain(0)
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-Q10")
def test_an_action_that_swallows_the_workers_cancellation_ends_with_it(run: Run) -> None:
    async def main() -> None:
        scheduler = await started()

        async def act() -> str:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                return "swallowed"
            return "never"

        answers = [scheduler.execute(act), scheduler.execute(lambda: "never")]
        await asyncio.sleep(1)
        (worker,) = (task for task in asyncio.all_tasks() if task.get_name() == "ui-worker")
        worker.cancel()
        await asyncio.wait([worker])
        assert answers[0].result() == "swallowed"
        assert code_of(answers[1]) == (Code.STOPPED, "queued")

    run(main())


# ------------------------------------------------------------------ what it leaves behind


@pytest.mark.spec("UI-Q7")
def test_finished_waits_leave_no_timers(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(rate=10**6)
        for _ in range(1000):
            await scheduler.execute(lambda: None, wait_timeout_ms=3_600_000)
        assert len(asyncio.get_running_loop().env._queue) < 200  # type: ignore[attr-defined]
        await scheduler.stop()

    run(main())
