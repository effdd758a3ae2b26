"""InsideBreaker: the policy on the loop's clock, and its notes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.policies.router.breaker import Breaker
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.backend.inside_breaker import InsideBreaker
from windtunnel.units import SECOND

Run = Callable[[Coroutine[Any, Any, None]], None]


def ticket(breaker: InsideBreaker) -> int:
    given = breaker.allow()
    assert given is not None
    return given


@pytest.mark.spec("RT-X1")
def test_it_opens_half_opens_and_closes(run: Run) -> None:
    noted: list[Any] = []

    def note(kind: str, op: str, details: Any) -> None:
        assert (kind, op) == ("breaker.changed", "")
        noted.append((asyncio.get_running_loop().time(), details["state"]))

    async def main() -> None:
        breaker = InsideBreaker(Breaker(RouterOptions(), 2, 30 * SECOND), note)
        assert breaker.state() == "closed"
        breaker.failure(ticket(breaker))
        breaker.failure(ticket(breaker))
        assert breaker.allow() is None
        await asyncio.sleep(30)
        probe = ticket(breaker)
        assert breaker.allow() is None, "one probe at a time"
        breaker.forget(probe)
        breaker.failure(ticket(breaker))
        await asyncio.sleep(31)
        breaker.success(ticket(breaker))
        assert breaker.state() == "closed"

    run(main())
    assert noted == [
        (0, "open"),
        (30, "half_open"),
        (30, "open"),
        (61, "half_open"),
        (61, "closed"),
    ]
