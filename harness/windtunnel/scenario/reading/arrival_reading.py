"""Reading of `from_csv`: a table of arrivals, each with what its operation is given.

Imports the sources, `csv_nodes` and the rules for names of variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from windtunnel.errors import UnitError
from windtunnel.scenario.reading.models import MAX_REPEAT, RESERVED
from windtunnel.scenario.reading.references import NAME_PATTERN
from windtunnel.scenario.reading.sources import Sources
from windtunnel.scenario.source.csv_nodes import Table, column_faults
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import written
from windtunnel.units import parse_duration

AT: Final = "at"
"""The column that says when: a duration from the entry's instant on."""


@dataclass(frozen=True, slots=True)
class ArrivalTable:
    """When operations arrive, and the values that each brings, by column."""

    offsets: tuple[int, ...]
    """Nanoseconds, never falling."""
    columns: tuple[str, ...]
    """Those beside `at`."""
    values: tuple[tuple[Any, ...], ...]
    """Of each row, in the order of `columns`."""
    places: tuple[str, ...]
    """`file:line` of each row, as messages name it."""

    def row(self, number: int) -> dict[str, Any]:
        """Return the values of operation `number`, by column."""
        return dict(zip(self.columns, self.values[number], strict=True))

    def place(self, number: int) -> str:
        """Return where operation `number` stands, as messages name it."""
        return self.places[number]


def read_arrivals(
    file: Node, sources: Sources, variables: frozenset[str], faults: list[Fault]
) -> ArrivalTable | None:
    """Return the table that `file` names, or None; adds what is wrong with it."""
    table = sources.table(file, MAX_REPEAT, faults)
    if table is None:
        return None
    wrong = [*column_faults(table, (AT,), tuple(table.columns))]
    wrong += _name_faults(table, variables)
    if not table.rows and not faults and not wrong:
        wrong.append(file.fault(f"{file.value!r} has no rows, so nothing would arrive"))
    faults += wrong
    if wrong:
        return None
    place = table.columns[AT]
    offsets = tuple(_offsets((list(row.nodes())[place] for row in table.rows), faults))
    others = {name: at for name, at in table.columns.items() if name != AT}
    return ArrivalTable(
        offsets,
        tuple(others),
        tuple(tuple(row.value[at] for at in others.values()) for row in table.rows),
        tuple(f"{row.file}:{row.line}" for row in table.rows),
    )


def _name_faults(table: Table, variables: frozenset[str]) -> Iterator[Fault]:
    for node in table.header:
        name = node.value
        if not isinstance(name, str):
            continue  # told where the header was read
        if not re.fullmatch(NAME_PATTERN, name):
            message = "a column's name consists of letters, digits and `_`, no digit first"
            yield node.fault(f"{name[:40]!r}: {message}")
        elif name in variables or name in RESERVED:
            yield node.fault(f"`{name}` has a meaning in the scenario already; rename the column")


def _offsets(nodes: Iterator[Node], faults: list[Fault]) -> Iterator[int]:
    last = 0
    for node in nodes:
        try:
            offset = parse_duration(written(node.value))
        except UnitError as error:
            faults.append(node.fault(str(error)))
            continue
        if offset < last:
            faults.append(node.fault("this arrives before the line above; sort the table by `at`"))
        last = offset
        yield offset
