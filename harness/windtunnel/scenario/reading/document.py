"""A document: one scenario file, read and sorted into the parts that cells are made of.

Imports `yaml_nodes`, `references`, `variations` and the systems' contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.scenario.reading.references import references
from windtunnel.scenario.reading.variations import Variations
from windtunnel.scenario.source.yaml_nodes import Node
from windtunnel.scenario.source.yaml_scalars import Scalar
from windtunnel.systems.base import System


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the file that is checked as a whole, with the variables it hangs on."""

    node: Node
    names: tuple[str, ...]
    """The names it refers to."""
    sound: bool = True
    """Whether every reference in it is known; what is not sound is not looked into further."""


def part_of(node: Node, *, sound: bool = True) -> Part:
    """Return the part that a node is."""
    return Part(node, tuple(sorted({reference.name for reference in references(node)})), sound)


@dataclass(frozen=True, slots=True)
class ExpectPart:
    """One entry of `expect`: which check, when it applies, and its parts still to be typed."""

    check: str
    line: int
    place: Node
    args: Part
    fails: Part | None
    because: str
    severity: Any
    worlds: tuple[str, ...] | None
    when: Mapping[str, tuple[Scalar, ...]]


@dataclass(frozen=True, slots=True)
class Document:
    """A scenario file without its name: what expansion needs."""

    root: Node
    system: System
    variations: Variations
    run: Part
    policy: Part
    given: Part
    timeline: tuple[Part, ...]
    expect: tuple[ExpectPart, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario file that was read without an error."""

    name: str
    summary: str
    file: str
    """The path as it is shown."""
    line: int
    system: str
    worlds: tuple[str, ...]
    tags: tuple[str, ...]
    covers: tuple[str, ...]
    document: Document
