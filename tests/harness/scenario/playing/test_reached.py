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
from windtunnel.scenario.reading.models import DeclaredFailure
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


def test_one_that_is_a_warning_fails_no_cell(bench: SimpleNamespace) -> None:
    expect = (
        bench.expect("count", of="job", equals=1),
        bench.expect("sometimes", event="kind:process.killed", severity="warning"),
    )
    result = orders.play_orders(bench.cell(bench.job("a", "0s"), expect=expect, explore=3))
    assert (result.verdict, result.reason, result.orders) == (Verdict.PASS, "", 3)
    assert result.checks[1].verdict is Verdict.FAIL
    assert "reached 0 times in 3 orders" in result.checks[1].message


def test_a_warning_beside_it_decides_nothing(bench: SimpleNamespace) -> None:
    expect = (
        bench.expect("count", of="job", equals=2, severity="warning"),
        bench.expect("sometimes", event="a.started", min=3),
    )
    result = orders.play_orders(bench.cell(bench.job("a", "0s"), expect=expect, explore=3))
    assert (result.verdict, result.orders) == (Verdict.PASS, 3)


def test_one_that_is_declared_to_fail_is_judged_in_each_order(bench: SimpleNamespace) -> None:
    declared = bench.expect("sometimes", event="a.started", fails=DeclaredFailure())
    result = orders.play_orders(bench.cell(bench.job("a", "0s"), expect=(declared,), explore=3))
    assert (result.verdict, result.orders) == (Verdict.FAIL, 1)
    assert "declared to fail, but it holds" in result.reason


def test_what_came_to_nothing_in_an_order_is_not_made_up_for(bench: SimpleNamespace) -> None:
    never = bench.job("b", after="kind:process.killed")
    reach = bench.expect("sometimes", event="a.started", min=3)
    cell = bench.cell(bench.job("a", "0s"), never, expect=(reach,), explore=3)
    result = orders.play_orders(cell)
    assert (result.verdict, result.orders) == (Verdict.VACUOUS, 1)
