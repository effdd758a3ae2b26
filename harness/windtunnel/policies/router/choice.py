"""The choice of an instance for a task (RT-D2). Imports the router's options."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from windtunnel.policies.router.router_options import RouterOptions


@dataclass(frozen=True, slots=True)
class Candidate:
    """A free instance: its id, its bridge's, and how many tasks it has now."""

    id: str
    bridge: str
    tasks: int


class InstanceChoice:
    """Chooses among free instances; what is left to chance is drawn from `stream`."""

    __slots__ = ("_options", "_stream")

    def __init__(self, stream: Random, options: RouterOptions) -> None:
        self._stream = stream
        self._options = options

    def among(self, free: Iterable[Candidate]) -> FreeInstances:
        """Return these instances, to be taken one after the other; each id stands once."""
        by_position = self._options.choice == "position"
        return FreeInstances(free, self._stream, by_position=by_position)


class FreeInstances:
    """The instances that are free, of which each task takes one.

    Taking one costs the same however many there are.
    """

    __slots__ = ("_all", "_by_position", "_levels", "_stream")

    def __init__(self, free: Iterable[Candidate], stream: Random, *, by_position: bool) -> None:
        self._all = {one.id: one for one in free}
        self._stream = stream
        self._by_position = by_position
        self._levels: dict[int, _Level] = {}
        for one in () if by_position else self._all.values():
            level = self._levels.get(one.tasks)
            if level is None:
                level = self._levels[one.tasks] = _Level()
            level.add(one)

    def __len__(self) -> int:
        """Return how many are left."""
        return len(self._all)

    def take(self, preferred: str | None, last_bridge: str | None) -> Candidate:
        """Take the preferred instance if it is free, else one by occupancy (RT-D2).

        By occupancy: one of those with the fewest tasks; of these one of `last_bridge`, the bridge
        of the instance chosen before, if it has any; among equals by chance. Nothing is drawn when
        nothing is left to chance. By position (F-R4) it is simply the first. Raises ValueError
        when none is free.
        """
        if not self._all:
            raise ValueError("no instance is free to be chosen")
        if self._by_position:
            return self._all.pop(next(iter(self._all)))
        chosen = self._all.get(preferred) if preferred is not None else None
        if chosen is None:
            chosen = self._levels[min(self._levels)].pick(last_bridge, self._stream)
        self._remove(chosen)
        return chosen

    def _remove(self, one: Candidate) -> None:
        del self._all[one.id]
        level = self._levels[one.tasks]
        level.remove(one)
        if not len(level.everyone):
            del self._levels[one.tasks]


class _Level:
    """Those with the same number of tasks, together and by bridge."""

    __slots__ = ("everyone", "of_bridge")

    def __init__(self) -> None:
        self.everyone = _Bag()
        self.of_bridge: dict[str, _Bag] = {}

    def add(self, one: Candidate) -> None:
        self.everyone.add(one)
        bag = self.of_bridge.get(one.bridge)
        if bag is None:
            bag = self.of_bridge[one.bridge] = _Bag()
        bag.add(one)

    def remove(self, one: Candidate) -> None:
        self.everyone.remove(one)
        self.of_bridge[one.bridge].remove(one)

    def pick(self, bridge: str | None, stream: Random) -> Candidate:
        same = self.of_bridge.get(bridge) if bridge is not None else None
        return (same if same is not None and len(same) else self.everyone).pick(stream)


class _Bag:
    """Instances of which one is drawn, or taken out, at once."""

    __slots__ = ("_members", "_places")

    def __init__(self) -> None:
        self._members: list[Candidate] = []
        self._places: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._members)

    def add(self, one: Candidate) -> None:
        self._places[one.id] = len(self._members)
        self._members.append(one)

    def remove(self, one: Candidate) -> None:
        place, last = self._places.pop(one.id), self._members.pop()
        if last.id != one.id:
            self._members[place] = last
            self._places[last.id] = place

    def pick(self, stream: Random) -> Candidate:
        members = self._members
        return members[0] if len(members) == 1 else stream.choice(members)
