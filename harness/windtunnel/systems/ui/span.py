"""A span: a time that is constant or drawn between two bounds.

Imports `windtunnel.fields` and the base of a vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Discriminator, Tag, model_validator

from windtunnel.fields import Duration
from windtunnel.systems.base import Vocabulary
from windtunnel.units import format_duration


class Span(Vocabulary):
    """Drawn evenly between two bounds, both included, from a stream of its own."""

    min: Duration
    max: Duration

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.min > self.max:
            least, most = format_duration(self.min), format_duration(self.max)
            raise ValueError(f"`min` is over `max`: {least} > {most}")
        return self


def _form(value: Any) -> str:  # noqa: ANN401 - whatever stands in the file
    """Tell which of the two was meant, so that a mistake is told of that one alone."""
    return "span" if isinstance(value, Mapping | Span) else "constant"


Drawn = Annotated[
    Annotated[Duration, Tag("constant")] | Annotated[Span, Tag("span")], Discriminator(_form)
]
"""Nanoseconds, or between which bounds they are drawn."""
