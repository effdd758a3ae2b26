"""Reading of `timeline`: its entries as parts, with the references that each may hold.

Imports the format's models and the scenario's parts.
"""

from __future__ import annotations

from windtunnel.scenario.reading.models import not_yet
from windtunnel.scenario.reading.references import INDEX
from windtunnel.scenario.reading.scenario import Part, PartReader
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.yaml_nodes import Node


def read_timeline(root: Node, reader: PartReader, problems: Problems) -> tuple[Part, ...]:
    """Return the entries of `timeline`; adds what is wrong with their shape."""
    node = root.child("timeline")
    if node is None:
        return ()
    if not isinstance(node.children, list):
        problems.at(node, "`timeline` is a list of entries, such as `- {at: 0s, submit: …}`")
        return ()
    return tuple(_entry(entry, reader) for entry in node.children if _is_entry(entry, problems))


def _is_entry(entry: Node, problems: Problems) -> bool:
    if not isinstance(entry.children, dict):
        problems.at(entry, "an entry of the timeline is a mapping, such as `{at: 0s, submit: …}`")
        return False
    refused = not_yet("timeline", entry)
    problems.add(*refused)
    return not refused


def _entry(entry: Node, reader: PartReader) -> Part:
    """Read an entry; `$i` is known in the `args` of a repeat alone."""
    args = entry.child("args")
    if args is None or "repeat" not in entry.keys:
        return reader.read(entry)
    others = reader.read(entry.only(key for key in entry.keys if key != "args"))
    inside = reader.read(args, INDEX)
    names = {*others.names, *inside.names} - {INDEX}
    return Part(entry, tuple(sorted(names)), sound=others.sound and inside.sound)
