"""Pairing: events that begin something, brought together with those that end it.

Imports `windtunnel.trace`.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from windtunnel.trace import Event

ENDS, CHANGES, PASSES, BEGINS = range(4)
"""The edges at one instant, in their order: what ends makes room first, then a new bound holds,
then what begins and ends at once passes, then what begins takes its place."""
NOBODY: Final = -1
"""The number that an edge of no period bears."""


class Pair(NamedTuple):
    """A begin and its end, None where it never came."""

    start: Event
    end: Event | None


def pairs(events: Iterable[Event], begins: str, key: Callable[[Event], object]) -> Iterator[Pair]:
    """Yield each begin with its end, both the first of their key; then those without an end.

    `begins` is the kind that begins; every other one ends. An end of what never began is left out.
    """
    begun: defaultdict[object, deque[Event]] = defaultdict(deque)
    for event in events:
        same = begun[key(event)]
        if event.kind == begins:
            same.append(event)
        elif same:
            yield Pair(same.popleft(), event)
    for start in sorted(event for same in begun.values() for event in same):
        yield Pair(start, None)


def edges(periods: Sequence[Pair], change_at: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield (number of the period, edge) in the order of time.

    A period is half open: another may begin at the very instant at which it ends. `change_at` adds
    an edge CHANGES of NOBODY at that instant.
    """
    found: list[tuple[float, int, int]] = []
    if change_at is not None:
        found.append((change_at, CHANGES, NOBODY))
    for number, (start, end) in enumerate(periods):
        until = math.inf if end is None else end.time
        if start.time == until:
            found.append((until, PASSES, number))
        else:
            found += (start.time, BEGINS, number), (until, ENDS, number)
    found.sort()  # nearly sorted as it is: the trace is in the order of time
    return ((number, edge) for _, edge, number in found)
