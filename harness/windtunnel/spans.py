"""A span: a time that is constant or drawn between two bounds.

A scenario's `given` and a profile of latencies say it in the same form. Imports
`windtunnel.fields`, the bound of the port and pydantic.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Tag, model_validator

from windtunnel.fields import Duration
from windtunnel.ports import COMMAND_BOUND_S
from windtunnel.units import format_duration, from_seconds


class Span(BaseModel):
    """Drawn evenly between two bounds, both included, in nanoseconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    min: Duration
    max: Duration

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.min > self.max:
            least, most = format_duration(self.min), format_duration(self.max)
            raise ValueError(f"`min` is over `max`: {least} > {most}")
        return self

    def draw(self, stream: Random) -> int:
        """Return nanoseconds between the bounds, by one draw."""
        return self.min + int(stream.random() * (self.max - self.min + 1))


def _within_a_command(duration: int) -> int:
    if duration > from_seconds(COMMAND_BOUND_S):
        raise ValueError(f"a command is given up after {COMMAND_BOUND_S:g} s")
    return duration


CommandTime = Annotated[Duration, AfterValidator(_within_a_command)]
"""Nanoseconds that one command may take: no longer than its bound."""


def _form(value: Any) -> str:  # noqa: ANN401 - whatever stands in the file
    """Tell which of the two was meant, so that a mistake is told of that one alone."""
    return "span" if isinstance(value, Mapping | Span) else "constant"


Drawn = Annotated[
    Annotated[Duration, Tag("constant")] | Annotated[Span, Tag("span")], Discriminator(_form)
]
"""Nanoseconds, or between which bounds they are drawn."""


def as_span(time: Any) -> Span:  # noqa: ANN401 - plain data
    """Return the span of a `given` time: nanoseconds, or `{"min", "max"}` of them."""
    least, most = (time["min"], time["max"]) if isinstance(time, Mapping) else (time, time)
    return Span.model_construct(min=least, max=most)
