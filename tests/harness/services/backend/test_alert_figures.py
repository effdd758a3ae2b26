"""Alert figures: shares of the last five minutes, and what stands now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from care_kit import Care
from windtunnel.policies.router.alerts import Figures
from windtunnel.services.backend.alert_figures import AlertFigures
from windtunnel.services.backend.link_state import Capacity, Report
from windtunnel.services.backend.lives import Lives
from windtunnel.services.clock import now_ns
from windtunnel_models import run as run_simulated


def gathered(
    script: Callable[[Care, AlertFigures], Coroutine[Any, Any, None]],
    queue: int = 0,
    failures: int = 0,
) -> None:
    async def main() -> None:
        care = Care()
        store = care.cluster.handle
        await Lives(store).began()
        lives = Lives(store)
        await lives.began()
        figures = AlertFigures(care.state, care.degradation, lives, lambda: queue, lambda: failures)
        await script(care, figures)

    run_simulated(main())


@pytest.mark.spec("RT-X3")
def test_what_stands_now_is_asked_for() -> None:
    async def script(care: Care, figures: AlertFigures) -> None:
        assert figures.figures() == Figures(0.0, 0.0, 7, 1, 5, 0.0)
        care.state.report(Report(Capacity(4, 3, 1, now_ns()), 1))
        assert figures.figures().inside_use == 0.75
        await asyncio.sleep(60)
        assert figures.figures().inside_use == 0.0

    gathered(script, queue=7, failures=5)


@pytest.mark.spec("RT-X3")
def test_the_share_of_time_degraded_is_that_of_the_last_five_minutes() -> None:
    async def script(care: Care, figures: AlertFigures) -> None:
        shares: dict[int, float] = {}
        for second in range(0, 1000, 10):
            if second == 400:
                care.degradation.error("unknown")
            shares[second] = figures.figures().degraded_share
            await asyncio.sleep(10)
        assert shares[400] == 0.0
        assert shares[550] == pytest.approx(150 / 300)
        assert shares[560] == pytest.approx(160 / 300)
        assert shares[700] == shares[990] == 1.0

    gathered(script)


@pytest.mark.spec("RT-X3")
@given(st.lists(st.sampled_from(["sent", "refused", "timeout", "other", "tick"]), max_size=40))
def test_for_all_submissions_the_share_of_time_outs_is_theirs(what: list[str]) -> None:
    async def script(care: Care, figures: AlertFigures) -> None:
        figures.figures()
        for one in what:
            if one == "tick":
                await asyncio.sleep(1)
                figures.figures()
            elif one == "sent":
                figures.on_note("task.sent", "t", {"side": "internal", "request": "md-t"})
            elif one == "other":
                figures.on_note("task.fell_back", "t", {"why": "timeout"})
            else:
                figures.on_note("task.refused", "t", {"side": "internal", "why": one})
        over = sum(one in ("sent", "refused", "timeout") for one in what)
        expected = what.count("timeout") / over if over else 0.0
        assert figures.figures().timeout_share == pytest.approx(expected)
        await asyncio.sleep(301)
        assert figures.figures().timeout_share == 0.0

    gathered(script)
