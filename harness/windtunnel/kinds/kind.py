"""A kind of trace event: who records it, and what its details mean. Imports nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Origin = Literal["boundary", "port", "world", "system", "scheduler", "run"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the table of kinds."""

    summary: str
    origin: Origin
    fields: tuple[str, ...] = ()
    """Fields of `Event` that are always set."""
    details: Mapping[str, str] = field(default_factory=dict)
    """Name of each detail → what it means; a detail ending in `?` may be absent."""


Kinds = Mapping[str, Kind]
"""Name → kind."""
