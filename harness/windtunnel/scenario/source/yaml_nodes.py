"""YAML nodes: plain data of one document, with the place in the file of every key and value.

Built from the parser's stream of events, iteratively, so that neither nesting nor aliases can
exhaust the stack or the memory. Imports PyYAML and `yaml_scalars`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import yaml

from windtunnel.errors import Problem, WindtunnelError
from windtunnel.scenario.source.yaml_scalars import resolve

MAX_DEPTH: Final = 40
"""Deepest nesting, aliases expanded."""
MAX_NODES: Final = 250_000
"""Most keys and values in one document, aliases expanded."""

LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml where PyYAML was built with it, else the pure parser: the same events, more slowly."""


class Fault(NamedTuple):
    """A mistake at a place; lines and columns count from 1."""

    line: int
    column: int
    message: str
    file: str = ""
    """As it is shown; empty for the scenario file itself."""

    def problem(self, file: str) -> Problem:
        """Return the problem of a scenario file, which may lie in a file that it names."""
        return Problem(self.file or file, self.line, self.column, self.message)


class YamlError(WindtunnelError):
    """The text is no document that can be read any further."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(line, column, message)
        self.fault = Fault(line, column, message)


@dataclass(slots=True)
class Node:
    """A value with its place.

    `value` is plain data (dict, list, str, int, float, bool, None); `children` holds the nodes of
    a mapping's values by key or of a sequence's items; `keys` holds the places of the keys.
    """

    value: Any
    line: int
    column: int
    children: dict[str, Node] | list[Node] | None = None
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    refers: bool = False
    """Whether a text in it holds a `$`."""
    size: int = 1
    depth: int = 0
    file: str = ""
    """Where it stands, as it is shown; empty for the scenario file itself."""

    def items(self) -> Iterator[tuple[str | int, Node]]:
        """Iterate over the keys or indices and their nodes; nothing for a scalar."""
        if isinstance(self.children, dict):
            yield from self.children.items()
        elif self.children is not None:
            yield from enumerate(self.children)

    def nodes(self) -> Iterable[Node]:
        """Return the children in order; nothing for a scalar."""
        return self.children.values() if isinstance(self.children, dict) else self.children or ()

    def child(self, part: str | int) -> Node | None:
        """Return the node at a key or an index, or None."""
        if isinstance(self.children, dict):
            return self.children.get(part) if isinstance(part, str) else None
        items = self.children or []
        return items[part] if isinstance(part, int) and 0 <= part < len(items) else None

    def only(self, keys: Iterable[str]) -> Node:
        """Return a mapping with only these keys of this one, at its place."""
        own = self.children if isinstance(self.children, dict) else {}
        children = {key: own[key] for key in keys if key in own}
        return Node(
            {key: child.value for key, child in children.items()},
            self.line,
            self.column,
            children,
            {key: self.keys[key] for key in children},
            any(child.refers for child in children.values()),
            file=self.file,
        )

    def having(self, key: str, child: Node | None) -> Node:
        """Return the same mapping with a child put in its place, or taken out where None."""
        others = self.only(
            name for name, _ in self.items() if name != key and isinstance(name, str)
        )
        if child is None or not isinstance(others.children, dict):
            return others
        others.children[key], others.value[key] = child, child.value
        others.keys[key] = child.place()
        return others

    def place(self) -> tuple[int, int]:
        """Return line and column of the value."""
        return self.line, self.column

    def fault(self, message: str) -> Fault:
        """Return a mistake in the value."""
        return Fault(self.line, self.column, message, self.file)

    def key_fault(self, key: str, message: str) -> Fault:
        """Return a mistake in a key of this mapping."""
        child = self.child(key)
        return Fault(*self.keys[key], message, self.file if child is None else child.file)


def compose(text: str, file: str = "") -> tuple[Node, tuple[Fault, ...]]:
    """Return the root of the one document in a text, and the mistakes that could be read over.

    `file` is where the text stands, as it is shown, for a file that a scenario includes.

    Raises `YamlError` for what ends the reading: syntax, an empty file, a second document, and
    nesting or aliases beyond the limits.
    """
    composer = _Composer(file)
    try:
        for event in yaml.parse(text, Loader=LOADER):
            composer.take(event)
    except yaml.MarkedYAMLError as error:
        raise _syntax(error, text) from error
    except yaml.YAMLError as error:
        raise YamlError(1, 1, f"not YAML: {error}") from error
    if composer.root is None:
        begins = "" if file else "; a scenario begins with `format: 1`"
        raise YamlError(1, 1, f"the file is empty{begins}")
    return composer.root, tuple(fault._replace(file=file) for fault in composer.faults)


@dataclass(slots=True)
class _Open:
    """A mapping or sequence whose end has not come yet."""

    node: Node
    anchor: str | None
    key: str | None = None
    key_place: tuple[int, int] = (0, 0)
    expects_key: bool = False


class _Composer:
    """Takes parser events and keeps a stack of open collections."""

    def __init__(self, file: str) -> None:
        self.root: Node | None = None
        self._file = file
        self.faults: list[Fault] = []
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}
        self._documents = 0
        self._nodes = 0

    def take(self, event: Any) -> None:  # noqa: ANN401 - PyYAML's events have no common type
        """Take one event."""
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        match event:
            case yaml.ScalarEvent():
                self._scalar(event, line, column)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._open(event, line, column)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close()
            case yaml.AliasEvent():
                self._alias(str(event.anchor), line, column)
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    raise YamlError(line, column, "a second document; a file holds one scenario")
            case _:
                pass

    def _scalar(self, event: yaml.ScalarEvent, line: int, column: int) -> None:
        value = event.value
        plain = not event.style and event.implicit[0]  # libyaml says "", the pure parser None
        if event.tag is not None:
            self._tag(event.tag, line, column)
        try:
            data = resolve(value) if plain else value
        except ValueError as error:
            self.faults.append(Fault(line, column, str(error)))
            data = value
        if self._stack and self._stack[-1].expects_key:
            self._key(data, line, column, plain=plain)
            return
        refers = isinstance(data, str) and "$" in data
        node = Node(data, line, column, refers=refers, file=self._file)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._add(node)

    def _tag(self, tag: str, line: int, column: int) -> None:
        shown = tag.replace("tag:yaml.org,2002:", "!!")
        self.faults.append(Fault(line, column, f"the tag `{shown}`: tags are not allowed here"))

    def _key(self, key: Any, line: int, column: int, *, plain: bool) -> None:  # noqa: ANN401 - any scalar
        top = self._stack[-1]
        top.expects_key, top.key, top.key_place = False, None, (line, column)
        if plain and key == "<<":
            self.faults.append(
                Fault(
                    line, column, "merge keys (`<<`) are not supported; put what is shared in `let`"
                )
            )
        elif not isinstance(key, str):
            hint = f'; quote it: "{key}"' if key is not None else ""
            self.faults.append(Fault(line, column, f"a key must be a text, not {key!r}{hint}"))
        elif key in top.node.keys:
            first = top.node.keys[key]
            self.faults.append(
                Fault(line, column, f"`{key}` stands here twice; first in line {first[0]}")
            )
        else:
            top.key = key
            top.node.keys[key] = (line, column)

    def _open(self, event: Any, line: int, column: int) -> None:  # noqa: ANN401 - see take
        if event.tag is not None:
            self._tag(event.tag, line, column)
        if self._stack and self._stack[-1].expects_key:
            raise YamlError(line, column, "a key must be a text, not a list or a mapping")
        if len(self._stack) >= MAX_DEPTH:
            raise YamlError(line, column, f"nested more than {MAX_DEPTH} levels deep")
        mapping = isinstance(event, yaml.MappingStartEvent)
        empty: tuple[Any, Any] = ({}, {}) if mapping else ([], [])
        node = Node(empty[0], line, column, empty[1], file=self._file)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Open(node, event.anchor, expects_key=mapping))

    def _close(self) -> None:
        done = self._stack.pop()
        if done.anchor is not None:
            self._anchors[done.anchor] = done.node
        self._add(done.node)

    def _alias(self, anchor: str, line: int, column: int) -> None:
        if self._stack and self._stack[-1].expects_key:
            raise YamlError(line, column, f"an alias (`*{anchor}`) cannot be a key")
        if anchor not in self._anchors:
            raise YamlError(line, column, f"`*{anchor}`: there is no anchor `&{anchor}` above")
        target = self._anchors[anchor]
        if target is None:
            raise YamlError(line, column, f"`*{anchor}` stands inside what it repeats")
        if len(self._stack) + target.depth > MAX_DEPTH:
            raise YamlError(
                line, column, f"nested more than {MAX_DEPTH} levels deep by `*{anchor}`"
            )
        self._add(replace(target, line=line, column=column))

    def _add(self, node: Node) -> None:
        """Put a finished node in its place; counts what aliases would expand to."""
        if not self._stack:
            self.root = node
            return
        top = self._stack[-1]
        parent = top.node
        parent.size += node.size
        if parent.size > MAX_NODES:
            raise YamlError(
                node.line,
                node.column,
                f"more than {MAX_NODES:,} values, aliases expanded; no scenario is that large",
            )
        parent.depth = max(parent.depth, node.depth + 1)
        parent.refers = parent.refers or node.refers
        if isinstance(parent.children, dict):
            top.expects_key = True
            if top.key is not None:
                parent.value[top.key] = node.value
                parent.children[top.key] = node
        elif parent.children is not None:
            parent.value.append(node.value)
            parent.children.append(node)


_PLAIN_WORDS: Final[Mapping[str, str]] = {
    "found character that cannot start any token": "this character cannot stand here unquoted",
    "found a tab character that violates indentation": "a tab cannot indent; use spaces",
    "could not find expected ':'": "a `:` is missing after the key",
    "did not find expected key": "a key was expected here; is the indentation right?",
    "did not find expected node content": "a value was expected here",
    "did not find expected ',' or ']'": "a `,` or `]` is missing",
    "did not find expected ',' or '}'": "a `,` or `}` is missing",
    "did not find expected '-' indicator": "a list item was expected; is the indentation right?",
    "mapping values are not allowed in this context": "a `:` cannot stand here; quote the text",
    "found unexpected end of stream": "the quote or bracket opened before is never closed",
}


def _syntax(error: yaml.MarkedYAMLError, text: str) -> YamlError:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    problem = str(error.problem or "it cannot be read")
    rows = text.splitlines()
    here = rows[line - 1][column - 1 : column] if line <= len(rows) else ""
    said = (
        "a tab cannot stand here; use spaces"
        if here == "\t"
        else _PLAIN_WORDS.get(problem, problem)
    )
    opened = error.context_mark
    if error.context and opened is not None and opened.line + 1 != line:
        said += f" ({error.context} in line {opened.line + 1})"
    return YamlError(line, column, f"not YAML: {said}")
