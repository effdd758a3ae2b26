"""The conditions of work: how slow it goes at a place, and whether it fails there in the end.

A place is an instance's name, or `external`. Imports the faults' words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from windtunnel.faults import Felt


@dataclass(slots=True, eq=False)
class Slowness:
    """Work takes `by` times as long at these places, while it is on."""

    places: frozenset[str]
    by: float
    felt: Felt


@dataclass(slots=True, eq=False)
class Sabotage:
    """Work ends as failed at these places, while it is on; `left` times at most, None: always."""

    places: frozenset[str]
    error: str
    felt: Felt
    left: int | None = None


class Conditions:
    """What work meets at each place: the paces of the start, and what faults add to them."""

    def __init__(self, paces: Mapping[str, float]) -> None:
        """Begin with the place → how many times as long everything takes there, 1 by default."""
        self._paces = dict(paces)
        self.slownesses: list[Slowness] = []
        self.sabotages: list[Sabotage] = []

    def pace(self, place: str, op: str) -> float:
        """Return how many times as long work takes now; the faults that matter are told of `op`."""
        pace = self._paces.get(place, 1.0)
        for slowness in self.slownesses:
            if place in slowness.places:
                slowness.felt(op)
                pace *= slowness.by
        return pace

    def failure(self, place: str, op: str) -> str | None:
        """Return with which error work that ends now fails, or None; it counts as one time."""
        for sabotage in self.sabotages:
            if place in sabotage.places:
                sabotage.felt(op)
                if sabotage.left is not None:
                    sabotage.left -= 1
                    if not sabotage.left:
                        self.sabotages.remove(sabotage)
                return sabotage.error
        return None
