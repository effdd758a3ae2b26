"""The clock: the loop's time in nanoseconds and as text."""

from __future__ import annotations

import asyncio

import pytest

from windtunnel.services.backend.clock import now, stamp
from windtunnel_models import run as run_simulated


@pytest.mark.spec("RT-W1")
def test_it_is_the_loops_time() -> None:
    async def main() -> None:
        await asyncio.sleep(3661.5)
        assert now() == 3_661_500_000_000
        assert stamp() == "1970-01-01T01:01:01.500000+00:00"

    run_simulated(main())
