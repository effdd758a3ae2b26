"""A catalogue: requirement ids → what each asks for, in one line.

`ui.yaml` and its like beside this module are the bundled ones. Imports the reading of YAML.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from windtunnel.errors import Problem, ScenarioError
from windtunnel.scenario.source.source_text import read_text
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.yaml_nodes import Fault, Node, YamlError, compose

_ID: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*-(?:[A-Za-z0-9]+|\*)")
_SHAPE: Final = "a catalogue has a line for each requirement, such as `MY-1: It does.`"
"""What is said with each mistake: nobody knows the form by heart."""
_OF_SCENARIOS: Final = "; a scenario begins"
"""Where the reading of YAML goes on to say what a scenario looks like."""
_FAMILY: Final = "-*"
"""The end of an id that stands for all that begin as it does, and is no requirement itself."""
_LATER: Final = "later"
"""The key under which the text of a requirement stands that is not asked for yet."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The requirements of some files, in their order."""

    texts: Mapping[str, str]
    """Id → what it asks for."""
    families: tuple[str, ...] = ()
    """How ids begin that may be named and are listed elsewhere: `RT-`."""
    later: Mapping[str, str] = field(default_factory=dict)
    """Id → what it will ask for: it may be named, and is not required yet."""

    def knows(self, id_: str) -> bool:
        """Tell whether a scenario or a test may name the id."""
        return id_ in self.texts or id_ in self.later or id_.startswith(self.families)

    def unknown(self, id_: str) -> str:
        """Return what is said of an id that may not be named."""
        hint = did_you_mean(id_, (*self.texts, *self.later), most=0)
        return f"there is no requirement `{id_[:40]}`{hint}"


def bundled() -> tuple[Path, ...]:
    """Return the files of the catalogues that come with the project, sorted."""
    return tuple(sorted(Path(__file__).parent.glob("*.yaml")))


def load_catalogue(files: Sequence[Path]) -> Catalogue:
    """Return the requirements of the files, each a mapping of ids to texts.

    An id such as `RT-*` makes all that begin with `RT-` known without listing them; a text under
    `later` (`RT-O7: {later: Several regions.}`) is of an id that is known and not required yet.
    Raises `ScenarioError` with every mistake, at its place: what is no id, has no text, or stands
    in two files.
    """
    found: dict[str, Node] = {}
    problems: list[Problem] = []
    for file in files:
        texts, faults = _read(file)
        faults += [
            node.fault(f"`{id_}` stands in another catalogue too")
            for id_, node in texts.items()
            if id_ in found
        ]
        found.update(texts)
        problems += [fault.problem(str(file)) for fault in faults]
    if problems:
        raise ScenarioError(problems)
    listed = {id_: node for id_, node in found.items() if not id_.endswith(_FAMILY)}
    return Catalogue(
        {id_: str(node.value) for id_, node in listed.items() if not _is_later(node)},
        tuple(id_.removesuffix("*") for id_ in found if id_.endswith(_FAMILY)),
        {id_: str(_text(node).value) for id_, node in listed.items() if _is_later(node)},
    )


def _read(file: Path) -> tuple[dict[str, Node], list[Fault]]:
    try:
        root, faults = compose(read_text(file))
    except YamlError as error:
        said, _, _ = error.fault.message.partition(_OF_SCENARIOS)
        return {}, [error.fault._replace(message=f"{said}; {_SHAPE}")]
    if not isinstance(root.children, dict):
        return {}, [root.fault(_SHAPE)]
    wrong = [*faults]
    for id_, node in root.children.items():
        if not _ID.fullmatch(id_):
            wrong.append(root.key_fault(id_, f"`{id_[:40]}` is no id; {_SHAPE}"))
            continue
        text = _text(node)
        if not isinstance(text.value, str) or not text.value.strip():
            wrong.append(text.fault(f"`{id_}` needs a text; {_SHAPE}"))
    return root.children, wrong


def _is_later(node: Node) -> bool:
    return isinstance(node.children, dict) and node.children.keys() == {_LATER}


def _text(node: Node) -> Node:
    """Return the node of a requirement's text."""
    later = node.child(_LATER) if _is_later(node) else None
    return later or node
