"""The bound: a store that does not answer is one that is down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.ports.store import StoreError
from windtunnel.services.backend.store_bound import (
    STORE_S,
    StoreBound,
    StoreSilentError,
    bounded,
)
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("RT-X2")
def test_a_store_that_does_not_answer_is_down(run: Run) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        with pytest.raises(StoreSilentError, match="within 5 s"):
            await bounded(loop.create_future())
        assert loop.time() == STORE_S

    run(main())


def test_what_it_answers_or_raises_is_let_through(run: Run) -> None:
    async def answer() -> int:
        await asyncio.sleep(STORE_S - 1)
        return 7

    async def refuse() -> None:
        raise StoreError("down")

    async def main() -> None:
        assert await bounded(answer()) == 7
        with pytest.raises(StoreError) as caught:
            await bounded(refuse())
        assert not isinstance(caught.value, StoreSilentError)

    run(main())


@pytest.mark.spec("RT-X2")
@given(st.lists(st.tuples(st.floats(0, 2 * STORE_S), st.floats(0, 2 * STORE_S)), max_size=12))
def test_each_call_has_the_whole_of_its_time(calls: list[tuple[float, float]]) -> None:
    async def main() -> None:
        loop, bound = asyncio.get_running_loop(), StoreBound()
        for pause, takes in calls:
            await asyncio.sleep(pause)
            began = loop.time()
            in_time = True
            try:
                await bound.wait(asyncio.sleep(takes))
            except StoreSilentError:
                in_time = False
            assert in_time == (takes < STORE_S) or takes == pytest.approx(STORE_S)
            assert loop.time() - began == pytest.approx(min(takes, STORE_S), abs=1e-5)
            task = asyncio.current_task()
            assert task is not None
            assert task.cancelling() == 0

    run_simulated(main())


def test_who_is_cancelled_is_cancelled(run_on_both: Run) -> None:
    async def main() -> None:
        bound = StoreBound()
        waiting = asyncio.ensure_future(bound.wait(asyncio.sleep(1)))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await bound.wait(asyncio.sleep(0))

    run_on_both(main())


def test_cancelled_while_it_is_late_it_is_cancelled_all_the_same(run: Run) -> None:
    async def main() -> None:
        loop, bound = asyncio.get_running_loop(), StoreBound()
        waiting = asyncio.ensure_future(bound.wait(loop.create_future()))
        await asyncio.sleep(0)
        loop.call_at(STORE_S, waiting.cancel)
        with pytest.raises(asyncio.CancelledError):
            await waiting

    run(main())


def test_many_calls_set_few_timers() -> None:
    async def main() -> None:
        loop, bound, set_ = asyncio.get_running_loop(), StoreBound(), []
        call_at = loop.call_at

        def listen(when: float, *args: Any, **more: Any) -> asyncio.TimerHandle:
            set_.append(when)
            return call_at(when, *args, **more)

        loop.call_at = listen  # type: ignore[method-assign, assignment]
        for _ in range(1000):
            await bound.wait(answer())
        assert len(set_) == 1

    async def answer() -> None:
        return None

    run_simulated(main())
