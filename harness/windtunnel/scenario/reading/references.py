"""References: `$name` in a scenario's texts, found, checked and replaced.

A text that is one reference takes the value with its type; inside a longer text the value is
written out; `$$` is a dollar sign. Imports `yaml_nodes`, `yaml_scalars` and `suggestions`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from windtunnel.errors import WindtunnelError
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.yaml_nodes import MAX_DEPTH, Fault, Node
from windtunnel.scenario.source.yaml_scalars import written

NAME_PATTERN: Final = r"[A-Za-z_][A-Za-z0-9_]*"
INDEX: Final = "i"
"""The number of an operation within a repeat, from 0."""

MAX_TEXT: Final = 10_000
"""Longest text that references may make, in characters."""
MAX_VALUES: Final = 50_000
"""Most values that the references of one part of a file may bring in, lists and mappings opened."""

_NO_NAME: Final = "a `$` must begin a name; write `$$` for a dollar sign"
_REFERENCE = re.compile(rf"\$(?:(?P<name>{NAME_PATTERN})|(?P<dollar>\$)|(?P<other>))")


class ReferenceFault(WindtunnelError, ValueError):
    """A reference cannot be replaced; `fault` stands at the text that holds it."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.fault = node.fault(message)


@dataclass(frozen=True, slots=True)
class Late:
    """A name whose value each operation has of its own."""

    name: str


@dataclass(frozen=True, slots=True)
class LateText:
    """A text that waits for `$i` or for a column of a table of arrivals."""

    parts: tuple[str | Late, ...]

    def put(self, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - the value's own type if alone
        """Return the value for one operation, whose `values` are by name."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Late):
            return values[self.parts[0].name]
        return "".join(
            written(values[part.name]) if isinstance(part, Late) else part for part in self.parts
        )


@dataclass(frozen=True, slots=True)
class Reference:
    """One `$name` of a file; `name` is empty for a `$` that begins no name."""

    name: str
    node: Node


def references(node: Node) -> Iterator[Reference]:
    """Iterate over the references in a node, in the order of the file; `$$` is none."""
    if not node.refers:
        return
    if isinstance(node.value, str):
        for match in _REFERENCE.finditer(node.value):
            if not match["dollar"]:
                yield Reference(match["name"] or "", node)
    for child in node.nodes():
        yield from references(child)


def undefined(
    node: Node, known: Collection[str], *, elsewhere: Mapping[str, str] | None = None
) -> Iterator[Fault]:
    """Iterate over the references in a node that are not among the known names.

    `elsewhere` are names that exist but not here → why they cannot be used.
    """
    for reference in references(node):
        if reference.name not in known:
            yield reference.node.fault(_undefined(reference.name, known, elsewhere or {}))


def _undefined(name: str, names: Collection[str], elsewhere: Mapping[str, str]) -> str:
    if not name:
        return _NO_NAME
    if name in elsewhere:
        return f"`${name}` {elsewhere[name]}"
    if name == INDEX:
        return "`$i` is the number in a repeat; it stands in the `args` of an entry with `repeat`"
    hint = did_you_mean(name, names) or "; define it in `let`, `matrix` or the inputs of `cases`"
    return f"`${name}` is not defined{hint}"


def substitute(node: Node, values: Mapping[str, Any], late: Collection[str] = (INDEX,)) -> Any:  # noqa: ANN401 - plain data
    """Return the node's data with every reference replaced by its value.

    A text with a name in `late` that `values` does not hold becomes a `LateText`. Raises
    `ReferenceFault` for an unknown name, for a list or mapping inside a longer text, and for what
    would grow beyond `MAX_TEXT` or `MAX_VALUES`.
    """
    return _Substitution(values, late).of(node)


class _Substitution:
    """One replacement of a part's references, with what it may still bring in."""

    def __init__(self, values: Mapping[str, Any], late: Collection[str]) -> None:
        self._values = values
        self._late = late
        self._left = MAX_VALUES

    def of(self, node: Node) -> Any:  # noqa: ANN401 - plain data
        if not node.refers:
            return node.value
        if isinstance(node.children, dict):
            return {key: self.of(child) for key, child in node.children.items()}
        if node.children is not None:
            return [self.of(child) for child in node.children]
        return self._text(node)

    def _text(self, node: Node) -> Any:  # noqa: ANN401 - plain data
        text: str = node.value
        whole = _REFERENCE.fullmatch(text)
        if whole and whole["name"] in self._values:
            value = self._values[whole["name"]]
            self._spend(value, node, MAX_DEPTH)
            return value
        parts: list[str | Late] = []
        last = 0
        for match in _REFERENCE.finditer(text):
            parts += [text[last : match.start()], self._part(match, node)]
            last = match.end()
        parts.append(text[last:])
        if sum(len(part) for part in parts if isinstance(part, str)) > MAX_TEXT:
            raise ReferenceFault(
                node, f"its references make a text of over {MAX_TEXT:,} characters"
            )
        if any(isinstance(part, Late) for part in parts):
            return LateText(tuple(part for part in parts if part != ""))
        return "".join(part for part in parts if isinstance(part, str))

    def _part(self, match: re.Match[str], node: Node) -> str | Late:
        name = match["name"]
        if match["dollar"]:
            return "$"
        if not name:
            raise ReferenceFault(node, _NO_NAME)
        if name in self._values:
            return _written_inside(name, self._values[name], node)
        if name in self._late:
            return Late(name)
        raise ReferenceFault(node, f"`${name}` is not defined")

    def _spend(self, value: Any, node: Node, depth: int) -> None:  # noqa: ANN401 - plain data
        if not isinstance(value, dict | list):
            return
        self._left -= len(value)
        if self._left < 0:
            raise ReferenceFault(node, f"its references bring in over {MAX_VALUES:,} values")
        if not depth:
            raise ReferenceFault(node, "its references nest too deeply")
        for item in value.values() if isinstance(value, dict) else value:
            self._spend(item, node, depth - 1)


def _written_inside(name: str, value: Any, node: Node) -> str:  # noqa: ANN401 - plain data
    if isinstance(value, dict | list):
        kind = "list" if isinstance(value, list) else "mapping"
        raise ReferenceFault(node, f"`${name}` is a {kind}; it cannot stand inside a longer text")
    return written(value)


def put_late(data: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - plain data
    """Return the data with every `LateText` replaced by what it is for one operation."""
    if isinstance(data, LateText):
        return data.put(values)
    if isinstance(data, dict):
        return {key: put_late(value, values) for key, value in data.items()}
    if isinstance(data, list):
        return [put_late(value, values) for value in data]
    return data


def late_names(data: Any) -> frozenset[str]:  # noqa: ANN401 - plain data
    """Return the names that the data still waits for."""
    if isinstance(data, LateText):
        return frozenset(part.name for part in data.parts if isinstance(part, Late))
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return frozenset().union(*(late_names(value) for value in inner))
