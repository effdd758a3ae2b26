"""Quiet: told at once, at the end of what is outstanding, or at the time-out."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.bridge.scheduler.ui_quiet import Quiet
from windtunnel_models import run as run_simulated
from worker_kit import Run, now


@pytest.mark.spec("UI-Q9")
def test_with_nothing_outstanding_it_does_not_wait(run_on_both: Run) -> None:
    async def main() -> None:
        assert await Quiet(lambda: 0).wait(0) is True

    run_on_both(main())


@pytest.mark.spec("UI-Q9")
@given(
    ends=st.lists(st.integers(0, 9), min_size=1, max_size=5),
    time_outs=st.lists(st.integers(0, 12), min_size=1, max_size=4),
)
def test_each_is_told_at_the_earlier_of_the_last_end_and_its_time_out(
    ends: list[int], time_outs: list[int]
) -> None:
    async def main() -> None:
        left = list(ends)
        quiet = Quiet(lambda: len(left))

        def end() -> None:
            left.pop()
            quiet.tell()

        for seconds in ends:
            asyncio.get_running_loop().call_later(seconds, end)

        async def wait(seconds: int) -> tuple[bool, float]:
            return await quiet.wait(seconds), now()

        told = await asyncio.gather(*map(wait, time_outs))
        last = max(ends)
        assert told == [(last <= limit, min(last, limit)) for limit in time_outs]

    run_simulated(main())


def test_who_stops_waiting_is_forgotten(run: Run) -> None:
    async def main() -> None:
        left = [1]
        quiet = Quiet(lambda: len(left))
        waiting = asyncio.create_task(quiet.wait(5))
        await asyncio.sleep(1)
        waiting.cancel()
        await asyncio.sleep(0)
        left.clear()
        quiet.tell()
        assert waiting.cancelled()
        assert await quiet.wait(0) is True

    run(main())
