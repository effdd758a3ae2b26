"""Reading of `timeline`: its entries as parts, with the references that each may hold.

Imports the format's models, `document` and `static_names`.
"""

from __future__ import annotations

from collections.abc import Callable

from windtunnel.scenario.reading.document import Part
from windtunnel.scenario.reading.models import LATER, later
from windtunnel.scenario.reading.references import INDEX
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.yaml_nodes import Node

PartReader = Callable[..., Part]
"""Node and further names → the part, its references looked at."""


def read_timeline(root: Node, read: PartReader, problems: Problems) -> tuple[Part, ...]:
    """Return the entries of `timeline`; adds what is wrong with their shape."""
    node = root.child("timeline")
    if node is None:
        return ()
    if not isinstance(node.children, list):
        problems.at(node, "`timeline` is a list of entries, such as `- {at: 0s, submit: …}`")
        return ()
    return tuple(_entry(entry, read) for entry in node.children if _is_entry(entry, problems))


def _is_entry(entry: Node, problems: Problems) -> bool:
    if not isinstance(entry.children, dict):
        problems.at(entry, "an entry of the timeline is a mapping, such as `{at: 0s, submit: …}`")
        return False
    not_yet = [key for key in entry.keys if key in LATER["timeline"]]
    for key in not_yet:
        problems.add(later(key, *entry.keys[key]))
    return not not_yet


def _entry(entry: Node, read: PartReader) -> Part:
    """Read an entry; `$i` is known in the `args` of a repeat alone."""
    args = entry.child("args")
    if args is None or "repeat" not in entry.keys:
        return read(entry)
    others = read(entry.only(key for key in entry.keys if key != "args"))
    inside = read(args, INDEX)
    names = {*others.names, *inside.names} - {INDEX}
    return Part(entry, tuple(sorted(names)), sound=others.sound and inside.sound)
