"""UIActionScheduler: the acceptance table on both loops, and what it adds to the old queue."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import BridgeError, Code
from windtunnel.policies.ui.priority import Priority
from windtunnel.policies.ui.ui_options import UIOptions
from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]
CRITICAL, HIGH, NORMAL, LOW = Priority

ZEROS = {
    "executed_total": 0,
    "executed_by_priority": {"CRITICAL": 0, "HIGH": 0, "NORMAL": 0, "LOW": 0},
    "wait_duration_ms_sum": 0,
    "exec_duration_ms_sum": 0,
    "timeout_total": 0,
    "rate_limited_total": 0,
    "fast_fail_total": 0,
    "pending_count": 0,
}


def sleeping(ms: int, result: object = None) -> Callable[[], Awaitable[object]]:
    return lambda: asyncio.sleep(ms / 1000, result)


async def started(*figures: int) -> UIActionScheduler:
    scheduler = UIActionScheduler(*figures)
    await scheduler.start()
    return scheduler


# ------------------------------------------------------------------ the acceptance table


@pytest.mark.spec("UI-U1", "UI-Q2")
def test_enqueue_gives_the_result(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started(10, 100, 100)
        assert await scheduler.enqueue(sleeping(10, "ok")) == "ok"
        metrics = scheduler.get_metrics()
        assert metrics["executed_total"] == 1
        assert metrics["executed_by_priority"] == {"CRITICAL": 0, "HIGH": 0, "NORMAL": 1, "LOW": 0}
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-U2", "UI-Q1", "UI-Q2")
def test_critical_goes_before_normal(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 100, 100)
        order: list[str] = []

        def action(name: str, ms: int) -> Callable[[], Awaitable[None]]:
            async def act() -> None:
                order.append(name)
                await asyncio.sleep(ms / 1000)

            return act

        first = scheduler.execute(action("first", 100), NORMAL)
        critical = scheduler.execute(action("critical", 10), CRITICAL)
        second = scheduler.execute(action("second", 10), NORMAL)
        await asyncio.gather(first, critical, second)
        assert order.index("critical") < order.index("second")
        assert order.index("first") < order.index("second")
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-U3", "UI-Q9")
def test_draining_an_empty_queue_that_was_never_started(run_on_both: Run) -> None:
    async def main() -> None:
        assert await UIActionScheduler(3000, 10, 100).drain(1.0) is True

    run_on_both(main())


@pytest.mark.spec("UI-U4", "UI-Q9")
def test_a_drain_that_has_the_time(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started(100, 10, 100)
        answer = scheduler.execute(sleeping(50, "done"))
        assert await scheduler.drain(2.0) is True
        assert answer.result() == "done"
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-U5", "UI-Q9")
def test_a_drain_that_has_not(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 10, 100)
        answer = scheduler.execute(sleeping(1000))
        assert await scheduler.drain(0.1) is False
        assert not answer.done()
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-U6", "UI-Q5")
def test_a_full_queue_refuses(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started(1000, 10, 2)
        taken = [scheduler.execute(sleeping(ms)) for ms in (500, 10, 10)]
        fourth = scheduler.execute(sleeping(10))
        with pytest.raises(BridgeError) as refused:
            await fourth
        assert refused.value.code == Code.RATE_LIMITED
        assert refused.value.details == {"retry_after": 3}
        assert scheduler.get_metrics()["rate_limited_total"] == 1
        assert not any(answer.done() for answer in taken)
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-U7", "UI-Q7")
def test_a_wait_that_ends_while_queued(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started(1000, 100, 100)
        first = scheduler.execute(sleeping(500))
        ran: list[bool] = []
        second = scheduler.execute(lambda: ran.append(True), wait_timeout_ms=100)
        with pytest.raises(BridgeError) as gave_up:
            await second
        assert gave_up.value.code == Code.TIMEOUT
        assert gave_up.value.details == {"retry_after": 1, "phase": "queued"}
        assert scheduler.pending_count() == 0
        assert scheduler.get_metrics()["timeout_total"] == 1
        await first
        await scheduler.drain(1.0)
        assert ran == []
        await scheduler.stop()

    run_on_both(main())


@pytest.mark.spec("UI-U8", "UI-Q3", "UI-Q11")
def test_one_plain_value_for_each_priority(run_on_both: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 100, 100)
        answers = [scheduler.execute(partial(str, p.name), p) for p in Priority]
        assert await asyncio.gather(*answers) == [p.name for p in Priority]
        metrics = scheduler.get_metrics()
        assert metrics["executed_total"] == 4
        assert set(metrics["executed_by_priority"].values()) == {1}
        assert metrics["pending_count"] == 0
        await scheduler.stop()

    run_on_both(main())


# ------------------------------------------------------------------ the interface


@pytest.mark.spec("UI-Q2", "UI-Q14", "UI-Q16")
def test_takes_the_place_of_a_send_queue() -> None:
    for name in ("__init__", "start", "stop", "pending_count", "enqueue"):
        old = inspect.signature(getattr(SendQueue, name)).parameters
        new = inspect.signature(getattr(UIActionScheduler, name)).parameters
        assert [(p.name, p.default) for p in old.values()] == [
            (p.name, p.default) for p in list(new.values())[: len(old)]
        ]


@pytest.mark.spec("UI-Q2")
def test_execute_has_the_documents_arguments_and_defaults() -> None:
    parameters = inspect.signature(UIActionScheduler.execute).parameters
    assert {p.name: p.default for p in list(parameters.values())[2:]} == {
        "priority": NORMAL,
        "delay_ms": None,
        "wait_timeout_ms": None,
        "trace_id": "",
    }


@pytest.mark.spec("UI-Q2")
def test_the_defaults_of_the_constructor() -> None:
    parameters = list(inspect.signature(UIActionScheduler).parameters.values())[:3]
    assert [(p.name, p.default) for p in parameters] == [
        ("send_delay_ms", 3000),
        ("max_calls_per_sec", 10),
        ("max_queue_size", 100),
    ]


@pytest.mark.parametrize(
    "figures",
    [
        *((-1, 10, 100), (float("nan"), 10, 100), (float("inf"), 10, 100)),
        *((0, 0, 100), (0, 10, 0)),
    ],
)
def test_figures_that_make_no_sense_are_refused(figures: tuple[float, int, int]) -> None:
    with pytest.raises(ValueError, match="must be at least"):
        UIActionScheduler(*figures)


def test_a_priority_may_be_its_number_and_no_other(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 100, 100)
        answer = scheduler.execute(lambda: None, 3)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="7 is not a valid Priority"):
            scheduler.execute(lambda: None, 7)  # type: ignore[arg-type]
        await answer
        assert scheduler.get_metrics()["executed_by_priority"]["LOW"] == 1
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q11")
def test_the_metrics_start_from_zero() -> None:
    assert UIActionScheduler().get_metrics() == ZEROS


@pytest.mark.spec("UI-Q14")
def test_the_metrics_are_a_copy(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 100, 100)
        mine = scheduler.get_metrics()
        mine["executed_total"] = 99
        mine["executed_by_priority"]["LOW"] = 99
        assert scheduler.get_metrics() == ZEROS
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q11")
def test_durations_are_summed_in_milliseconds(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(20, 100, 100)
        answers = [scheduler.execute(sleeping(30)) for _ in range(2)]
        await asyncio.gather(*answers)
        metrics = scheduler.get_metrics()
        assert metrics["exec_duration_ms_sum"] == 60  # 2 × 30
        assert metrics["wait_duration_ms_sum"] == 50  # none, then 30 and the delay of 20
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q1", "UI-Q16")
def test_fifo_is_an_option_of_the_same_scheduler(run: Run) -> None:
    async def main() -> None:
        scheduler = UIActionScheduler(0, 100, 100, options=UIOptions(order="fifo"))
        order: list[str] = []
        for priority in (LOW, CRITICAL, NORMAL):
            scheduler.execute(partial(order.append, priority.name), priority)
        await scheduler.start()
        await scheduler.drain()
        assert order == ["LOW", "CRITICAL", "NORMAL"]
        await scheduler.stop()

    run(main())


# ------------------------------------------------------------------ the dead window


async def refused_until(scheduler: UIActionScheduler, tries: int, step: float) -> list[str]:
    """Submit one plain action after every step; give each time's result or code."""
    told = []
    for _ in range(tries):
        answer = scheduler.execute(lambda: "ok", delay_ms=0)
        await asyncio.wait([answer])
        if isinstance(error := answer.exception(), BridgeError):
            assert error.details == {"retry_after": 5}
            assert error.http_status == 503
            told.append(error.code)
        else:
            told.append(answer.result())
        await asyncio.sleep(step)
    return told


@pytest.mark.spec("UI-Q8")
def test_the_window_refuses_until_its_end_and_not_at_it(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 100, 100)
        scheduler.mark_wechat_dead(2.0)
        assert await refused_until(scheduler, 4, 1.0) == [
            *(Code.WECHAT_NOT_READY, Code.WECHAT_NOT_READY),
            *("ok", "ok"),
        ]
        metrics = scheduler.get_metrics()
        assert metrics["fast_fail_total"] == metrics["executed_total"] == 2
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q8")
def test_ten_seconds_is_the_default_and_a_second_mark_never_shortens(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 100, 100)
        scheduler.mark_wechat_dead()
        await asyncio.sleep(1)
        scheduler.mark_wechat_dead(1.0)
        told = await refused_until(scheduler, 10, 1.0)
        assert told == [Code.WECHAT_NOT_READY] * 9 + ["ok"]
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q8")
def test_ready_closes_the_window(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 100, 100)
        scheduler.mark_wechat_dead(60.0)
        scheduler.mark_wechat_ready()
        assert await refused_until(scheduler, 1, 0) == ["ok"]
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q8", "UI-Q15")
def test_critical_passes_the_window_and_the_rest_fails_without_delay(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(3000, 100, 100)
        running = scheduler.execute(sleeping(1000, "whole"), delay_ms=0)
        await asyncio.sleep(0.5)
        rest = [scheduler.execute(sleeping(10), p) for p in (HIGH, NORMAL, LOW)]
        critical = scheduler.execute(sleeping(10, "restarted"), CRITICAL)
        scheduler.mark_wechat_dead(10.0)
        told = await asyncio.gather(running, critical, *rest, return_exceptions=True)
        assert told[:2] == ["whole", "restarted"]
        assert all(isinstance(error, BridgeError) for error in told[2:])
        assert asyncio.get_running_loop().time() == pytest.approx(1.01)
        await scheduler.stop()

    run(main())


@pytest.mark.parametrize("seconds", [-1, math.nan, math.inf])
def test_a_window_that_no_clock_holds_is_refused(run: Run, seconds: float) -> None:
    async def main() -> None:
        with pytest.raises(ValueError, match="duration_sec must be at least 0 and at most"):
            UIActionScheduler().mark_wechat_dead(seconds)

    run(main())


# ------------------------------------------------------------------ observing


def test_an_observer_is_told_until_it_is_taken_away(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 100, 100)
        seen: list[tuple[str, str]] = []
        end = scheduler.observe(lambda name, trace_id, fields: seen.append((name, trace_id)))
        await scheduler.execute(lambda: None, trace_id="one")
        end()
        await scheduler.execute(lambda: None, trace_id="two")
        assert {trace_id for _, trace_id in seen} == {"one"}
        assert [name for name, _ in seen][:3] == [
            *("action.queued", "action.dequeued", "action.started")
        ]
        await scheduler.stop()

    run(main())


@given(st.lists(st.integers(0, 3), max_size=12))
def test_for_all_comings_and_goings_each_observer_is_told_what_happens_while_it_is_there(
    toggles: list[int],
) -> None:
    """Four observers come and go; an action of its own lies between every two of these moves."""
    ends: dict[int, Callable[[], None]] = {}
    told: dict[int, list[str]] = {number: [] for number in range(4)}
    expected: dict[int, list[str]] = {number: [] for number in range(4)}

    async def main() -> None:
        scheduler = await started(0, 1000, 100)
        for step, number in enumerate(toggles):
            if number in ends:
                end = ends.pop(number)
                end()
                end()  # a second time changes nothing
            else:
                ends[number] = scheduler.observe(partial(hear, number))
            await scheduler.execute(lambda: None, trace_id=str(step))
            for present in ends:
                expected[present].append(str(step))
        await scheduler.stop()

    def hear(number: int, name: str, trace_id: str, fields: Mapping[str, Any]) -> None:
        if name == "action.finished":
            assert fields["priority"] == "NORMAL"
            told[number].append(trace_id)

    run_simulated(main())
    assert told == expected


def test_the_same_observer_may_come_twice(run: Run) -> None:
    async def main() -> None:
        scheduler = await started(0, 100, 100)
        seen: list[str] = []

        def hear(name: str, trace_id: str, fields: Mapping[str, Any]) -> None:
            seen.append(name)

        first, second = scheduler.observe(hear), scheduler.observe(hear)
        first()
        first()
        scheduler.mark_wechat_ready()
        assert seen == ["window.closed"]
        second()
        scheduler.mark_wechat_ready()
        assert seen == ["window.closed"]
        await scheduler.stop()

    run(main())
