"""Reading of variations: `world`, `let`, `matrix`, `cases` and `per_world`, with their faults.

Imports the format's models, `variations`, `references`, `validation` and the systems' contract.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final

from windtunnel.scenario.reading.models import MAX_CELLS, Cases, Variation
from windtunnel.scenario.reading.references import (
    ReferenceFault,
    references,
    substitute,
    undefined,
)
from windtunnel.scenario.reading.sources import Sources
from windtunnel.scenario.reading.table_reading import TableReader
from windtunnel.scenario.reading.variations import (
    FIELD_AXES,
    Variations,
    frozen,
    repeats_of,
    same,
)
from windtunnel.scenario.source.messages import Mistake, show
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.validation import fault_at
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import Scalar, written
from windtunnel.systems.base import System

_NO_CASES: Final = Cases(rows=[])


def read_variations(
    root: Node, model: Variation, problems: Problems, sources: Sources | None = None
) -> Variations | None:
    """Return the variations of a file, or None where they are wrong; adds what is wrong.

    `sources` reads the table of `rows_from`.
    """
    faults: list[Fault] = []
    let = _children(root.child("let"))
    cases = model.cases or _NO_CASES
    table = root.child("cases")
    known = frozenset((*let, *model.matrix.axes, *cases.inputs))
    faults += _let_faults(let, known)
    faults += _name_faults(root, model)
    faults += _axis_faults(root, model, let)
    faults += () if faults else _exclude_faults(root, model)
    faults += _world_faults(root, model, let, known)
    reader = TableReader(cases, known, model.world, sources or Sources())
    rows = reader.read(table, faults) if table and model.cases else None
    problems.add(*faults)
    if faults:
        return None
    axes = _axis_values(root, model, let, faults)
    problems.add(*faults)
    found = Variations(
        worlds=tuple(model.world),
        let=let,
        axes=axes,
        exclude=tuple(_frozen(selection) for selection in model.matrix.exclude),
        inputs=tuple(cases.inputs),
        outputs=tuple(cases.outputs),
        rows=rows,
        world_let=_world_let(root, let),
        repeats={world: repeats_of(said) for world, said in model.per_world.items()},
        tolerances={world: said.tolerance for world, said in model.per_world.items()},
    )
    return None if faults or not _fits(found, root, problems) else found


def _children(node: Node | None) -> dict[str, Node]:
    return dict(node.children) if node is not None and isinstance(node.children, dict) else {}


def _frozen(selection: Mapping[str, Sequence[Scalar]]) -> dict[str, tuple[Scalar, ...]]:
    return {axis: tuple(values) for axis, values in selection.items()}


def _fits(found: Variations, root: Node, problems: Problems) -> bool:
    place = root.child("matrix") or root.child("cases") or root
    if (count := found.count()) > MAX_CELLS:
        problems.at(place, f"{count:,} cells; a file makes {MAX_CELLS:,} at most: split it")
        return False
    if next(found.points(), None) is None:
        problems.at(place, "`exclude` leaves no cell")
        return False
    return True


def _let_faults(let: Mapping[str, Node], known: frozenset[str]) -> Iterator[Fault]:
    usable = set(known - let.keys())
    later_on = dict.fromkeys(let, "is defined only here or further down in `let`")
    for name, node in let.items():
        yield from undefined(node, usable, elsewhere=later_on)
        usable.add(name)
        del later_on[name]


def _name_faults(root: Node, model: Variation) -> Iterator[Fault]:
    """Inputs may override `let`; otherwise a name means one thing."""
    cases = model.cases or _NO_CASES
    axes, let = set(model.matrix.axes), set(model.let)
    seen: set[str] = set(FIELD_AXES)
    columns = (("inputs", cases.inputs, axes), ("outputs", cases.outputs, axes | let))
    for kind, names, taken in columns:
        for index, name in enumerate(names):
            if name in taken | seen:
                message = f"`{name}` is already a field, a variable, an axis or a column"
                yield fault_at(root, Mistake(("cases", kind, index), at_key=False, message=message))
            seen.add(name)


def _axis_faults(root: Node, model: Variation, let: Mapping[str, Node]) -> Iterator[Fault]:
    matrix = root.child("matrix")
    if matrix is None:
        return
    for axis in model.matrix.axes:
        node = matrix.child(axis)
        if node is None:
            continue
        yield from undefined(node, let)
        if axis in FIELD_AXES and not isinstance((root.child(axis) or node).value, dict | list):
            message = f"`{axis}` is a field of this file and an axis; keep one"
            yield matrix.key_fault(axis, message)


def _exclude_faults(root: Node, model: Variation) -> Iterator[Fault]:
    for index, selection in enumerate(model.matrix.exclude):
        where = ("matrix", "exclude", index)
        yield from selection_faults(root, where, selection, model.matrix.axes)


def selection_faults(
    root: Node,
    where: tuple[str | int, ...],
    selection: Mapping[str, Sequence[Scalar]],
    axes: Mapping[str, Sequence[Scalar]],
) -> Iterator[Fault]:
    """Iterate over the axes and values of an `exclude` or a `when` that no cell has.

    An axis without values takes any.
    """
    for axis, values in selection.items():
        if axis not in axes:
            message = f"`{axis}` is not an axis of this file{did_you_mean(axis, axes)}"
            yield fault_at(root, Mistake((*where, axis), at_key=True, message=message))
            continue
        for index, value in enumerate(values):
            if axes[axis] and not any(same(value, known) for known in axes[axis]):
                hint = did_you_mean(str(value), map(str, axes[axis]))
                message = f"the axis `{axis}` has no value {show(value)}{hint}"
                yield fault_at(root, Mistake((*where, axis, index), at_key=False, message=message))


def _axis_values(
    root: Node, model: Variation, let: Mapping[str, Node], faults: list[Fault]
) -> dict[str, tuple[Scalar, ...]]:
    values: dict[str, Any] = {}
    found: dict[str, tuple[Scalar, ...]] = {}
    matrix = root.child("matrix")
    if matrix is None:
        return found
    nodes = {axis: node for axis in model.matrix.axes if (node := matrix.child(axis))}
    try:
        if any(node.refers for node in nodes.values()):
            for name, node in let.items():
                values[name] = substitute(node, values)
        for axis, node in nodes.items():
            found[axis] = tuple(substitute(node, values))
            faults += _value_faults(axis, node, found[axis])
    except ReferenceFault as fault:
        faults.append(fault.fault)
    return found


def _value_faults(axis: str, node: Node, values: Sequence[Any]) -> Iterator[Fault]:
    seen: set[Hashable] = set()
    named: dict[str, Any] = {}
    for value, place in zip(values, node.nodes(), strict=True):
        if isinstance(value, dict | list):
            yield place.fault(f"an axis takes plain values, not {show(value)}")
        elif frozen(value) in seen:
            yield place.fault(f"{show(value)} is twice on the axis `{axis}`")
        elif (name := written(value)) in named:
            said = f"{show(value)} is written like {show(named[name])} on the axis `{axis}`"
            yield place.fault(f"{said}: no name would tell their cells apart")
        else:
            named[name] = value
        seen.add(frozen(value))


def _world_let(root: Node, let: Mapping[str, Node]) -> dict[str, dict[str, Node]]:
    """Return the variables of each world that has its own, in the order of the file's `let`."""
    worlds = _children(root.child("per_world"))
    return {world: {**let, **_children(node.child("let"))} for world, node in worlds.items()}


def _world_faults(
    root: Node, model: Variation, let: Mapping[str, Node], known: frozenset[str]
) -> Iterator[Fault]:
    node = root.child("per_world")
    if node is None:
        return
    for world, said in model.per_world.items():
        if world not in model.world:
            yield node.key_fault(world, f"this file does not run in `{world}` (`world` says where)")
        own = _children(node.child(world)).get("let")
        strange = [] if own is None else [name for name in said.let if name not in let]
        for name in strange:
            hint = did_you_mean(name, let) or "; it has none"
            yield (own or node).key_fault(name, f"`let` of this file has no `{name}`{hint}")
        if own is not None and not strange:
            yield from _let_faults({**let, **_children(own)}, known)
            yield from _axes_of_one_world(root, model, let, own)


def _axes_of_one_world(
    root: Node, model: Variation, let: Mapping[str, Node], own: Node
) -> Iterator[Fault]:
    """An axis has the same values in every world, so none may hang on what one world overrides."""
    hangs = set(own.keys)
    for name, node in let.items():
        if any(reference.name in hangs for reference in references(node)):
            hangs.add(name)
    matrix = root.child("matrix")
    for axis in model.matrix.axes:
        for reference in references(matrix.child(axis) or own) if matrix else ():
            if reference.name in hangs:
                message = f"an axis is the same in every world, but `${reference.name}` is not"
                yield reference.node.fault(message)


def selectable(found: Variations, system: System | None) -> dict[str, Sequence[Scalar]]:
    """Return what `when` may name: axis → its values, with none where any is possible."""
    cases = {} if found.rows is None else {"case": tuple(row.id for row in found.rows)}
    policies = () if system is None else tuple(system.policies)
    any_value = dict.fromkeys(FIELD_AXES, ())
    return {**any_value, "world": found.worlds, **cases, **found.axes, "policy": policies}
