"""The speed of the simulated loop against raw SimPy, asyncio itself and the peers.

Each ratio is that of CPU times measured in turns in this process. The bar is reported; the gate is
0.8 of it. A peer that is not installed is skipped as NOT MEASURED.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import windtunnel_models

pytestmark = pytest.mark.bench

GATE = 0.8
# program, peer, how many times as fast as the peer ours has to be
BARS = [
    ("sleep", "simpy", 0.33),
    ("sleep", "aiotools", 2.5),
    ("sleep", "async-solipsism", 2.0),
    ("sleep", "simloop", 2.5),
    ("sleep", "detangle", 2.0),
    ("queue", "asyncio", 0.8),
    ("queue", "simloop", 2.5),
    ("queue", "detangle", 1.7),
]
FINISHED_TIME_OUTS = 100_000
MOST_ENTRIES = 1_000


@pytest.mark.parametrize(("program", "peer", "bar"), BARS)
def test_ratio(
    program: str,
    peer: str,
    bar: float,
    ratio: Callable[[str, str], float],
    figure: Callable[[str], None],
) -> None:
    reached = ratio(program, peer)
    verdict = "reached" if reached >= bar else "MISSED"
    report = f"{program}: {reached:.2f} × {peer} (bar {bar}: {verdict}; gate {bar * GATE:.2f})"
    figure(report)
    assert reached >= bar * GATE, report


@pytest.mark.parametrize("program", ["sleep", "queue"])
def test_time(program: str, benchmark: Any, ours: Callable[[str], Callable[[], None]]) -> None:
    """The times themselves, for pytest-benchmark's own comparisons from run to run."""
    benchmark.extra_info["bars"] = {peer: bar for name, peer, bar in BARS if name == program}
    benchmark.pedantic(ours(program), rounds=10, warmup_rounds=2)


def test_heap_after_many_finished_time_outs(figure: Callable[[str], None]) -> None:
    async def main() -> int:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, windtunnel_models.SimLoop)
        for _ in range(FINISHED_TIME_OUTS):
            future = loop.create_future()
            loop.call_later(1e-6, future.set_result, None)
            await asyncio.wait_for(future, 3600)
        return len(loop.env._queue)

    entries = windtunnel_models.run(main())
    figure(f"heap: {entries} after {FINISHED_TIME_OUTS} time-outs (bar under {MOST_ENTRIES})")
    assert entries < MOST_ENTRIES
