"""The places of tasks: in which table of a party's store each is, move by move (RT-R3).

Imports `windtunnel.trace`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from windtunnel.checks.moments import at
from windtunnel.trace import Event


@dataclass(frozen=True, slots=True)
class Party:
    """A row of the table of parties: the places that its store has for tasks."""

    places: tuple[str, ...]
    """In the order in which they are told."""
    final: frozenset[str]
    """Where a task stays, until it is trimmed, and never comes back from."""
    leaving: frozenset[str] = frozenset()
    """Further places out of which a task may leave the party."""


PARTIES: Final[Mapping[str, Party]] = MappingProxyType(
    {
        "backend": Party(
            ("waiting", "sending", "inside", "outside", "done", "failed", "expired"),
            frozenset({"done", "failed", "expired"}),
        ),
        "dispatcher": Party(
            ("pending", "processing", "offered", "completed"),
            frozenset({"completed"}),
            frozenset({"offered"}),
        ),
    }
)
"""Host → its places: those of the backend hold every task from its submission on."""


@dataclass(frozen=True, slots=True)
class Clash:
    """What is wrong with a move, and the events that show it."""

    told: str
    witness: tuple[int, ...]


@dataclass(slots=True)
class Ledger:
    """The tasks of one party by place, as its moves have them."""

    party: Party
    counts: dict[str, int] = field(init=False)
    """Place → how many tasks are there."""
    _where: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Task → its places: one, if all is well."""
    _last: dict[str, Event] = field(default_factory=dict)
    _over: dict[str, tuple[str, Event]] = field(default_factory=dict)
    """Task → the final place that it came to first, and how."""

    def __post_init__(self) -> None:
        """Begin with empty places."""
        self.counts = dict.fromkeys(self.party.places, 0)

    def enter(self, move: Event) -> Clash | None:
        """Take in a move; return what is wrong with it, if anything.

        One between tables that are no places of the party is nothing to it, nor is one to where
        the task is.
        """
        details, counts = move.details, self.counts
        source, goal = details.get("from", ""), details.get("to", "")
        source = source if source in counts else ""
        goal = goal if goal in counts else ""
        here = self._where.get(move.op, ())
        if source == goal or (not source and goal in here):
            return None
        there: tuple[str, ...]
        if here == (source,) and goal and move.op not in self._over:  # all is well
            there, clash = (goal,), None
        else:
            left = tuple(place for place in here if place != source)
            there = left if not goal or goal in left else (*left, goal)
            clash = self._clash(move, (source, goal), here, there)
        for place in here:
            counts[place] -= 1
        for place in there:
            counts[place] += 1
        self._where[move.op], self._last[move.op] = there, move
        if goal in self.party.final:
            self._over.setdefault(move.op, (goal, move))
        return clash

    def sums(self) -> str:
        """Return how many are where, such as `2 waiting + 4 inside`."""
        told = " + ".join(f"{count} {place}" for place, count in self.counts.items() if count)
        return told or "none"

    def _place(self, name: object) -> str:
        return name if isinstance(name, str) and name in self.counts else ""

    def _clash(
        self, move: Event, way: tuple[str, str], here: tuple[str, ...], there: tuple[str, ...]
    ) -> Clash | None:
        op, (source, goal) = move.op, way
        witness = (move.seq, *(event.seq for event in (self._last.get(op),) if event))
        if source and source not in here:
            was = f"in {' and '.join(here)}" if here else "nowhere"
            return Clash(f"{op} left {source} and was {was}", witness)
        if len(there) > max(1, len(here)):
            return Clash(f"{op} is in {' and '.join(there)}", witness)
        if goal and op in self._over:
            place, first = self._over[op]
            told = f"{op} came to {goal} after it was {place} {at(first)}"
            return Clash(told, (move.seq, first.seq))
        if not there and source not in self.party.final | self.party.leaving:
            return Clash(f"{op} left {source} for nowhere", witness)
        return None
