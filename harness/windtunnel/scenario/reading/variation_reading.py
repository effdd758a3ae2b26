"""Reading of variations: `world`, `let`, `matrix` and `cases` of a file, with their faults.

Imports the format's models, `variations`, `references`, `validation` and the systems' contract.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final

from windtunnel.scenario.reading.models import LATER, MAX_CELLS, Cases, Row, Variation, not_yet
from windtunnel.scenario.reading.references import ReferenceFault, substitute, undefined
from windtunnel.scenario.reading.variations import FIELD_AXES, CaseRow, Variations, frozen, same
from windtunnel.scenario.source.messages import show
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.validation import locate, validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import Scalar
from windtunnel.systems.base import System

_NO_CASES: Final = Cases(rows=[])


def read_variations(root: Node, model: Variation, problems: Problems) -> Variations | None:
    """Return the variations of a file, or None where they are wrong; adds what is wrong."""
    faults: list[Fault] = []
    let = _children(root.child("let"))
    cases = model.cases or _NO_CASES
    table = root.child("cases")
    known = frozenset((*let, *model.matrix.axes, *cases.inputs))
    faults += _let_faults(let, known)
    faults += _name_faults(root, model)
    faults += _axis_faults(root, model, let)
    faults += () if faults else _exclude_faults(root, model)
    rows = _read_table(table, cases, known, faults) if table and model.cases else None
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
                place = locate(root, ("cases", kind, index))[:2]
                yield Fault(*place, f"`{name}` is already a field, a variable, an axis or a column")
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
        line, column, node = locate(root, (*where, axis), at_key=True)
        if axis not in axes:
            yield Fault(
                line, column, f"`{axis}` is not an axis of this file{did_you_mean(axis, axes)}"
            )
            continue
        for index, value in enumerate(values):
            if axes[axis] and not any(same(value, known) for known in axes[axis]):
                place = locate(node, (index,))[:2]
                hint = did_you_mean(str(value), map(str, axes[axis]))
                yield Fault(*place, f"the axis `{axis}` has no value {show(value)}{hint}")


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
    for value, place in zip(values, node.nodes(), strict=True):
        if isinstance(value, dict | list):
            yield place.fault(f"an axis takes plain values, not {show(value)}")
        elif frozen(value) in seen:
            yield place.fault(f"{show(value)} is twice on the axis `{axis}`")
        seen.add(frozen(value))


def _read_table(
    table: Node, cases: Cases, known: frozenset[str], faults: list[Fault]
) -> tuple[CaseRow, ...]:
    rows = table.child("rows")
    if rows is None or not rows.children:
        faults.append((rows or table).fault("the table has no rows; nothing would be checked"))
        return ()
    widths = (len(cases.inputs), len(cases.outputs))
    read = [_read_row(node, str(n), widths, faults) for n, node in enumerate(rows.nodes(), 1)]
    found = tuple(row for row in read if row is not None)
    for row in found:
        for value in (*row.inputs, *row.outputs):
            faults += undefined(value, known)
    faults += _row_id_faults(found)
    return found


def _read_row(
    node: Node, number: str, widths: tuple[int, int], faults: list[Fault]
) -> CaseRow | None:
    if isinstance(node.children, list):
        if len(node.children) != sum(widths):
            faults.append(node.fault(_width("row", len(node.children), sum(widths))))
            return None
        split = widths[0]
        return CaseRow(number, node, tuple(node.children[:split]), tuple(node.children[split:]))
    if node.children is None:
        faults.append(node.fault("a row is a list, or a mapping with `in` and `out`"))
        return None
    return _read_long_row(node, number, widths, faults)


def _read_long_row(
    node: Node, number: str, widths: tuple[int, int], faults: list[Fault]
) -> CaseRow | None:
    before = len(faults)
    faults += not_yet("row", node)
    said = {key: value for key, value in node.value.items() if key not in LATER["row"]}
    row = validated(Row, said, node)
    faults += row.faults
    if row.value is None:
        return None
    columns: list[tuple[Node, ...]] = []
    for key, width in zip(("in", "out"), widths, strict=True):
        column = node.child(key)
        values = tuple(column.nodes()) if column else ()
        if len(values) != width:
            faults.append((column or node).fault(_width(f"`{key}`", len(values), width)))
        columns.append(values)
    if len(faults) > before:
        return None
    return CaseRow(number if row.value.id is None else str(row.value.id), node, *columns)


def _width(what: str, has: int, needs: int) -> str:
    return f"this {what} has {has} value{'s' * (has != 1)} for {needs} column{'s' * (needs != 1)}"


def _row_id_faults(rows: Sequence[CaseRow]) -> Iterator[Fault]:
    count = Counter(row.id for row in rows)
    for row in rows:
        if count[row.id] > 1:
            yield (row.node.child("id") or row.node).fault(f"two rows have the id `{row.id}`")


def selectable(found: Variations, system: System | None) -> dict[str, Sequence[Scalar]]:
    """Return what `when` may name: axis → its values, with none where any is possible."""
    cases = {} if found.rows is None else {"case": tuple(row.id for row in found.rows)}
    policies = () if system is None else tuple(system.policies)
    any_value = dict.fromkeys(FIELD_AXES, ())
    return {**any_value, "world": found.worlds, **cases, **found.axes, "policy": policies}
