"""The choice of an instance for a task (RT-D2). Imports the router's options."""

from __future__ import annotations

from collections.abc import Sequence
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

    def choose(
        self, free: Sequence[Candidate], preferred: str | None, last_bridge: str | None
    ) -> Candidate:
        """Return the preferred instance if it is free, else one by occupancy (RT-D2).

        By occupancy: one of those with the fewest tasks; of these one of `last_bridge`, the bridge
        of the instance chosen before, if it has any; among equals by chance. Nothing is drawn when
        nothing is left to chance. By position (F-R4) it is simply the first. Raises ValueError
        when none is free.
        """
        if not free:
            raise ValueError("no instance is free to be chosen")
        if self._options.choice == "position":
            return free[0]
        for candidate in free:
            if candidate.id == preferred:
                return candidate
        equals = _least_occupied(free)
        equals = [one for one in equals if one.bridge == last_bridge] or equals
        return equals[0] if len(equals) == 1 else self._stream.choice(equals)


def _least_occupied(free: Sequence[Candidate]) -> list[Candidate]:
    fewest = min(candidate.tasks for candidate in free)
    return [candidate for candidate in free if candidate.tasks == fewest]
