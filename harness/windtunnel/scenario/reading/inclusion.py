"""Inclusion: the shared data of other files, laid under what a scenario says itself.

Imports the sources, the format's models and `yaml_nodes`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from windtunnel.scenario.reading.models import Sharing
from windtunnel.scenario.reading.sources import Sources
from windtunnel.scenario.source.nearby import Origin
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.validation import validated
from windtunnel.scenario.source.yaml_nodes import MAX_DEPTH, Fault, Node, YamlError, compose

SHARED: Final = ("let", "given", "limits", "matrix")
"""What an included file may say, beside `include`."""
MAX_NESTED: Final = 8
"""Files that include one another, one inside the other."""
MAX_FILES: Final = 64
"""Files that one scenario includes, each time counted."""
MAX_CHARACTERS: Final = 2 * 1024 * 1024
"""Their texts together, each time counted."""


def with_included(root: Node, sources: Sources, problems: Problems) -> Node:
    """Return the scenario's mapping with the shared data of its `include` laid under.

    What the file says itself wins; of two included files the later. `given` and `limits` are
    merged key by key at every depth, `let` and `matrix` name by name. Adds what is wrong with the
    included files, at their own places.
    """
    if "include" not in root.keys:
        return root
    faults: list[Fault] = []
    under = _Inclusion(sources, faults).of(root, sources.origin)
    problems.add(*faults)
    for key, node in under.items():
        own = root.child(key)
        if own is None or own.value is None:
            root = root.having(key, node)
        else:
            root = root.having(key, _laid(key, node, own))
    return root


@dataclass(slots=True)
class _Inclusion:
    """One scenario's inclusion: what has been read so far."""

    sources: Sources
    faults: list[Fault]
    _open: list[str] = field(default_factory=list)
    """The files that are being included, the outermost first, links followed."""
    _read: int = 0
    _characters: int = 0

    def of(self, root: Node, origin: Origin | None) -> dict[str, Node]:
        """Return the shared data that a mapping includes, by field."""
        found: dict[str, Node] = {}
        self.faults += validated(Sharing, root.only(["include"]).value, root).faults
        node = root.child("include")
        paths = [node] if node and node.children is None else node.nodes() if node else ()
        for path in paths:
            if path.value and isinstance(path.value, str):
                found = self._over(found, self._file(path, origin))
        return found

    def _over(self, under: dict[str, Node], over: dict[str, Node]) -> dict[str, Node]:
        both = {key: _laid(key, under[key], over[key]) for key in over if key in under}
        return {**under, **over, **both}

    def _file(self, path: Node, named_by: Origin | None) -> dict[str, Node]:
        origin = self.sources.find(path, ".yaml", self.faults, named_by)
        if origin is None:
            return {}
        real = os.path.realpath(origin.path)
        self._read += 1
        if real in (*self._open, self._of_the_scenario()):
            self.faults.append(path.fault(f"{path.value!r} includes itself"))
        elif len(self._open) == MAX_NESTED:
            self.faults.append(path.fault(f"included more than {MAX_NESTED} files deep"))
        elif self._read > MAX_FILES:
            if self._read == MAX_FILES + 1:  # it is one mistake, however many more there are
                self.faults.append(path.fault(f"more than {MAX_FILES} included files"))
        else:
            self._open.append(real)
            found = self._content(origin, path)
            self._open.pop()
            return found
        return {}

    def _of_the_scenario(self) -> str:
        own = self.sources.origin
        return "" if own is None else os.path.realpath(own.path)

    def _content(self, origin: Origin, path: Node) -> dict[str, Node]:
        text = self.sources.text(origin, self.faults)
        if text is None:
            return {}
        told = self._characters > MAX_CHARACTERS
        self._characters += len(text)
        if self._characters > MAX_CHARACTERS:
            said = "the included files are too large together"
            self.faults += () if told else (path.fault(said),)
            return {}
        try:
            root, faults = compose(text, origin.display)
        except YamlError as error:
            self.faults.append(error.fault._replace(file=origin.display))
            return {}
        self.faults += faults
        if not isinstance(root.children, dict):
            self.faults.append(root.fault("shared data is a mapping, such as `given: {…}`"))
            return {}
        self._check(root)
        own = {
            key: node
            for key in SHARED
            if (node := root.child(key)) is not None and isinstance(node.children, dict)
        }
        return self._over(self.of(root, origin), own) if "include" in root.keys else own

    def _check(self, root: Node) -> None:
        known = (*SHARED, "include")
        for key in root.keys:
            node = root.child(key)
            if key not in known:
                hint = did_you_mean(key, known)
                message = f"`{key[:40]}` cannot stand in an included file{hint}"
                self.faults.append(root.key_fault(key, message))
            elif key in SHARED and node and not isinstance(node.children, dict):
                self.faults.append(node.fault(f"`{key}` is a mapping in an included file"))


def _laid(key: str, under: Node, over: Node) -> Node:
    """Return a field's value with another's laid under it."""
    return _merged(under, over, MAX_DEPTH if key in ("given", "limits") else 1, last=key == "let")


def _merged(under: Node, over: Node, depth: int, *, last: bool = False) -> Node:
    """Return a mapping of both, the keys of `under` first.

    `last`: what refers to other variables comes after all of them, as it does in its own file.
    """
    if not depth or not isinstance(under.children, dict) or not isinstance(over.children, dict):
        return over
    children, keys = dict(under.children), dict(under.keys)
    for key, node in over.children.items():
        known = children.get(key)
        if last and known and node.refers:
            del children[key]
        children[key] = node if known is None else _merged(known, node, depth - 1)
        keys[key] = over.keys[key]
    return Node(
        {key: child.value for key, child in children.items()},
        over.line,
        over.column,
        children,
        keys,
        any(child.refers for child in children.values()),
        file=over.file,
    )
