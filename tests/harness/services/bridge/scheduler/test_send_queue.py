"""SendQueue: what the old queue has, and what it has not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("UI-Q14", "UI-Q16")
@pytest.mark.parametrize(
    "name", ["execute", "get_metrics", "drain", "mark_wechat_dead", "mark_wechat_ready"]
)
def test_lacks_what_only_the_priority_scheduler_has(name: str) -> None:
    assert not hasattr(SendQueue(), name)


@pytest.mark.spec("UI-Q16")
@given(st.lists(st.sampled_from([0, 10, 1000]), max_size=20))
def test_first_in_first_out(durations: list[int]) -> None:
    order: list[int] = []

    async def main() -> None:
        queue = SendQueue(0, 100, 100)
        await queue.start()

        async def act(number: int, ms: int) -> int:
            order.append(number)
            await asyncio.sleep(ms / 1000)
            return number

        answers = [queue.enqueue(partial(act, n, ms)) for n, ms in enumerate(durations)]
        assert await asyncio.gather(*answers) == list(range(len(durations)))
        await queue.stop()

    run_simulated(main())
    assert order == list(range(len(durations)))


@pytest.mark.spec("UI-Q4", "UI-Q16")
@pytest.mark.parametrize(("delay_ms", "expected"), [(None, 3.0), (1000, 1.0), (0, 0.0)])
def test_the_pause_after_an_action(run: Run, delay_ms: float | None, expected: float) -> None:
    async def main() -> None:
        queue = SendQueue()
        await queue.start()
        loop = asyncio.get_running_loop()
        queue.enqueue(lambda: None, delay_ms)
        assert await queue.enqueue(loop.time) == expected
        await queue.stop()

    run(main())


def test_can_be_observed(run: Run) -> None:
    async def main() -> None:
        queue = SendQueue()
        seen: list[str] = []
        end = queue.observe(lambda name, trace_id, fields: seen.append(name))
        queue.enqueue(lambda: None)
        end()
        queue.enqueue(lambda: None)
        assert seen == ["action.queued"]
        await queue.stop()

    run(main())
