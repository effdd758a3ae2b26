"""Reading of what happens: `timeline`, `faults` and `order`, as parts that cells are typed from.

Imports the scenario's parts and the references.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from windtunnel.scenario.reading.arrival_reading import ArrivalTable, read_arrivals
from windtunnel.scenario.reading.entries import ARRIVALS
from windtunnel.scenario.reading.references import INDEX
from windtunnel.scenario.reading.scenario import Part, PartReader
from windtunnel.scenario.reading.sources import Sources
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.yaml_nodes import Fault, Node

MAX_PAIRS: Final = 500
"""Pairs of one `order`: each is held against every other, in each cell."""

_ENTRY = "an entry of the timeline is a mapping, such as `{at: 0s, submit: …}`"
_FAULT = "a fault is a mapping, such as `{at: 1s, do: …, for: 2s}`"
_PAIR = "a pair of `order` is a list of two events: the second is held until the first"
_SUCH = {
    "timeline": "`timeline` is a list of entries, such as `- {at: 0s, submit: …}`",
    "faults": "`faults` is a list, such as `- {at: 1s, do: …, for: 2s}`",
    "order": "`order` is a list of pairs, such as `- [a.settled, b.submitted]`",
}


def read_timeline(
    root: Node, reader: PartReader, problems: Problems, sources: Sources
) -> tuple[Part, ...]:
    """Return the entries of `timeline`; adds what is wrong with their shape."""
    found = _entries(root, "timeline", problems)
    return tuple(_entry(entry, reader, sources) for entry in _mappings(found, _ENTRY, problems))


def read_faults(root: Node, reader: PartReader, problems: Problems) -> tuple[Part, ...]:
    """Return the entries of `faults`, of the file or of a row; adds what is wrong with them."""
    found = _entries(root, "faults", problems)
    return tuple(reader.read(entry) for entry in _mappings(found, _FAULT, problems))


def read_order(root: Node, reader: PartReader, problems: Problems) -> tuple[Part, ...]:
    """Return the pairs of `order`, each as a mapping of `first` and `then`."""
    pairs: list[Node] = []
    for number, node in enumerate(_entries(root, "order", problems)):
        if number == MAX_PAIRS:
            problems.at(node, f"over {MAX_PAIRS} pairs in `order`")
            break
        if isinstance(node.children, list) and len(node.children) == len(("first", "then")):
            pairs.append(_pair(node, *node.children))
        else:
            problems.at(node, _PAIR)
    return tuple(reader.read(pair) for pair in pairs)


def _pair(node: Node, first: Node, then: Node) -> Node:
    children = {"first": first, "then": then}
    return Node(
        {key: child.value for key, child in children.items()},
        *node.place(),
        children,
        {key: child.place() for key, child in children.items()},
        refers=node.refers,
        file=node.file,
    )


def _entries(root: Node, key: str, problems: Problems) -> Iterable[Node]:
    node = root.child(key)
    if node is None:
        return ()
    if not isinstance(node.children, list):
        problems.at(node, _SUCH[key])
        return ()
    return node.children


def _mappings(found: Iterable[Node], said: str, problems: Problems) -> Iterator[Node]:
    for entry in found:
        if isinstance(entry.children, dict):
            yield entry
        else:
            problems.at(entry, said)


def _entry(entry: Node, reader: PartReader, sources: Sources) -> Part:
    """Read an entry; `$i` and the columns of its table are known in `args` alone."""
    args = entry.child("args")
    if not entry.keys.keys() & {"repeat", *ARRIVALS}:
        return reader.read(entry)
    table, sound = _table(entry, reader, sources)
    others = reader.read(entry.only(key for key in entry.keys if key != "args"))
    late = (INDEX, *(table.columns if table else ()))
    inside = reader.read(args, *late) if args and sound else Part(entry, ())
    names = {*others.names, *inside.names}.difference(late)
    return Part(entry, tuple(sorted(names)), others.sound and inside.sound and sound, table)


def _table(entry: Node, reader: PartReader, sources: Sources) -> tuple[ArrivalTable | None, bool]:
    """Return the table of `from_csv`, and whether it is right where there is one."""
    said = entry.child("from_csv")
    file = said.child("file") if said else None
    if file is None or not isinstance(file.value, str):
        return None, True  # what else it is, the model of an entry says
    faults: list[Fault] = []
    table = read_arrivals(file, sources, reader.names or frozenset(), faults)
    reader.problems.add(*faults)
    return table, not faults
