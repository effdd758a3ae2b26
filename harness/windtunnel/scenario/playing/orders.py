"""The orders of a cell: it is played in one order of ties, or explored in many (`explore`).

Imports the single run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.reached import Reached
from windtunnel.scenario.playing.single_run import USUAL, run_once
from windtunnel.scenario.reading.models import MAX_SEED
from windtunnel.scenario.results import CellResult
from windtunnel.world import Ties, WorldOptions


def play_orders(
    cell: Cell, *, keep_trace: bool = False, options: WorldOptions = USUAL, number: int = 0
) -> CellResult:
    """Play a cell in each order of ties that it asks for; the first that does not pass decides.

    Each order has a tie seed of its own, from the cell's on. The result is that of the order that
    decides, its seed named; when all pass, that of the first, with a digest over the digests of
    all. What `sometimes` asks for need not be reached in each order, only in all of them together.
    A world without ties plays the cell once. Memory holds one result at a time, and a second.
    `options` and `number` are as `run_once` takes them.
    """
    play = partial(run_once, options=options, number=number)
    if not cell.explore:
        return play(cell, keep_trace=keep_trace)
    first: CellResult | None = None
    sum_, reached = _Sum(), Reached(cell)
    for seeded in _seeded(reached.in_one_order(cell)):
        result = play(seeded, keep_trace=keep_trace and first is None)
        sum_.add(result)
        reached.add(result)
        if result.verdict is not Verdict.PASS:
            if keep_trace and first is not None:
                result = replace(result, trace=play(seeded, keep_trace=True).trace)
            return sum_.decided_by(result, cell.explore)
        if result.tie_seed is None:  # a world without ties: there is one order
            return reached.together(result, 1)
        first = first or result
    assert first is not None, "an exploration has at least one order"
    return sum_.passed(reached.together(first, sum_.orders))


def _seeded(cell: Cell) -> Iterator[Cell]:
    for number in range(cell.explore):
        seed = (cell.ties.seed + number) % (MAX_SEED + 1)  # one that `--tie-seed` takes
        yield replace(cell, ties=Ties("seeded", seed), explore=0)


@dataclass(slots=True)
class _Sum:
    """What adds up over the orders played so far."""

    orders: int = 0
    events: int = 0
    seconds: float = 0.0
    digests: str = ""
    """A digest over the digests."""

    def add(self, result: CellResult) -> None:
        self.orders += 1
        self.events += result.events
        self.seconds += result.seconds
        self.digests = hashlib.sha256(f"{self.digests}{result.digest}".encode()).hexdigest()

    def decided_by(self, result: CellResult, planned: int) -> CellResult:
        if result.tie_seed is None or result.verdict is Verdict.SKIPPED:
            return replace(result, tie_seed=None)
        found = f"tie seed {result.tie_seed} (order {self.orders} of {planned}): {result.reason}"
        return replace(
            result, reason=found, orders=self.orders, events=self.events, seconds=self.seconds
        )

    def passed(self, first: CellResult) -> CellResult:
        return replace(
            first,
            tie_seed=None,
            orders=self.orders,
            events=self.events,
            seconds=self.seconds,
            digest=self.digests,
        )
