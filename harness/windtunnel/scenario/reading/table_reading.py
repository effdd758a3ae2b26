"""Reading of the rows of `cases`: in the file, in short or in long, or in a CSV file beside it.

Imports the format's models, `variations`, `references`, the sources and `validation`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.scenario.reading.models import MAX_ROWS, Cases, Row
from windtunnel.scenario.reading.references import undefined
from windtunnel.scenario.reading.sources import Sources
from windtunnel.scenario.reading.variations import CaseRow
from windtunnel.scenario.source.csv_nodes import Table, column_faults
from windtunnel.scenario.source.messages import Mistake
from windtunnel.scenario.source.validation import fault_at, validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import written

_ID = "id"


@dataclass(frozen=True, slots=True)
class TableReader:
    """Reads the rows of one table."""

    cases: Cases
    known: frozenset[str]
    """The variables that a value may refer to."""
    worlds: Sequence[str]
    """Where the file runs."""
    sources: Sources

    def read(self, table: Node, faults: list[Fault]) -> tuple[CaseRow, ...]:
        """Return the rows of `cases`; adds what is wrong with them."""
        elsewhere = table.child("rows_from")
        place = elsewhere or table.child("rows") or table
        before = len(faults)
        found = self._csv(elsewhere, faults) if elsewhere else self._rows(place, faults)
        for row in found:
            for value in (*row.inputs, *row.outputs):
                faults += undefined(value, self.known)
        if not found and len(faults) == before:
            faults.append(place.fault("the table has no rows; nothing would be checked"))
        faults += _row_id_faults(found)
        return found

    def _rows(self, rows: Node, faults: list[Fault]) -> tuple[CaseRow, ...]:
        read = (self._row(node, str(n), faults) for n, node in enumerate(rows.nodes(), 1))
        return tuple(row for row in read if row is not None)

    @property
    def _widths(self) -> tuple[int, int]:
        return len(self.cases.inputs), len(self.cases.outputs)

    def _row(self, node: Node, number: str, faults: list[Fault]) -> CaseRow | None:
        if isinstance(node.children, list):
            split, width = self._widths[0], sum(self._widths)
            if len(node.children) != width:
                faults.append(node.fault(_width("row", len(node.children), width)))
                return None
            return CaseRow(number, node, tuple(node.children[:split]), tuple(node.children[split:]))
        if node.children is None:
            faults.append(node.fault("a row is a list, or a mapping with `in` and `out`"))
            return None
        return self._long_row(node, number, faults)

    def _long_row(self, node: Node, number: str, faults: list[Fault]) -> CaseRow | None:
        before = len(faults)
        typed = validated(Row, node.value, node)
        faults += typed.faults
        row = typed.value
        if row is None:
            return None
        widths = self._widths
        inputs = _column(node, "in", widths[0], faults)
        outputs = _column(node, "out", widths[1], faults)
        faults += self._world_faults(node, row)
        if len(faults) > before:
            return None
        worlds = None if row.world is None else tuple(row.world)
        return CaseRow(number if row.id is None else str(row.id), node, inputs, outputs, worlds)

    def _world_faults(self, node: Node, row: Row) -> Iterator[Fault]:
        for number, world in enumerate(row.world or ()):
            if world not in self.worlds:
                message = f"this file does not run in `{world}` (`world` says where)"
                where = ("world", number)
                yield fault_at(node, Mistake(where, at_key=False, message=message))

    def _csv(self, path: Node, faults: list[Fault]) -> tuple[CaseRow, ...]:
        table = self.sources.table(path, MAX_ROWS, faults)
        if table is None:
            return ()
        columns = (*self.cases.inputs, *self.cases.outputs)
        wrong = tuple(column_faults(table, columns, (_ID,)))
        faults += wrong
        return () if wrong else tuple(self._csv_rows(table))

    def _csv_rows(self, table: Table) -> Iterator[CaseRow]:
        places = table.columns
        inputs = [places[name] for name in self.cases.inputs]
        outputs = [places[name] for name in self.cases.outputs]
        named = None if _ID in (*self.cases.inputs, *self.cases.outputs) else places.get(_ID)
        for number, row in enumerate(table.rows, 1):
            fields = list(row.nodes())
            id_ = None if named is None else fields[named].value
            yield CaseRow(
                str(number) if id_ is None else written(id_),
                row,
                tuple(_chosen(fields, inputs)),
                tuple(_chosen(fields, outputs)),
            )


def _chosen(fields: Sequence[Node], places: Iterable[int]) -> Iterator[Node]:
    return (fields[place] for place in places)


def _column(node: Node, key: str, width: int, faults: list[Fault]) -> tuple[Node, ...]:
    column = node.child(key)
    values = tuple(column.nodes()) if column else ()
    if len(values) != width:
        faults.append((column or node).fault(_width(f"`{key}`", len(values), width)))
    return values


def _width(what: str, has: int, needs: int) -> str:
    return f"this {what} has {has} value{'s' * (has != 1)} for {needs} column{'s' * (needs != 1)}"


def _row_id_faults(rows: Sequence[CaseRow]) -> Iterator[Fault]:
    count = Counter(row.id for row in rows)
    for row in rows:
        if count[row.id] > 1:
            yield (row.node.child("id") or row.node).fault(f"two rows have the id `{row.id}`")
