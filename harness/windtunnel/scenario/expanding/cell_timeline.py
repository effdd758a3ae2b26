"""The timeline of a cell: entries typed by the system's models, their names resolved.

Imports the format's models, `timeline_names`, `validation` and `cells`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from windtunnel.errors import ScenarioError
from windtunnel.event_names import EventName
from windtunnel.scenario.cells import Entry, Template
from windtunnel.scenario.expanding.arrivals import Arrivals
from windtunnel.scenario.expanding.system_mistakes import possible
from windtunnel.scenario.expanding.timeline_names import EntryName, TimelineNames, entry_name
from windtunnel.scenario.reading.arrival_reading import ArrivalTable
from windtunnel.scenario.reading.entries import TimelineEntry
from windtunnel.scenario.reading.references import INDEX, late_names, put_late
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.validation import Typed, validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.systems.base import NoArgs, System
from windtunnel.units import MAX_NS

_OWN: Final = tuple(TimelineEntry.model_fields)
_MOST_ROWS: Final = 10
"""Rows of a table of arrivals whose mistakes are told."""
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
    """Arguments with `$i` or columns in them, put in and typed anew for each operation."""

    data: Any
    node: Node
    model: type[BaseModel]
    names: TimelineNames
    file: str
    table: ArrivalTable | None = None

    def typed(self, number: int) -> Typed[BaseModel]:
        """Return the arguments of operation `number`, or what is wrong with them."""
        row = {} if self.table is None else self.table.row(number)
        data = put_late(self.data, {INDEX: number, **row})
        typed = possible(self.model, data, self.node, names=self.names)
        if self.table is None or not typed.faults:
            return typed
        place = f" [{self.table.place(number)}]"
        return Typed(None, tuple(f._replace(message=f.message + place) for f in typed.faults))

    def __call__(self, number: int) -> BaseModel | None:
        """Return the arguments of operation `number`; raises `ScenarioError` if they are wrong."""
        typed = self.typed(number)
        if typed.faults:
            raise ScenarioError([fault.problem(self.file) for fault in typed.faults])
        return typed.value


@dataclass(frozen=True, slots=True)
class EntryTyper:
    """Types one cell's entries."""

    system: System
    given: Any
    """The system's typed `given`, or None where it is wrong."""
    names: TimelineNames
    file: str

    def type_entry(
        self,
        data: dict[str, Any],
        node: Node,
        *,
        arrivals: Arrivals | None = None,
        table: ArrivalTable | None = None,
    ) -> Typed[Entry]:
        """Return the entry of the data, or everything that is wrong with it.

        `arrivals` are what `poisson`, `burst` or `from_csv` come to; the last has its `table`.
        """
        faults: list[Fault] = []
        own = {key: value for key, value in data.items() if key in _OWN}
        typed = validated(TimelineEntry, own, node, context=self.names)
        faults += typed.faults
        if arrivals is not None and arrivals.wrong and not faults:
            faults.append((node.child(arrivals.key) or node).fault(arrivals.wrong))
        if typed.value is not None and (wrong := _too_late(typed.value)):
            faults.append((node.child("every") or node).fault(wrong))
        count = None if arrivals is None else arrivals.count
        template = self._template(data, node, entry_name(data, count), table, faults)
        if typed.value is None or template is None or faults:
            return Typed(None, tuple(faults))
        said = typed.value
        offsets = None if arrivals is None else arrivals.offsets
        return Typed(
            Entry(
                line=node.line,
                template=template,
                at=said.at,
                after=said.after,
                plus=said.plus or 0,
                repeat=len(offsets) if offsets is not None else said.repeat or 1,
                every=said.every or 0,
                offsets=offsets,
            )
        )

    def _template(
        self,
        data: dict[str, Any],
        node: Node,
        name: EntryName | None,
        table: ArrivalTable | None,
        faults: list[Fault],
    ) -> Template | None:
        if name is None:
            return None
        submits = name.mode == "submit"
        known = self.system.submits if submits else self.system.calls
        options = {key: value for key, value in data.items() if key not in _OWN}
        model = self.system.submit_options if submits else NoArgs
        typed = validated(model, options, node, context=self.names, known=_OWN)
        faults += typed.faults
        if name.name not in known:
            faults.append(self._unknown(name, node))
            return None
        make = self._args(data, node, name, table, faults)
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
        table: ArrivalTable | None,
        faults: list[Fault],
    ) -> Callable[[int], Any] | None:
        """Return number → args, having made the first and the last, or those of every row."""
        model = (self.system.submits if name.mode == "submit" else self.system.calls)[name.name]
        raw = data.get("args")
        if raw is None and self._may_lack_args(name, model):
            return FixedArgs(None)
        raw = {} if raw is None else raw
        place, late = node.child("args") or node, late_names(raw)
        table = table if late - {INDEX} else None
        numbered = NumberedArgs(raw, place, model, self.names, self.file, table)
        last = (name.repeat or 1) - 1
        numbers = range(last + 1) if table else sorted({0, last} if late else {0})
        wrong: dict[Fault, None] = {}
        for number in numbers:
            wrong |= dict.fromkeys(numbered.typed(number).faults)
            if len(wrong) >= _MOST_ROWS:
                break
        faults += wrong
        if wrong:
            return None
        return numbered if late else FixedArgs(numbered.typed(0).value)

    def _may_lack_args(self, name: EntryName, model: type[BaseModel]) -> bool:
        needs = any(info.is_required() for info in model.model_fields.values())
        if not needs or name.mode == "call":
            return False
        return self.given is None or self.system.args_optional(self.given, name.name)


def _too_late(said: TimelineEntry) -> str:
    """Return what is said of a repeat that goes on for longer than any run, or `""`."""
    if ((said.repeat or 1) - 1) * (said.every or 0) <= MAX_NS:
        return ""
    return f"the last of {said.repeat:,} comes later than after 97 days"


def _chain(ids: list[str]) -> str:
    shown = ids if len(ids) <= _LONGEST_CHAIN else [*ids[:3], "…", *ids[-2:]]
    return " after ".join(shown)


def circular(waiting: Iterable[tuple[str, EventName | None, Node]]) -> Iterator[Fault]:
    """Iterate over the entries that wait, directly or through others, for themselves.

    `waiting` has the id of each entry and fault, what it comes after, and where it stands.
    """
    entries = list(waiting)
    waits = {id_: after.id for id_, after, _ in entries if after and after.id}
    ended: set[str | None] = {None}
    for id_, _, node in entries:
        seen: dict[str | None, None] = {}
        at: str | None = id_
        while at not in ended and at not in seen:
            seen[at] = None
            at = waits.get(str(at))
        if at in ended:
            ended.update(seen)
        elif at == id_:
            message = f"`{at}` waits for itself: {_chain([*map(str, seen), at])}"
            yield (node.child("after") or node).fault(message)
