"""What `sometimes` asks for, over many orders of one cell: reached in all of them together.

Imports the cells and the results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.results import CellResult, CheckLine

CHECK: Final = "sometimes"


class Reached:
    """How often each `sometimes` of a cell was reached, in the orders played so far.

    One that is declared to fail (`fails`) is judged in each order, as every other check.
    """

    def __init__(self, cell: Cell) -> None:
        self._asked = {
            place: line
            for place, line in enumerate(cell.expect)
            if line.check == CHECK and line.fails is None
        }
        self._times: Counter[int] = Counter()

    def in_one_order(self, cell: Cell) -> Cell:
        """Return the cell as one order is judged: what only all have to reach fails none."""
        softened = {place: replace(line, severity="warning") for place, line in self._asked.items()}
        lines = tuple(softened.get(place, line) for place, line in enumerate(cell.expect))
        return replace(cell, expect=lines)

    def add(self, result: CellResult) -> None:
        """Take in the result of one order."""
        for place in self._asked:
            if place < len(result.checks):
                self._times[place] += int(result.checks[place].measured or 0)

    def together(self, result: CellResult, orders: int) -> CellResult:
        """Return the result of an order that passed, with what all have reached together."""
        checks = list(result.checks)
        short: list[str] = []
        for place, line in self._judged(result, orders):
            checks[place] = line
            if line.verdict is Verdict.FAIL and self._asked[place].severity == "error":
                short.append(f"{CHECK}: {line.message}")
        verdict = Verdict.FAIL if short else Verdict.PASS
        return replace(result, checks=tuple(checks), verdict=verdict, reason="".join(short[:1]))

    def _judged(self, result: CellResult, orders: int) -> Iterator[tuple[int, CheckLine]]:
        for place, asked in self._asked.items():
            least: int = asked.args.min  # type: ignore[attr-defined] # SometimesArgs
            times = self._times[place]
            told = f"reached {times} times in {orders} orders of ties, expected at least {least}"
            line = result.checks[place]
            if times < least:
                yield place, replace(line, verdict=Verdict.FAIL, message=told, measured=times)
            else:
                found = replace(line, verdict=Verdict.PASS, message=told, measured=times)
                yield place, replace(found, witness=(), excerpt=())
