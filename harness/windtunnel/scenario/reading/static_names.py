"""Static names: every reference of a file is defined, before a value is looked at.

Imports `references`, `variations` and `suggestions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from windtunnel.scenario.reading.references import INDEX, Reference, references
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.yaml_nodes import Fault, Node


def undefined(
    node: Node, known: Iterable[str], *, elsewhere: Mapping[str, str] | None = None
) -> Iterator[Fault]:
    """Iterate over the references in a node that are not among the known names.

    `elsewhere` are names that exist but not here → why they cannot be used.
    """
    names = frozenset(known)
    for reference in references(node):
        if reference.name not in names:
            yield Fault(*reference.node.place(), _message(reference, names, elsewhere or {}))


def _message(reference: Reference, names: frozenset[str], elsewhere: Mapping[str, str]) -> str:
    name = reference.name
    if not name:
        return "a `$` must begin a name; write `$$` for a dollar sign"
    if name in elsewhere:
        return f"`${name}` {elsewhere[name]}"
    if name == INDEX:
        return "`$i` is the number in a repeat; it stands in the `args` of an entry with `repeat`"
    hint = did_you_mean(name, names) or "; define it in `let`, `matrix` or the inputs of `cases`"
    return f"`${name}` is not defined{hint}"
