"""UILog: the lines of the documents, their levels, and what each of them tells."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.scheduler.ui_log import LINES
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler

Run = Callable[[Coroutine[Any, Any, None]], None]
Lines = list[tuple[str, str]]

pytestmark = pytest.mark.spec("UI-Q12")


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Callable[[], Lines]:
    """Give a function that returns, and forgets, the lines said so far: (level, text)."""
    caplog.set_level(logging.INFO, "windtunnel.ui")

    def read() -> Lines:
        records = [record for record in caplog.records if record.name == "windtunnel.ui"]
        caplog.clear()
        return [(record.levelname, record.getMessage()) for record in records]

    return read


async def started(delay_ms: int = 0, rate: int = 100, size: int = 100) -> UIActionScheduler:
    scheduler = UIActionScheduler(delay_ms, rate, size)
    await scheduler.start()
    return scheduler


def test_an_action_from_enqueue_to_delay(run: Run, said: Callable[[], Lines]) -> None:
    async def main() -> None:
        scheduler = await started(delay_ms=3000)
        first = scheduler.execute(lambda: asyncio.sleep(1.5), Priority.HIGH, trace_id="t1")
        await first
        await asyncio.sleep(1)
        await scheduler.stop()

    run(main())
    assert said() == [
        ("INFO", "queued HIGH t1, 1 pending"),
        ("INFO", "dequeued HIGH t1 after 0s"),
        ("INFO", "started HIGH t1"),
        ("INFO", "finished HIGH t1 in 1.5s"),
        ("INFO", "waiting 3s after HIGH t1"),
    ]


def test_a_failure_is_a_warning_with_duration_and_error(
    run: Run, said: Callable[[], Lines]
) -> None:
    async def act() -> None:
        await asyncio.sleep(0.25)
        raise LookupError("no such contact")

    async def main() -> None:
        scheduler = await started()
        await asyncio.wait([scheduler.execute(act, trace_id="t1")])
        await scheduler.stop()

    run(main())
    assert said()[-1] == (
        "WARNING",
        "failed NORMAL t1 in 250ms: LookupError('no such contact')",
    )


def test_the_skip_of_a_cancelled_entry(run: Run, said: Callable[[], Lines]) -> None:
    async def main() -> None:
        scheduler = UIActionScheduler()
        scheduler.execute(lambda: None, trace_id="gone").cancel()
        said()
        await scheduler.start()
        await asyncio.sleep(0)
        assert said() == [("INFO", "skipped cancelled NORMAL gone")]
        await scheduler.stop()

    run(main())


def test_the_window_and_the_fast_fail_with_what_is_left(
    run: Run, said: Callable[[], Lines]
) -> None:
    async def main() -> None:
        scheduler = await started()
        scheduler.mark_wechat_dead(8)
        await asyncio.sleep(2.5)
        await asyncio.wait([scheduler.execute(lambda: None, trace_id="t1")])
        scheduler.mark_wechat_ready()
        await scheduler.stop()

    run(main())
    assert said() == [
        ("WARNING", "WeChat is taken for dead for 8s, 0 pending"),
        ("INFO", "queued NORMAL t1, 1 pending"),
        ("INFO", "dequeued NORMAL t1 after 0s"),
        ("WARNING", "refused NORMAL t1: WeChat is not ready for another 5.5s"),
        ("INFO", "WeChat is ready"),
    ]


@pytest.mark.parametrize("running", [False, True])
def test_a_wait_time_out_tells_the_phase_and_the_number_pending(
    run: Run, said: Callable[[], Lines], running: bool
) -> None:
    async def main() -> None:
        scheduler = await started() if running else UIActionScheduler()
        scheduler.execute(lambda: asyncio.sleep(9), wait_timeout_ms=1000, trace_id="t1")
        await asyncio.sleep(1)
        expected = ("running" if running else "queued") + ", 0 pending"  # it counts no more itself
        assert said()[-1] == ("WARNING", f"gave up NORMAL t1 while {expected}")
        await scheduler.stop()

    run(main())


@pytest.mark.spec("UI-Q7")
def test_a_finish_at_the_time_out_is_said_and_its_result_counts(said: Callable[[], Lines]) -> None:
    async def main() -> None:
        scheduler = await started()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + 0.01

        def block() -> str:
            while loop.time() <= deadline + 0.001:
                pass
            return "in one step"

        answer = scheduler.execute(block, wait_timeout_ms=10, trace_id="t1")
        assert await answer == "in one step"
        assert scheduler.get_metrics()["timeout_total"] == 0
        await scheduler.stop()

    asyncio.run(main())  # only real time goes on while code runs
    assert ("INFO", "finished NORMAL t1 at the time-out; its result counts") in said()


def test_refusals_are_warnings_that_name_the_limit(run: Run, said: Callable[[], Lines]) -> None:
    async def main() -> None:
        scheduler = await started(rate=1, size=1)
        scheduler.execute(lambda: None, trace_id="runs")
        scheduler.execute(lambda: None, trace_id="rate")
        scheduler.execute(lambda: None, trace_id="queue")
        await scheduler.drain()
        await scheduler.stop()

    run(main())
    assert [line for line in said() if line[0] == "WARNING"] == [
        ("WARNING", "refused NORMAL queue: queue limit"),
        ("WARNING", "refused NORMAL rate: rate limit"),
    ]


def test_a_drain_that_gives_up_is_a_warning(run: Run, said: Callable[[], Lines]) -> None:
    async def main() -> None:
        scheduler = await started()
        scheduler.execute(lambda: asyncio.sleep(9))
        scheduler.execute(lambda: None)
        await asyncio.sleep(1)
        said()
        await scheduler.drain(1)
        assert said() == [("WARNING", "drain gave up with 2 queued or running")]
        await scheduler.stop()

    run(main())


def test_refusals_time_outs_failures_and_the_window_are_warnings_the_rest_is_not() -> None:
    warnings = {name for name, line in LINES.items() if line.level == logging.WARNING}
    assert warnings == {
        *("action.failed", "action.fast_failed", "action.refused", "action.timed_out"),
        *("window.opened", "drain.gave_up", "stop.abandoned"),
    }
    others = [line.level for name, line in LINES.items() if name not in warnings]
    assert set(others) == {logging.INFO}


def test_every_line_about_an_action_tells_priority_and_trace_id() -> None:
    for name, line in LINES.items():
        if name.startswith("action."):
            assert "%(priority)s" in line.text, name
            assert "%(trace_id)s" in line.text, name


def test_nothing_is_formatted_for_a_level_that_nobody_wants(run: Run) -> None:
    class Unprintable(Exception):
        def __repr__(self) -> str:
            raise AssertionError("formatted for nobody")

    async def main() -> None:
        scheduler = await started()
        assert not logging.getLogger("windtunnel.ui").isEnabledFor(logging.INFO)
        await scheduler.execute(lambda: "ok")
        await scheduler.stop()

    logging.getLogger("windtunnel.ui").setLevel(logging.WARNING)
    try:
        run(main())
    finally:
        logging.getLogger("windtunnel.ui").setLevel(logging.NOTSET)
