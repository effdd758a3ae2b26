"""A scenario: one file, read and sorted into the parts that cells are made of.

Imports `yaml_nodes`, `problems`, `references`, `variations` and the systems' contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.scenario.reading.arrival_reading import ArrivalTable
from windtunnel.scenario.reading.models import Severity, Status
from windtunnel.scenario.reading.references import INDEX, references, undefined
from windtunnel.scenario.reading.variations import Variations
from windtunnel.scenario.source.problems import Problems
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
    arrivals: ArrivalTable | None = None
    """Of an entry of the timeline: the table that its operations come from."""

    @property
    def late(self) -> tuple[str, ...]:
        """The names whose values each operation has of its own."""
        return (INDEX, *(self.arrivals.columns if self.arrivals else ()))


def part_of(node: Node, *, sound: bool = True) -> Part:
    """Return the part that a node is."""
    return Part(node, tuple(sorted({reference.name for reference in references(node)})), sound)


@dataclass(frozen=True, slots=True)
class PartReader:
    """Makes parts of nodes, and adds every reference in them that is not known."""

    problems: Problems
    names: frozenset[str] | None = None
    """The variables; None where they could not be read, and no reference is looked at."""
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Names that are not known here → why."""

    def read(self, node: Node, *also: str) -> Part:
        """Return the part that a node is, `also` being known in it."""
        if self.names is None:
            return part_of(node)
        faults = tuple(undefined(node, self.names.union(also), elsewhere=self.elsewhere))
        self.problems.add(*faults)
        return part_of(node, sound=not faults)


@dataclass(frozen=True, slots=True)
class ExpectPart:
    """One entry of `expect`: which check, when it applies, and its parts still to be typed."""

    check: str
    line: int
    args: Part
    fails: Part | None
    because: str
    severity: Severity
    worlds: tuple[str, ...] | None
    when: Mapping[str, tuple[Scalar, ...]]


@dataclass(frozen=True, slots=True)
class ThresholdPart:
    """One entry of `thresholds`: what it measures, still to be typed, and when it applies."""

    args: Part
    line: int
    because: str
    worlds: tuple[str, ...] | None
    when: Mapping[str, tuple[Scalar, ...]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario file whose parts could be told apart; expansion makes its cells."""

    name: str
    summary: str
    file: str
    """The path as it is shown."""
    tags: tuple[str, ...]
    covers: tuple[str, ...]
    root: Node
    system: System
    variations: Variations
    run: Part
    policy: Part
    given: Part
    timeline: tuple[Part, ...]
    expect: tuple[ExpectPart, ...]
    faults: tuple[Part, ...] = ()
    order: tuple[Part, ...] = ()
    """Each pair as a mapping of `first` and `then`."""
    thresholds: tuple[ThresholdPart, ...] = ()
    status: Status = "active"
    requires: tuple[str, ...] = ()
    row_faults: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    """Id of a row of the cases → its own faults, beside those of the file."""
    sources: tuple[Path, ...] = ()
    """The files that were read beside the scenario's own."""
