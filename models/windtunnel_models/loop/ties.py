"""The tie rule: which of several lanes that are ready at one instant goes on.

Imports `windtunnel.world` (what a scenario says of ties) and `windtunnel.streams`.
"""

from __future__ import annotations

from array import array
from typing import Final

from windtunnel.streams import stream
from windtunnel.world import Ties

MOST_CHOICES: Final = 1_000_000
"""Choices that are kept (4 bytes each); what a run chooses after so many is not recorded."""


class TieRule:
    """Asked at every tie; keeps what it chose.

    Given choices come first, each cut to the lanes there are; past their end, the order decides.
    `seeded` draws once at every tie, also at those that a given choice decides, so that the choices
    of a run, or the first of them, replay the whole run under the same order and seed.
    """

    __slots__ = ("_draw", "_given", "_order", "asked", "choices")

    def __init__(self, ties: Ties) -> None:
        self._order = ties.order
        self._given = ties.choices
        self._draw = stream(ties.seed, "ties").random
        self.asked = 0
        """How many ties there were."""
        self.choices = array("I")

    def choose(self, lanes: int, present: int) -> int:
        """Return the index of the lane that goes on.

        There are `lanes` of them, two or more, in the order of FIFO; the first `present` (one or
        more) belong to the batch that runs, the others became ready since it began. Index 0 is
        FIFO. `lifo` takes the last of the batch, so that nobody who is always ready again keeps
        the others waiting; `seeded` takes any lane.
        """
        chosen = self._choose(lanes, present)
        if self.asked < len(self._given):
            chosen = min(self._given[self.asked], lanes - 1)
        self.asked += 1
        if self.asked <= MOST_CHOICES:
            self.choices.append(chosen)
        return chosen

    def _choose(self, lanes: int, present: int) -> int:
        if self._order == "seeded":
            return int(self._draw() * lanes)
        return present - 1 if self._order == "lifo" else 0
