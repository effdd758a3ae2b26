"""The timeline of a cell: entries typed by the system's models, their names resolved.

Imports the format's models, `timeline_names`, `typing_memo` and `cells`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from windtunnel.errors import Problem, ScenarioError
from windtunnel.scenario.cells import Entry, Template
from windtunnel.scenario.expanding.timeline_names import EntryName, TimelineNames
from windtunnel.scenario.reading.models import MAX_OPERATIONS, MAX_REPEAT, TimelineEntry
from windtunnel.scenario.reading.references import put_index, waits_for_index
from windtunnel.scenario.reading.typing_memo import Typed, validated
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.systems.base import NoArgs, System

UNKNOWN_REPEAT: Final = MAX_REPEAT + 1
"""Stands for a repeat that is wrong itself: whatever number others name, it is not told."""

_OWN: Final = tuple(TimelineEntry.model_fields)


def entry_name(data: Mapping[str, Any]) -> EntryName | None:
    """Return what others can name of an entry, from its data; None where it is malformed."""
    mode, other = ("submit", "call") if "submit" in data else ("call", "submit")
    name, id_, repeat = data.get(mode), data.get("id"), data.get("repeat")
    if not isinstance(name, str) or other in data:
        return None
    id_ = name.replace(".", "_") if id_ is None else id_
    if not isinstance(id_, str):
        return None
    if "repeat" in data and (not isinstance(repeat, int) or isinstance(repeat, bool)):
        repeat = UNKNOWN_REPEAT
    return EntryName(id_, "submit" if mode == "submit" else "call", name, repeat)


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
        return Fault(
            *place.place(),
            f"`{self.system.name}` has nothing to {verb} named `{name.name[:40]}`{hint}",
        )

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


def timeline_faults(entries: Sequence[EntryName | None], nodes: Sequence[Node]) -> Iterator[Fault]:
    """Iterate over what is wrong between the entries: ids taken twice, too many operations."""
    seen: dict[str, Node] = {}
    classes = {entry.name for entry in entries if entry}
    for entry, node in zip(entries, nodes, strict=True):
        if entry is None:
            continue
        place = (node.child("id") or node).place()
        if entry.id in seen:
            said = "; give one an `id` of its own" if node.child("id") is None else ""
            message = f"the id `{entry.id}` is taken in line {seen[entry.id].line}{said}"
            yield Fault(*place, message)
        elif entry.id in classes - {entry.name}:
            yield Fault(*place, f"the id `{entry.id}` is the name of another class; choose another")
        seen.setdefault(entry.id, node)
    counts = [1 if entry.repeat is None else entry.repeat for entry in entries if entry]
    total = sum(count for count in counts if count < UNKNOWN_REPEAT)
    if total > MAX_OPERATIONS:
        most = f"{MAX_OPERATIONS:,}"
        yield Fault(*nodes[0].place(), f"{total:,} operations in one cell; {most} is the most")


def circular(entries: Sequence[Entry], nodes: Sequence[Node]) -> Iterator[Fault]:
    """Iterate over the entries that wait, directly or through others, for themselves."""
    waits = {
        entry.template.id: entry.after.id for entry in entries if entry.after and entry.after.id
    }
    for entry, node in zip(entries, nodes, strict=True):
        seen: list[str] = []
        at: str | None = entry.template.id
        while at is not None and at not in seen:
            seen.append(at)
            at = waits.get(at)
        if at == entry.template.id:
            place = (node.child("after") or node).place()
            yield Fault(*place, f"`{at}` waits for itself: {' after '.join([*seen, at])}")
