"""The degradation: at once, told to all, stored when it can be, and over after three checks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from care_kit import Care
from windtunnel.services.backend.link_state import Capacity, Report
from windtunnel.services.clock import now_ns
from windtunnel_models import run as run_simulated

S = 10**9


def played(script: Callable[[Care], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        await script(Care())

    run_simulated(main(), debug=True)


def has(care: Care, what: str) -> bool:
    """Tell whether the degradation has it; asked anew each time."""
    return bool(getattr(care.degradation, what))


def healthy(care: Care) -> None:
    """Let the link be as it should."""
    care.state.opened(now_ns())
    care.state.report(Report(Capacity(4, 0, 4, now_ns()), 1))


@pytest.mark.spec("RT-H3")
def test_nothing_is_relied_on_before_the_first_check_and_that_is_no_recovery() -> None:
    async def script(care: Care) -> None:
        degradation = care.degradation
        told: list[bool] = []
        degradation.listen(told.append)
        assert has(care, "degraded")
        assert not has(care, "known")
        healthy(care)
        degradation.check()
        assert has(care, "known")
        assert not has(care, "degraded")
        assert care.state.health == "healthy"
        assert told == [False]
        assert care.notes.all == []

    played(script)


@pytest.mark.spec("RT-H3", "RT-H4")
def test_a_degradation_is_noted_and_told_and_ends_with_three_good_checks() -> None:
    async def script(care: Care) -> None:
        degradation = care.degradation
        told: list[bool] = []
        degradation.listen(told.append)
        healthy(care)
        degradation.check()
        await asyncio.sleep(5)
        degradation.immediate("channel_closed")
        assert (degradation.degraded, degradation.reason) == (True, "channel_closed")
        assert degradation.since == 5 * S
        assert care.state.health == "degraded"
        degradation.immediate("no_instance")  # it goes on, with the reason it began with
        assert degradation.reason == "channel_closed"
        for _ in range(3):
            await asyncio.sleep(10)
            assert has(care, "degraded")
            degradation.check()
        assert not has(care, "degraded")
        assert not has(care, "reason")
        assert told == [False, True, False]
        assert care.notes.of("router.degraded") == [{"reason": "channel_closed", "after": 0}]
        assert care.notes.of("router.recovered") == [{"after": 30 * S}]
        assert degradation.degraded_ns(now_ns()) == 30 * S

    played(script)


@pytest.mark.spec("RT-X2")
def test_an_error_counts_the_good_checks_anew_and_memory_is_an_emergency() -> None:
    async def script(care: Care) -> None:
        degradation = care.degradation
        healthy(care)
        degradation.check()
        degradation.error("unknown")
        assert not has(care, "emergency")
        degradation.check()
        degradation.check()
        degradation.error("memory")
        degradation.error("store")
        assert has(care, "emergency")
        degradation.check()
        degradation.check()
        assert has(care, "degraded")
        degradation.check()
        assert not has(care, "degraded")
        assert not has(care, "emergency")
        assert [one["reason"] for one in care.notes.of("router.degraded")] == ["unknown"]

    played(script)


@pytest.mark.spec("RT-X2")
def test_an_emergency_ends_with_the_third_check_however_the_inside_fares() -> None:
    async def script(care: Care) -> None:
        care.degradation.error("memory")
        care.degradation.check()
        care.degradation.check()
        assert has(care, "emergency")
        care.degradation.check()
        assert not has(care, "emergency")
        assert has(care, "degraded")

    played(script)


@pytest.mark.spec("RT-H3")
def test_a_degradation_outlives_the_backend() -> None:
    async def script(care: Care) -> None:
        healthy(care)
        care.degradation.check()
        care.degradation.immediate("no_instance")
        await care.degradation.save()
        await asyncio.sleep(20)
        care.crash()
        await care.degradation.restore()
        assert (care.degradation.degraded, care.degradation.reason) == (True, "no_instance")
        assert has(care, "known")
        healthy(care)
        care.degradation.check()
        care.degradation.check()
        assert has(care, "degraded")
        care.degradation.check()
        assert not has(care, "degraded")
        assert len(care.notes.of("router.degraded")) == 1
        assert care.notes.of("router.recovered") == [{"after": 20 * S}]

    played(script)


def test_good_health_is_not_restored_it_is_looked_at() -> None:
    async def script(care: Care) -> None:
        healthy(care)
        care.degradation.check()
        await care.degradation.save()
        care.crash()
        await care.degradation.restore()
        assert has(care, "degraded")
        assert not has(care, "known")
        # What is not known yet does not replace what was.
        await care.degradation.save()
        assert care.cluster.stored("health")["health"] == "healthy"

    played(script)


def test_what_has_been_looked_at_goes_before_what_was_stored() -> None:
    async def script(care: Care) -> None:
        care.degradation.immediate("no_instance")
        await care.degradation.save()
        care.crash()
        healthy(care)
        care.degradation.check()
        await care.degradation.restore()
        assert not has(care, "degraded")

    played(script)
