"""The timeline of a cell: entries typed by the system's models, their names resolved.

Imports the format's models, `timeline_names`, `validation` and `cells`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from windtunnel.errors import Problem, ScenarioError
from windtunnel.scenario.cells import Entry, Template
from windtunnel.scenario.expanding.timeline_names import EntryName, TimelineNames, entry_name
from windtunnel.scenario.reading.models import TimelineEntry
from windtunnel.scenario.reading.references import put_index, waits_for_index
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.validation import Typed, validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.systems.base import NoArgs, System

_OWN: Final = tuple(TimelineEntry.model_fields)
_LONGEST_CHAIN: Final = 8
"""Entries of a circle that a message names one by one."""


@dataclass(frozen=True, slots=True)
class FixedArgs:
    """Arguments that are the same for every operation of an entry."""

    value: Any

    def __call__(self, number: int) -> Any:  # noqa: ANN401 - the system's own model
        """Return them, whatever the number."""
        del number
        return self.value


@dataclass(frozen=True, slots=True)
class NumberedArgs:
    """Arguments with `$i` in them, put in and typed anew for each operation."""

    data: Any
    node: Node
    model: type[BaseModel]
    names: TimelineNames
    file: str

    def typed(self, number: int) -> Typed[BaseModel]:
        """Return the arguments of operation `number`, or what is wrong with them."""
        data = put_index(self.data, number)
        return validated(self.model, data, self.node, context=self.names)

    def __call__(self, number: int) -> BaseModel | None:
        """Return the arguments of operation `number`; raises `ScenarioError` if they are wrong."""
        typed = self.typed(number)
        if typed.faults:
            raise ScenarioError([Problem(self.file, *fault) for fault in typed.faults])
        return typed.value


@dataclass(frozen=True, slots=True)
class EntryTyper:
    """Types one cell's entries."""

    system: System
    given: Any
    """The system's typed `given`, or None where it is wrong."""
    names: TimelineNames
    file: str

    def type_entry(self, data: dict[str, Any], node: Node) -> Typed[Entry]:
        """Return the entry of the data, or everything that is wrong with it."""
        faults: list[Fault] = []
        own = {key: value for key, value in data.items() if key in _OWN}
        typed = validated(TimelineEntry, own, node, context=self.names)
        faults += typed.faults
        template = self._template(data, node, faults)
        if typed.value is None or template is None or faults:
            return Typed(None, tuple(faults))
        said = typed.value
        return Typed(
            Entry(
                line=node.line,
                template=template,
                at=said.at,
                after=said.after,
                plus=said.plus or 0,
                repeat=1 if said.repeat is None else said.repeat,
                every=said.every or 0,
            )
        )

    def _template(self, data: dict[str, Any], node: Node, faults: list[Fault]) -> Template | None:
        name = entry_name(data)
        if name is None:
            return None
        submits = name.mode == "submit"
        table = self.system.submits if submits else self.system.calls
        options = {key: value for key, value in data.items() if key not in _OWN}
        model = self.system.submit_options if submits else NoArgs
        typed = validated(model, options, node, context=self.names, known=_OWN)
        faults += typed.faults
        if name.name not in table:
            faults.append(self._unknown(name, node))
            return None
        make = self._args(data, node, name, table[name.name], faults)
        if make is None:
            return None
        repeated = name.repeat is not None
        return Template(name.mode, name.name, name.id, repeated, make, typed.value)

    def _unknown(self, name: EntryName, node: Node) -> Fault:
        table, other = self.system.submits, self.system.calls
        verb, instead = "submit", "call"
        if name.mode == "call":
            table, other, verb, instead = other, table, "call", "submit"
        place = node.child(verb) or node
        hint = did_you_mean(name.name, table, most=24)
        if name.name in other:
            hint = f"; write `{instead}: {name.name}`"
        named = f"named `{name.name[:40]}`{hint}"
        return place.fault(f"`{self.system.name}` has nothing to {verb} {named}")

    def _args(
        self,
        data: dict[str, Any],
        node: Node,
        name: EntryName,
        model: type[BaseModel],
        faults: list[Fault],
    ) -> Callable[[int], Any] | None:
        """Return number → args, having made the first and the last."""
        raw = data.get("args")
        if raw is None and self._may_lack_args(name, model):
            return FixedArgs(None)
        raw = {} if raw is None else raw
        numbered = NumberedArgs(raw, node.child("args") or node, model, self.names, self.file)
        numbers = {0, (name.repeat or 1) - 1} if waits_for_index(raw) else {0}
        made = [numbered.typed(number) for number in sorted(numbers)]
        wrong = [fault for typed in made for fault in typed.faults]
        faults += dict.fromkeys(wrong)
        if wrong:
            return None
        return numbered if waits_for_index(raw) else FixedArgs(made[0].value)

    def _may_lack_args(self, name: EntryName, model: type[BaseModel]) -> bool:
        needs = any(info.is_required() for info in model.model_fields.values())
        if not needs or name.mode == "call":
            return False
        return self.given is None or self.system.args_optional(self.given, name.name)


def _chain(ids: list[str]) -> str:
    shown = ids if len(ids) <= _LONGEST_CHAIN else [*ids[:3], "…", *ids[-2:]]
    return " after ".join(shown)


def circular(entries: Sequence[Entry], nodes: Sequence[Node]) -> Iterator[Fault]:
    """Iterate over the entries that wait, directly or through others, for themselves."""
    waits = {
        entry.template.id: entry.after.id for entry in entries if entry.after and entry.after.id
    }
    ended: set[str | None] = {None}
    for entry, node in zip(entries, nodes, strict=True):
        seen: dict[str | None, None] = {}
        at: str | None = entry.template.id
        while at not in ended and at not in seen:
            seen[at] = None
            at = waits.get(str(at))
        if at in ended:
            ended.update(seen)
        elif at == entry.template.id:
            message = f"`{at}` waits for itself: {_chain([*map(str, seen), at])}"
            yield (node.child("after") or node).fault(message)
