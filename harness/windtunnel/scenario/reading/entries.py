"""Models of the entries of format 1's lists: what happens, what goes wrong, in which order.

Values arrive with their references replaced. Imports the format's models, `windtunnel.fields` and
pydantic.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from windtunnel.event_names import EventName
from windtunnel.fields import Duration, EventRef, OpRef
from windtunnel.scenario.cells import Stat
from windtunnel.scenario.reading.models import (
    MAX_REPEAT,
    FormatModel,
    Id,
    PlainValue,
    Selection,
    Text,
    Worlds,
    listed,
    one_or_more,
)
from windtunnel.units import UNITS

ARRIVALS: Final = frozenset({"poisson", "burst", "from_csv"})
"""Fields of an entry that say when each of several operations arrives."""

_RATE_PATTERN: Final = rf"^\s*[0-9]+(\.[0-9]+)?\s?/\s?({'|'.join(UNITS)})\s*$"
_RATE = re.compile(r"\s*(?P<number>[0-9]{1,15}(?:\.[0-9]{1,15})?)\s?/\s?(?P<unit>[a-z]{1,3})\s*")


def _mean_gap(value: Any) -> float:  # noqa: ANN401 - whatever stands in the file
    match = _RATE.fullmatch(value) if isinstance(value, str) else None
    if match is None or match["unit"] not in UNITS:
        raise ValueError("a rate is a number for each unit of time, such as 2/s, 0.5/s or 90/min")
    if not (number := float(match["number"])):
        raise ValueError("at a rate of 0 nothing arrives; leave the entry out")
    return UNITS[match["unit"]] / number


Rate = Annotated[
    float,
    BeforeValidator(_mean_gap),
    WithJsonSchema({"type": "string", "pattern": _RATE_PATTERN, "examples": ["2/s"]}),
]
"""A rate as a file writes it (`2/s`, `90/min`); typed as the mean gap, in nanoseconds."""
Times = Annotated[int, Field(ge=1, le=MAX_REPEAT)]


class Poisson(FormatModel):
    """Arrivals that know nothing of each other, at a mean rate; drawn from the cell's seed."""

    rate: Rate
    count: Times | None = None
    until: Annotated[Duration, Field(gt=0)] | None = None
    """How long they go on, from the entry's instant."""

    @model_validator(mode="after")
    def _ends(self) -> Poisson:
        if (self.count is None) == (self.until is None):
            raise ValueError("`poisson` says either `count` or `until`")
        return self


class Burst(FormatModel):
    """Several at the same instant, again and again."""

    size: Times
    """Operations in one burst."""
    every: Annotated[Duration, Field(gt=0)] | None = None
    """Between two bursts."""
    count: Times = 1
    """Bursts."""

    @model_validator(mode="after")
    def _agrees(self) -> Burst:
        if self.count > 1 and self.every is None:
            raise ValueError("`every` is required for more than one burst")
        if self.size * self.count > MAX_REPEAT:
            raise ValueError(f"{self.size * self.count:,} operations; {MAX_REPEAT:,} is the most")
        return self


class FromCsv(FormatModel):
    """Arrivals of a table: column `at`, and a `$name` in `args` for each other column."""

    file: Text
    """Below the scenario root, relative to this file."""


class TimelineEntry(FormatModel):
    """When an entry is played, how often, and what it submits or calls."""

    at: Duration | None = None
    after: EventRef | None = None
    plus: Duration | None = None
    submit: Text | None = None
    call: Text | None = None
    id: Id | None = None
    repeat: Times | None = None
    every: Duration | None = None
    poisson: Poisson | None = None
    burst: Burst | None = None
    from_csv: FromCsv | None = None
    args: Any = None

    @model_validator(mode="after")
    def _agrees(self) -> TimelineEntry:
        if (self.submit is None) == (self.call is None):
            raise ValueError("an entry says either `submit` or `call`")
        _one_moment("an entry", self.at, self.after, self.plus)
        arrivals = [key for key in sorted(ARRIVALS) if getattr(self, key) is not None]
        if len(arrivals) > 1:
            raise ValueError(f"`{arrivals[0]}` and `{arrivals[1]}` exclude each other")
        if arrivals and (self.repeat is not None or self.every is not None):
            said = "repeat" if self.repeat is not None else "every"
            raise ValueError(f"`{arrivals[0]}` says how often and when: leave out `{said}`")
        if self.every is not None and self.repeat is None:
            raise ValueError("`every` goes with `repeat`")
        return self


class FaultMoment(FormatModel):
    """When a fault begins and how long it lasts; its further fields are the system's."""

    do: Text
    at: Duration | None = None
    after: EventRef | None = None
    plus: Duration | None = None
    for_: Annotated[Duration, Field(gt=0)] | None = Field(alias="for", default=None)
    """It is undone then; without it, at the end of the run."""
    id: Id | None = None

    @model_validator(mode="after")
    def _agrees(self) -> FaultMoment:
        _one_moment("a fault", self.at, self.after, self.plus)
        return self


def _one_moment(what: str, at: int | None, after: EventName | None, plus: int | None) -> None:
    if (at is None) == (after is None):
        raise ValueError(f"{what} says either `at` or `after`")
    if plus is not None and after is None:
        raise ValueError("`plus` goes with `after`")


class OrderPair(FormatModel):
    """One pair of `order`: `then` is held back until `first` has happened."""

    first: EventRef
    then: EventRef


class ThresholdEntry(FormatModel):
    """A statistic over the samples of a metric, within bounds."""

    metric: Text
    of: Annotated[list[OpRef], BeforeValidator(listed), one_or_more({"type": "string"})] = Field(
        default_factory=list
    )
    """Classes, ids or operations; without it, all."""
    where: dict[str, PlainValue] = Field(default_factory=dict)
    """Field of the samples → the value that is meant."""
    stat: Stat
    min: Any = None
    max: Any = None
    min_samples: Annotated[int, Field(ge=1)] = 1


class ThresholdOptions(FormatModel):
    """What else may stand in an entry of `thresholds`; references are not replaced here."""

    because: str = ""
    world: Worlds | None = None
    when: Selection = Field(default_factory=dict)


def finite(value: Any) -> bool:  # noqa: ANN401 - whatever stands in the file
    """Tell whether a value is a number that bounds something."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
