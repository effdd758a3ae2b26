"""Ambushes: the faults that lie in wait for commands, and what a command meets.

Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(slots=True, eq=False)
class Ambush:
    """A fault that waits for commands of these names."""

    targets: frozenset[str]
    """Names of flows' commands, of ports' or of programs."""
    felt: Callable[[str], None]
    """Called with the operation that met it, each time."""
    hangs: bool = False
    """The command does not end by itself."""
    slower: int = 0
    """How much longer it takes, ns."""
    code: str = ""
    """The code of the error that it ends with."""
    left: int | None = None
    """How many commands more; None: no end."""


@dataclass(frozen=True, slots=True)
class Met:
    """What one command met, all faults together."""

    hangs: bool = False
    slower: int = 0
    code: str = ""


NOTHING_MET: Final = Met()


class Ambushes:
    """The faults in wait, in the order of their coming."""

    __slots__ = ("_waiting", "targets")

    def __init__(self) -> None:
        self._waiting: list[Ambush] = []
        self.targets: frozenset[str] = frozenset()
        """What any of them waits for: empty when there is none, which costs a command nothing."""

    def lay(self, ambush: Ambush) -> None:
        """Let a fault wait."""
        self._waiting.append(ambush)
        self._count()

    def lift(self, ambush: Ambush) -> None:
        """Take a fault away; nothing happens if it is not there."""
        if ambush in self:
            self._waiting.remove(ambush)
            self._count()

    def __contains__(self, ambush: object) -> bool:
        """Tell whether that very fault still waits."""
        return ambush in self._waiting

    def meet(self, names: Iterable[str], op: str) -> Met:
        """Return what a command of these names meets; each fault that is met has one less left."""
        if self.targets.isdisjoint(names):
            return NOTHING_MET
        met = [each for each in self._waiting if not each.targets.isdisjoint(names)]
        for ambush in met:
            ambush.felt(op)
            if ambush.left is not None:
                ambush.left -= 1
                if not ambush.left:
                    self.lift(ambush)
        return Met(
            hangs=any(each.hangs for each in met),
            slower=sum(each.slower for each in met),
            code=next((each.code for each in met if each.code), ""),
        )

    def _count(self) -> None:
        self.targets = frozenset().union(*(each.targets for each in self._waiting))
