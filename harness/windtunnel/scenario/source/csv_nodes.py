"""CSV nodes: a table of plain values, with the place in the file of every field.

As RFC 4180 has it: a header, commas, double quotes around what holds commas, quotes (doubled) or
line breaks. An unquoted field means what it means in YAML; a quoted one is a text. Imports
`yaml_nodes` and `yaml_scalars`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import resolve

MAX_CSV_BYTES: Final = 8 * 1024 * 1024
MAX_COLUMNS: Final = 200

_FIELD = re.compile(
    r'"(?P<quoted>(?:[^"]|"")*)"(?P<end>,|\r\n|\n|\r|\Z)|(?P<bare>[^",\r\n]*)(?P<stop>,|\r\n|\n|\r|\Z)'
)
_EMPTY = re.compile(r"(?:[ \t]*+(?:\r\n|\n|\r))++")  # possessive: no way back is kept


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table: each a list of nodes, in the order of the header."""

    header: tuple[Node, ...]
    rows: tuple[Node, ...]
    """Each a sequence node, as long as the header."""

    @property
    def columns(self) -> dict[str, int]:
        """Name of each column → its place."""
        return {str(node.value): place for place, node in enumerate(self.header)}


def read_table(text: str, file: str, most_rows: int, faults: list[Fault]) -> Table | None:
    """Return the table of a text, None where there is no header; adds what is wrong with it.

    `file` is the text's place as it is shown. Rows of another length than the header's are told
    and left out; empty lines are passed over.
    """
    lines = _lines(text, file, faults)
    header = next(lines, None)
    if header is None:
        if not faults:
            faults.append(Fault(1, 1, "the table is empty; its first line names the columns", file))
        return None
    names = tuple(header.nodes())
    faults += _header_faults(names)
    rows: list[Node] = []
    for number, row in enumerate(lines):
        if number == most_rows:
            faults.append(row.fault(f"over {most_rows:,} rows; split the table"))
            break
        if len(row.value) != len(names):
            has, needs = len(row.value), len(names)
            faults.append(row.fault(f"this row has {has} fields for {needs} columns"))
            continue
        rows.append(row)
    return Table(names, tuple(rows))


def column_faults(
    table: Table, required: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[Fault]:
    """Iterate over the columns that are missing or that nothing knows."""
    known = (*required, *optional)
    for node in table.header:
        if isinstance(node.value, str) and node.value not in known:
            yield node.fault(f"unknown column `{node.value[:40]}`{did_you_mean(node.value, known)}")
    for name in required:
        if name not in table.columns:
            yield table.header[0].fault(f"the column `{name}` is required here")


def _header_faults(names: Sequence[Node]) -> Iterator[Fault]:
    seen: set[str] = set()
    for node in names:
        if not isinstance(node.value, str):
            yield node.fault(f"a column's name is a text, not {node.value!r}")
        elif node.value in seen:
            yield node.fault(f"the column `{node.value[:40]}` is here twice")
        else:
            seen.add(node.value)


def _lines(text: str, file: str, faults: list[Fault]) -> Iterator[Node]:
    """Iterate over the rows; ends at a quotation mark or a row that cannot be read over."""
    place, line, start = 0, 1, 0  # `start` is where the line begins that `place` stands in
    fields: list[Node] = []
    while place < len(text) or fields:
        if not fields and (empty := _EMPTY.match(text, place)):
            line, start = _after_breaks(empty[0], line, place, start)
            place = start
            continue
        if len(fields) == MAX_COLUMNS:
            message = f"over {MAX_COLUMNS} columns"
            faults.append(Fault(line, place - start + 1, message, file))
            return
        match = _FIELD.match(text, place)
        if match is None:
            message = 'a quotation mark stands around a whole field, and is doubled in it (`""`)'
            faults.append(Fault(line, place - start + 1, message, file))
            return
        fields.append(_node(match, line, place - start + 1, file, faults))
        if quoted := match["quoted"]:
            line, start = _after_breaks(quoted, line, match.start("quoted"), start)
        place = match.end()
        if (match["end"] or match["stop"]) == ",":
            continue
        if len(fields) > 1 or match[0].strip():
            yield _row(fields)
        fields, line, start = [], line + 1, place


def _after_breaks(read: str, line: int, begin: int, start: int) -> tuple[int, int]:
    """Return line and line's begin after what was read from `begin` on: it may hold breaks."""
    breaks = read.count("\n") + read.count("\r") - read.count("\r\n")
    last = max(read.rfind("\n"), read.rfind("\r"))
    return (line + breaks, begin + last + 1) if breaks else (line, start)


def _node(match: re.Match[str], line: int, column: int, file: str, faults: list[Fault]) -> Node:
    quoted = match["quoted"]
    value = (quoted or "").replace('""', '"')
    if quoted is None:
        bare = match["bare"].strip()
        try:
            value = resolve(bare)
        except ValueError as error:
            faults.append(Fault(line, column, str(error), file))
    refers = isinstance(value, str) and "$" in value
    return Node(value, line, column, refers=refers, file=file)


def _row(fields: list[Node]) -> Node:
    first = fields[0]
    return Node(
        [field.value for field in fields],
        first.line,
        first.column,
        fields,
        refers=any(field.refers for field in fields),
        size=len(fields) + 1,
        depth=1,
        file=first.file,
    )
