"""The options of ties: in which order, or in how many, every cell of a run is played.

Imports the cells and click's errors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import click

from windtunnel.scenario.cells import Cell
from windtunnel.scenario.results import CellResult
from windtunnel.world import TieOrder, Ties


@dataclass(frozen=True, slots=True)
class TieOptions:
    """What the command line says of ties, in the place of what the files say.

    Only a file that says one order itself (`ties: fifo`) keeps it: its expectations hang on it.
    """

    order: TieOrder | None = None
    seed: int | None = None
    """Of the order, or of the first of the orders explored."""
    explore: int | None = None
    """In how many orders each cell is played."""

    def check(self) -> None:
        """Raise a usage error where the options contradict one another."""
        for flag, given in (("--tie-seed", self.seed), ("--explore", self.explore)):
            if given is not None and self.order not in (None, "seeded"):
                raise click.UsageError(f"{flag} goes with --ties seeded, not {self.order}")

    def applied(self, cell: Cell) -> Cell:
        """Return the cell as it is to be played."""
        if cell.order_is_given:
            return cell
        if self.explore is not None:
            return replace(cell, ties=Ties("seeded", self.seed or 0), explore=self.explore)
        order = self.order or ("seeded" if self.seed is not None else None)
        if order is None:
            return cell
        seed = cell.ties.seed if self.seed is None else self.seed
        return replace(cell, ties=Ties(order, seed), explore=0)

    def arguments(self) -> tuple[str, ...]:
        """Return the arguments of `windtunnel run` that say the same."""
        given = {"--ties": self.order, "--tie-seed": self.seed, "--explore": self.explore}
        return tuple(
            part
            for flag, value in given.items()
            if value is not None
            for part in (flag, str(value))
        )

    def replaying(self, result: CellResult) -> tuple[str, ...]:
        """Return the arguments that replay a result: of the orders explored, the one it is of."""
        if result.orders and result.tie_seed is not None:
            return TieOptions("seeded", result.tie_seed).arguments()
        return self.arguments()


AS_WRITTEN: Final = TieOptions()
"""Nothing said: each cell is played as its file says."""
