"""Arrivals: when each operation of an entry is played, drawn from the cell's seed or read.

Imports the models of entries, the tables of arrivals and the random streams.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from pydantic import ValidationError

from windtunnel.scenario.expanding.timeline_names import UNKNOWN_REPEAT, entry_name
from windtunnel.scenario.reading.arrival_reading import ArrivalTable
from windtunnel.scenario.reading.entries import Burst, Poisson
from windtunnel.scenario.reading.models import MAX_REPEAT
from windtunnel.scenario.source.validation import Typed
from windtunnel.streams import stream
from windtunnel.units import MAX_NS


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The offsets of an entry's operations from its first instant, or why there are none."""

    key: str
    """The field that says so."""
    offsets: tuple[int, ...] | None
    """Nanoseconds, never falling; None where they cannot be known."""
    wrong: str = ""

    @property
    def count(self) -> int:
        """How many there are, for names that others give."""
        return UNKNOWN_REPEAT if self.offsets is None else len(self.offsets)


UNKNOWN_ARRIVALS: Final = Arrivals("", None)
"""Of an entry that is wrong itself."""


def draw_arrivals(
    data: Mapping[str, Any], *, seed: int | None, table: ArrivalTable | None
) -> Typed[Arrivals]:
    """Return the arrivals of an entry's data, the references replaced.

    Those of `poisson` are drawn from the stream `arrivals.ID` under the seed. What is malformed
    is told by the model of an entry: here it only makes the arrivals unknown.
    """
    name = entry_name(data)
    try:
        if table is not None:
            return Typed(Arrivals("from_csv", table.offsets))
        if "burst" in data:
            return Typed(_checked("burst", _bursts(Burst.model_validate(data["burst"]))))
        if "poisson" in data and name is not None and seed is not None:
            model = Poisson.model_validate(data["poisson"])
            return Typed(_checked("poisson", _poisson(model, stream(seed, f"arrivals.{name.id}"))))
    except ValidationError:
        pass
    return Typed(UNKNOWN_ARRIVALS)


def _bursts(burst: Burst) -> Iterator[int]:
    for number in range(burst.count):
        for _ in range(burst.size):
            yield number * (burst.every or 0)


def _poisson(poisson: Poisson, random: Random) -> Iterator[int]:
    """Iterate over the arrivals; the first comes after a gap, as every other does."""
    at, left = 0.0, poisson.count
    while left is None or left > 0:
        at += random.expovariate(1 / poisson.rate)
        if poisson.until is not None and at >= poisson.until:
            return
        yield round(at)
        left = None if left is None else left - 1


def _checked(key: str, drawn: Iterator[int]) -> Arrivals:
    found: list[int] = []
    for offset in drawn:
        if len(found) == MAX_REPEAT:
            return Arrivals(key, None, f"over {MAX_REPEAT:,} arrivals in one entry")
        if offset > MAX_NS:
            return Arrivals(key, None, "an arrival comes later than after 97 days")
        found.append(offset)
    if not found:
        said = "nothing arrives in that time with this seed: make it longer, or the rate higher"
        return Arrivals(key, None, said)
    return Arrivals(key, tuple(found))
