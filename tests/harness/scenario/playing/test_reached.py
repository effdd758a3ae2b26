"""What `sometimes` asks for over many orders: reached in all of them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing import orders
from windtunnel.scenario.playing.single_run import run_once
from windtunnel.scenario.results import CellResult

Explored = Callable[..., CellResult]


@pytest.fixture
def explored(bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Explored:
    """Give a function that explores a cell whose orders reach an event so and so often each."""

    def explore(times: list[int], least: int = 1, *, also_fails: bool = False) -> CellResult:
        cell = bench.cell(
            bench.job("a", "0s"),
            expect=(
                bench.expect("count", of="job", equals=2 if also_fails else 1),
                bench.expect("sometimes", event="a.started", min=least),
            ),
            explore=len(times),
        )
        left = iter(times)

        def play(cell: Cell, **more: Any) -> CellResult:
            found = run_once(cell, **more)
            reached = next(left)
            verdict = Verdict.PASS if reached >= least else Verdict.FAIL
            line = replace(found.checks[1], verdict=verdict, measured=reached)
            checks = (found.checks[0], line, *found.checks[2:])
            if not also_fails:
                reason = "" if verdict is Verdict.PASS else "sometimes: never reached"
                found = replace(found, verdict=verdict, reason=reason)
            return replace(found, checks=checks)

        monkeypatch.setattr(orders, "run_once", play)
        return orders.play_orders(cell)

    return explore


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(times=st.lists(st.integers(0, 2), min_size=1, max_size=6), least=st.integers(1, 4))
def test_the_orders_count_together(explored: Explored, times: list[int], least: int) -> None:
    result = explored(times, least)
    line = result.checks[1]
    wanted = Verdict.PASS if sum(times) >= least else Verdict.FAIL
    assert (result.verdict, line.verdict, line.measured) == (wanted, wanted, sum(times))
    assert result.orders == len(times)
    assert f"reached {sum(times)} times in {len(times)} orders" in line.message
    assert (result.reason == "") == (wanted is Verdict.PASS)


def test_what_else_fails_decides_at_once(explored: Explored) -> None:
    result = explored([0, 0, 5], also_fails=True)
    assert result.verdict is Verdict.FAIL
    assert result.orders == 1
    assert result.reason.startswith("tie seed 0 (order 1 of 3): ")
