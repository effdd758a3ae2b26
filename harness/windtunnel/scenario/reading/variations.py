"""Variations: the points of a scenario (matrix × cases × worlds) and each one's variables.

Imports the format's models, `references` and `yaml_nodes`.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from windtunnel.scenario.cells import Repeats, axes_label
from windtunnel.scenario.reading.models import OfWorld
from windtunnel.scenario.reading.references import ReferenceFault, substitute
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import Scalar

FIELD_AXES: Final = ("policy", "scheduler", "seed")
"""Axes that set the field of their name."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A row of the table: its values in the order of the columns."""

    id: str
    node: Node
    """The row as a whole."""
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]
    worlds: tuple[str, ...] | None = None
    """Where it runs; None: in every world of the file."""


@dataclass(frozen=True, slots=True)
class Variations:
    """What makes several cells of one file."""

    worlds: tuple[str, ...]
    let: Mapping[str, Node]
    axes: Mapping[str, tuple[Scalar, ...]]
    exclude: tuple[Mapping[str, tuple[Scalar, ...]], ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rows: tuple[CaseRow, ...] | None
    world_let: Mapping[str, Mapping[str, Node]] = field(default_factory=dict)
    """World → all its variables, for the worlds that override some."""
    repeats: Mapping[str, Repeats] = field(default_factory=dict)
    """World → how often a cell is played there, where the file says so."""
    tolerances: Mapping[str, int] = field(default_factory=dict)
    """World → by how much times may be missed there, ns, where the file says so."""

    @property
    def names(self) -> frozenset[str]:
        """Every variable but the cases' outputs."""
        return frozenset((*self.let, *self.axes, *self.inputs))

    def count(self) -> int:
        """Return the number of cells before `exclude`."""
        product = len(self.worlds) * (1 if self.rows is None else len(self.rows))
        for values in self.axes.values():
            product *= len(values)
        return product

    def fixed(self, overrides: Mapping[str, Scalar]) -> Variations:
        """Return the same with the axes that are overridden reduced to the one value."""
        axes = {
            axis: (overrides[axis],) if overrides.get(axis) is not None else values
            for axis, values in self.axes.items()
        }
        return replace(self, axes=axes)

    def points(self) -> Iterator[Point]:
        """Iterate over the points: the matrix in the file's order, then rows, then worlds."""
        rows: tuple[CaseRow | None, ...] = (None,) if self.rows is None else self.rows
        for values in itertools.product(*self.axes.values()):
            axes = dict(zip(self.axes, values, strict=True))
            if any(selects(excluded, axes) for excluded in self.exclude):
                continue
            for row, world in itertools.product(rows, self.worlds):
                if row is None or row.worlds is None or world in row.worlds:
                    yield Point(axes, row, world, several_worlds=len(self.worlds) > 1)

    def variables(self, point: Point) -> Environment:
        """Return what the references of a cell stand for."""
        base: dict[str, Any] = dict(point.axes)
        faults: list[Fault] = []
        let = self.world_let.get(point.world, self.let)
        before = _with_let(let, base, faults)
        if point.row is None:
            return Environment(before, {}, tuple(faults))
        inputs = _columns(self.inputs, point.row.inputs, before, faults)
        values = _with_let(let, base | inputs, faults) if let else base | inputs
        outputs = _columns(self.outputs, point.row.outputs, values, faults)
        return Environment(values, outputs, tuple(faults))


@dataclass(frozen=True, slots=True)
class Environment:
    """Variable → value in one cell, outputs apart, and what could not be put together."""

    values: Mapping[str, Any]
    outputs: Mapping[str, Any]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the product."""

    axes: Mapping[str, Scalar]
    row: CaseRow | None
    world: str
    several_worlds: bool

    @property
    def shown_axes(self) -> dict[str, Scalar]:
        """What tells this cell from its sisters: the axes, `case`, and `world` if several."""
        case = {} if self.row is None else {"case": self.row.id}
        return {**self.axes, **case, **({"world": self.world} if self.several_worlds else {})}

    @property
    def label(self) -> str:
        """`[axis=value,…]`, as in the cell's name."""
        return axes_label(self.shown_axes)


def selects(selection: Mapping[str, tuple[Scalar, ...]], values: Mapping[str, Scalar]) -> bool:
    """Tell whether every axis of a selection has one of the values meant; true is not 1 here."""
    return all(
        any(same(values.get(axis), wanted) for wanted in allowed)
        for axis, allowed in selection.items()
    )


def same(one: Scalar, other: Scalar) -> bool:
    """Tell whether two plain values are equal and neither or both are true or false."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def frozen(value: Any) -> Hashable:  # noqa: ANN401 - plain data
    """Return a hashable stand-in for plain data; true, 1 and 1.0 are three."""
    return (type(value), repr(value)) if isinstance(value, dict | list) else (type(value), value)


def repeats_of(said: OfWorld) -> Repeats:
    """Return how often a cell is played; without a number that has to pass, all have to."""
    return Repeats(said.repeat, said.repeat if said.pass_at_least is None else said.pass_at_least)


def _with_let(
    let: Mapping[str, Node], given: Mapping[str, Any], faults: list[Fault]
) -> dict[str, Any]:
    values = dict(given)
    for name, node in let.items():
        if name not in given:
            values[name] = _value(node, values, faults)
    return values


def _columns(
    names: tuple[str, ...], nodes: tuple[Node, ...], values: Mapping[str, Any], faults: list[Fault]
) -> dict[str, Any]:
    return {name: _value(node, values, faults) for name, node in zip(names, nodes, strict=True)}


def _value(node: Node, values: Mapping[str, Any], faults: list[Fault]) -> Any:  # noqa: ANN401 - plain data
    try:
        return substitute(node, values)
    except ReferenceFault as fault:
        faults.append(fault.fault)
        return None
