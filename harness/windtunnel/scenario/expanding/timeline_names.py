"""Names of a timeline: what an event's, a class's or an operation's name refers to in one cell.

The validation context of `windtunnel.fields`. Imports `event_names`, `systems` and `suggestions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from windtunnel.event_names import PHASES, EventName
from windtunnel.scenario.reading.models import MAX_OPERATIONS, MAX_REPEAT
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.systems.base import System

UNKNOWN_REPEAT: Final = MAX_REPEAT + 1
"""Stands for a repeat that is wrong itself: whatever number others name, it is not told."""


@dataclass(frozen=True, slots=True)
class EntryName:
    """What others can name of a timeline entry."""

    id: str
    mode: Literal["submit", "call"]
    name: str
    repeat: int | None
    """How many operations; None for an entry that is not a repeat."""


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


class TimelineNames:
    """Implements `windtunnel.fields.Names` for the entries of one cell."""

    def __init__(
        self,
        entries: Iterable[EntryName],
        system: System,
        given: Any,  # noqa: ANN401 - the system's own model, or None where it is wrong
        variables: frozenset[str],
    ) -> None:
        self._entries = {entry.id: entry for entry in entries}
        self._system = system
        self._given = given
        self.variables = variables
        self._classes = {entry.name for entry in self._entries.values()}
        self._classes |= {name.rpartition(".")[2] for name in self._classes}

    def event(self, name: EventName, *, each: bool) -> None:
        """Refuse an event that cannot happen in this cell."""
        if name.kind:
            return
        entry = self._entry(name.id)
        if entry.repeat is None:
            if name.index:
                raise ValueError(f"`{name.id}` is one operation, not a repeat; write {_bare(name)}")
        elif name.index is None:
            if not (each and name.phase):
                raise ValueError(
                    f"`{name.id}` is a repeat: say which operation, such as {_indexed(name)}"
                )
        elif name.index >= entry.repeat:
            raise ValueError(
                f"`{name.id}` has no operation {name.index}: the last of {entry.repeat} is "
                f"{name.id}.{entry.repeat - 1}"
            )
        if name.command and self._given is not None:
            self._command(entry, name)

    def _entry(self, id_: str) -> EntryName:
        if id_ not in self._entries:
            raise ValueError(
                f"no entry of the timeline has the id `{id_}`{did_you_mean(id_, self._entries)}"
            )
        return self._entries[id_]

    def _command(self, entry: EntryName, name: EventName) -> None:
        commands = self._commands(entry.name)
        if name.command not in commands:
            known = did_you_mean(name.command, (*commands, *PHASES), most=20)
            why = "" if commands else ", for it runs no commands here"
            raise ValueError(f"`{entry.name}` has no command or phase `{name.command}`{why}{known}")
        if (there := commands.count(name.command)) < name.nth:
            raise ValueError(
                f"`{entry.name}` runs `{name.command}` {there} time{'s' * (there > 1)}, "
                f"so there is no #{name.nth}"
            )

    def _commands(self, name: str) -> tuple[str, ...]:
        """Return the commands of a class; a call such as `route.logout` runs those of `logout`."""
        submitted = name if name in self._system.submits else name.rpartition(".")[2]
        if submitted not in self._system.submits:
            return ()
        return self._system.commands(self._given, submitted)

    def class_(self, text: str) -> None:
        """Refuse a class that the timeline does not bring about."""
        if text not in self._brought_about():
            raise ValueError(self._no_such(text, "class", self._brought_about()))

    def operation(self, text: str) -> None:
        """Refuse what is neither a class nor an id of the timeline."""
        id_, dot, index = text.partition(".")
        if text in self._entries or text in self._brought_about():
            return
        if dot and index.isdecimal() and id_ in self._entries:
            self.event(EventName(text, id=id_, index=int(index[:9]), phase="settled"), each=False)
            return
        known = self._brought_about() | self._entries.keys()
        raise ValueError(self._no_such(text, "class or id", known))

    def _brought_about(self) -> set[str]:
        background = getattr(self._system, "background", None)
        own = set(background(self._given)) if background and self._given is not None else set()
        return self._classes | own

    def _no_such(self, text: str, what: str, known: set[str]) -> str:
        if text in self._system.submits or text in self._system.calls:
            return f"nothing in the timeline submits or calls `{text}`"
        return f"no entry of the timeline has the {what} `{text}`{did_you_mean(text, known)}"

    def observable(self, text: str) -> None:
        """Refuse a dotted name whose first part the system cannot observe."""
        first = text.partition(".")[0]
        if first not in self._system.observables:
            known = did_you_mean(first, self._system.observables, most=20)
            raise ValueError(f"`{self._system.name}` has no observable `{first}`{known}")


def timeline_faults(entries: Sequence[EntryName | None], nodes: Sequence[Node]) -> Iterator[Fault]:
    """Iterate over what is wrong between the entries: ids taken twice, too many operations."""
    seen: dict[str, Node] = {}
    classes = {entry.name for entry in entries if entry}
    for entry, node in zip(entries, nodes, strict=True):
        if entry is None:
            continue
        place = node.child("id") or node
        if entry.id in seen:
            said = "; give one an `id` of its own" if node.child("id") is None else ""
            yield place.fault(f"the id `{entry.id}` is taken in line {seen[entry.id].line}{said}")
        elif entry.id in classes - {entry.name}:
            message = f"the id `{entry.id}` is the name of another class; choose another"
            yield place.fault(message)
        seen.setdefault(entry.id, node)
    counts = [1 if entry.repeat is None else entry.repeat for entry in entries if entry]
    total = sum(count for count in counts if count < UNKNOWN_REPEAT)
    if total > MAX_OPERATIONS:
        most = f"{MAX_OPERATIONS:,}"
        yield nodes[0].fault(f"{total:,} operations in one cell; {most} is the most")


def _bare(name: EventName) -> str:
    return name.text.replace(f"{name.id}.{name.index}.", f"{name.id}.", 1)


def _indexed(name: EventName) -> str:
    return name.text.replace(f"{name.id}.", f"{name.id}.0.", 1)
