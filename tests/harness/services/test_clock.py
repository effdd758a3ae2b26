"""The clock: the loop's time, exact, and as messages write it."""

from __future__ import annotations

import asyncio

from windtunnel.services.clock import iso, now_ns
from windtunnel.units import DAY, MS
from windtunnel_models import run


def test_it_is_the_loops() -> None:
    async def main() -> None:
        assert now_ns() == 0
        await asyncio.sleep(0.3)
        assert now_ns() == 300 * MS

    run(main())


def test_messages_write_it_in_utc() -> None:
    assert iso(0) == "1970-01-01T00:00:00.000Z"
    assert iso(DAY + 1500 * MS) == "1970-01-02T00:00:01.500Z"
