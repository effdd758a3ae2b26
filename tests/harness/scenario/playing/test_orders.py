"""The orders of a cell: many seeds in one cell, the first that does not pass decides."""

from __future__ import annotations

import gc
import tracemalloc
from types import SimpleNamespace
from typing import Any

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.playing import orders, pulse
from windtunnel.scenario.playing.orders import play_orders
from windtunnel.scenario.playing.single_run import run_once
from windtunnel.scenario.reading.models import MAX_SEED
from windtunnel.scenario.results import CellResult
from windtunnel.world import Ties, WorldOptions

Race = Any


@pytest.fixture
def race(bench: SimpleNamespace) -> Race:
    """Give a cell that passes in FIFO and fails where `b` starts before `a`."""

    def make(**fields: Any) -> Any:
        return bench.cell(
            bench.job("a", "0s", polls=1),
            bench.job("b", "0s", polls=1),
            bench.job("c", "0s", polls=1),
            expect=(
                bench.expect("happens_before", first="a.started", then="b.started"),
                bench.expect("happens_before", first="b.started", then="c.started"),
            ),
            **fields,
        )

    return make


def failing(race: Race, seeds: range) -> list[int]:
    verdicts = {seed: run_once(race(ties=Ties("seeded", seed))).verdict for seed in seeds}
    return [seed for seed, verdict in verdicts.items() if verdict is Verdict.FAIL]


def test_a_cell_that_is_not_explored_is_played_once(race: Race) -> None:
    result = play_orders(race())
    assert (result.verdict, result.orders, result.tie_seed) == (Verdict.PASS, 0, None)


def test_the_first_seed_that_fails_decides_and_is_named(race: Race) -> None:
    first = failing(race, range(40))[0]
    result = play_orders(race(explore=40))
    assert (result.verdict, result.tie_seed, result.orders) == (Verdict.FAIL, first, first + 1)
    assert result.reason.startswith(f"tie seed {first} (order {first + 1} of 40): happens_before: ")
    alone = run_once(race(ties=Ties("seeded", first)))
    assert (alone.digest, alone.checks) == (result.digest, result.checks)


def test_seeds_stay_in_the_range_that_replays(race: Race) -> None:
    cell = race(ties=Ties("seeded", MAX_SEED), explore=40)
    seeds = [one.ties.seed for one in orders._seeded(cell)]
    assert seeds == [MAX_SEED, *range(39)]


def test_the_orders_begin_at_the_seed_of_the_cell(race: Race) -> None:
    found = failing(race, range(100, 140))
    result = play_orders(race(ties=Ties("seeded", 100), explore=40))
    assert result.tie_seed == found[0]


def test_when_all_pass_the_cell_does(bench: SimpleNamespace) -> None:
    def explored(number: int) -> CellResult:
        cell = bench.cell(
            bench.job("a", "0s", repeat=3),
            expect=(bench.expect("count", of="job", equals=3),),
            explore=number,
        )
        return play_orders(cell, keep_trace=True)

    result = explored(20)
    single = explored(1)
    assert (result.verdict, result.reason, result.orders) == (Verdict.PASS, "", 20)
    assert result.tie_seed is None
    assert result.events == 20 * single.events
    assert result.trace == single.trace
    assert result.digest == explored(20).digest != explored(19).digest


def test_the_trace_is_of_the_order_that_decides(race: Race) -> None:
    fail = failing(race, range(60))
    passes = next(seed for seed in range(60) if seed not in fail)
    result = play_orders(race(ties=Ties("seeded", passes), explore=40), keep_trace=True)
    assert result.tie_seed is not None
    assert result.tie_seed > passes
    alone = run_once(race(ties=Ties("seeded", result.tie_seed)), keep_trace=True)
    assert result.trace == alone.trace


def test_a_declared_failure_must_be_seen_in_every_order(bench: SimpleNamespace, race: Race) -> None:
    from dataclasses import replace

    from windtunnel.scenario.reading.models import DeclaredFailure

    cell = race(explore=40)
    declared = replace(cell.expect[0], fails=DeclaredFailure())
    result = play_orders(replace(cell, expect=(declared,)))
    assert result.verdict is Verdict.FAIL
    assert "declared to fail, but it holds" in result.reason


def test_what_is_lacking_is_asked_once(bench: SimpleNamespace, worlds: list[Any]) -> None:
    result = play_orders(bench.cell(bench.job("a", "0s"), requires=("moon",), explore=50))
    assert (result.verdict, result.reason) == (Verdict.SKIPPED, "the world probe has no moon")
    assert (len(worlds), result.tie_seed) == (1, None)


def test_a_world_without_ties_is_played_once(
    bench: SimpleNamespace, worlds: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.world, "features", frozenset())
    expected = (bench.expect("count", of="job", equals=1),)
    result = play_orders(bench.cell(bench.job("a", "0s"), explore=50, expect=expected))
    assert (result.verdict, result.orders, len(worlds)) == (Verdict.PASS, 0, 1)


def test_a_world_without_ties_has_to_reach_it_in_its_one_order(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.world, "features", frozenset())
    expected = (bench.expect("sometimes", event="a.started", min=2),)
    result = play_orders(bench.cell(bench.job("a", "0s"), explore=50, expect=expected))
    assert (result.verdict, result.orders) == (Verdict.FAIL, 0)
    assert result.reason.startswith("sometimes: reached 1 times")


def test_each_order_gives_a_sign_of_life(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats: list[None] = []
    monkeypatch.setattr(pulse, "_listeners", [lambda: beats.append(None)])
    expected = (bench.expect("count", of="job", equals=1),)
    play_orders(bench.cell(bench.job("a", "0s"), explore=5, expect=expected))
    assert len(beats) == 5 * 3  # its begin, its end, and what comes after it


def test_each_order_keeps_under_a_name_of_its_own(
    bench: SimpleNamespace, worlds: list[Any], race: Race
) -> None:
    result = play_orders(race(explore=40), options=WorldOptions(driver="xdotool"), number=2)
    assert result.verdict is Verdict.FAIL
    kept = [kept for world in worlds for kept in world.kept]
    assert len({name for name, _ in kept}) == len(kept) == result.orders
    assert [failed for _, failed in kept] == [False] * (len(kept) - 1) + [True]
    assert result.kept == f"frames/{kept[-1][0]}"
    assert {world.spec.options.driver for world in worlds} == {"xdotool"}


def test_memory_stays_flat(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, worlds: list[Any]
) -> None:
    """What one order needs is let go before the next, but for what a collector finds."""
    held: list[int] = []

    def measured(cell: Any, **options: Any) -> CellResult:
        result = run_once(cell, **options)
        worlds.clear()  # the bench keeps them
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0])
        return result

    monkeypatch.setattr(orders, "run_once", measured)
    expected = (bench.expect("count", of="job", equals=20),)
    cell = bench.cell(bench.job("a", "0s", repeat=20), explore=60, expect=expected)
    tracemalloc.start()
    try:
        play_orders(cell)
    finally:
        tracemalloc.stop()
    assert held[-1] < held[9] + 20_000, held
