"""Names of a timeline: what an event's, a class's, an operation's or a fault's name refers to.

The validation context of `windtunnel.fields`. Imports `event_names`, `systems` and `suggestions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel

from windtunnel.event_names import PHASES, EventName
from windtunnel.scenario.reading.models import MAX_OPERATIONS, MAX_REPEAT
from windtunnel.scenario.source.messages import Location
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.systems.base import System

OF_FAULTS: Final = frozenset({"injected", "affected", "undone"})
"""The phases of a fault, which no operation has."""
OF_REQUESTS: Final = frozenset({"requested", "responded"})
"""The phases of a call of a route, which no submission has."""
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


@dataclass(frozen=True, slots=True)
class FaultName:
    """What others can name of a fault."""

    id: str
    line: int


def fault_name(data: Mapping[str, Any], number: int, line: int) -> FaultName:
    """Return what others can name of the fault of that number: its own id, or `fault-N`."""
    id_ = data.get("id")
    return FaultName(id_ if isinstance(id_, str) else f"fault-{number}", line)


def entry_name(data: Mapping[str, Any], arrivals: int | None = None) -> EntryName | None:
    """Return what others can name of an entry, from its data; None where it is malformed.

    `arrivals` says how many operations `poisson`, `burst` or `from_csv` make of it.
    """
    mode, other = ("submit", "call") if "submit" in data else ("call", "submit")
    name, id_, repeat = data.get(mode), data.get("id"), data.get("repeat")
    if not isinstance(name, str) or other in data:
        return None
    id_ = name.replace(".", "_") if id_ is None else id_
    if not isinstance(id_, str):
        return None
    if "repeat" in data and (not isinstance(repeat, int) or isinstance(repeat, bool)):
        repeat = UNKNOWN_REPEAT
    repeat = repeat if arrivals is None else arrivals
    return EntryName(id_, "submit" if mode == "submit" else "call", name, repeat)


class TimelineNames:
    """Implements `windtunnel.fields.Names` for the entries of one cell."""

    def __init__(
        self,
        entries: Iterable[EntryName],
        system: System,
        given: Any,  # noqa: ANN401 - the system's own model, or None where it is wrong
        variables: frozenset[str],
        faults: Iterable[FaultName] = (),
    ) -> None:
        self._entries = {entry.id: entry for entry in entries}
        self._faults = frozenset(fault.id for fault in faults)
        self._system = system
        self._given = given
        self.variables = variables - system.observables
        """Those that no observed value of the same name hides."""
        self._classes = {entry.name for entry in self._entries.values()}
        brings = getattr(system, "brings", {})
        self._classes |= {
            class_
            for name in self._classes
            for class_ in (name.rpartition(".")[2], *brings.get(name, ()))
        }

    def event(self, name: EventName, *, each: bool) -> None:
        """Refuse an event that cannot happen in this cell."""
        if name.kind:
            return
        if name.id in self._faults:
            _of_a_fault(name)
            return
        if self._numbers_its_own(name):
            return
        entry = self._entry(name.id)
        _of_an_operation(entry, name)
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

    def _numbers_its_own(self, name: EventName) -> bool:
        """Tell whether the system numbers these operations itself: of a batch, of a watcher."""
        if name.index is None:
            return False
        entry = self._entries.get(name.id)
        if entry is None:
            return name.id in self._background()
        return entry.repeat is None and entry.name in getattr(self._system, "batches", ())

    def _entry(self, id_: str) -> EntryName:
        if id_ not in self._entries:
            known = (*self._entries, *self._faults)
            raise ValueError(
                f"no entry of the timeline has the id `{id_}`{did_you_mean(id_, known)}"
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
        """Return the commands of a class or of a call; a name that is wrong itself has none."""
        if name not in self._system.submits and name not in self._system.calls:
            return ()
        return self._system.commands(self._given, name)

    def commands_of(self, id_: str) -> tuple[str, ...]:
        """Return the commands of each operation of an entry, in order; none where unknown."""
        known = id_ in self._entries and self._given is not None
        return self._commands(self._entries[id_].name) if known else ()

    def class_(self, text: str) -> None:
        """Refuse a class that the timeline does not bring about."""
        if text not in self._brought_about():
            raise ValueError(self._no_such(text, "class", self._brought_about()))

    def operation(self, text: str) -> None:
        """Refuse what is neither a class nor an id of the timeline."""
        id_, dot, index = text.partition(".")
        if text in self._entries or text in self._brought_about():
            return
        if dot and index.isdecimal() and (id_ in self._entries or id_ in self._background()):
            self.event(EventName(text, id=id_, index=int(index[:9]), phase="settled"), each=False)
            return
        known = self._brought_about() | self._entries.keys()
        raise ValueError(self._no_such(text, "class or id", known))

    def _brought_about(self) -> set[str]:
        return self._classes | self._background()

    def _background(self) -> set[str]:
        background = getattr(self._system, "background", None)
        return set(background(self._given)) if background and self._given is not None else set()

    def _no_such(self, text: str, what: str, known: set[str]) -> str:
        if text in self._system.submits or text in self._system.calls:
            return f"nothing in the timeline submits or calls `{text}`"
        return f"no entry of the timeline has the {what} `{text}`{did_you_mean(text, known)}"

    def one_operation(self, text: str) -> None:
        """Refuse what is not one operation of an entry: `ID`, or `ID.N` of a repeat."""
        id_, dot, index = text.partition(".")
        entry = self._entry(id_)
        if dot and not index.isdecimal():
            raise ValueError(f"`{text}` is no operation: write ID or ID.N")
        if not dot and entry.repeat is not None:
            raise ValueError(
                f"`{id_}` has {entry.repeat} operations: say which, such as {id_}.0"
                if entry.repeat < UNKNOWN_REPEAT
                else f"`{id_}` has several operations: say which, such as {id_}.0"
            )
        number = int(index[:9]) if dot else None
        name = EventName(text, id=id_, index=number, phase="settled")
        if dot and entry.repeat is None and not self._numbers_its_own(name):
            raise ValueError(f"`{id_}` is one operation, not a repeat; write {id_}")
        self.event(name, each=False)

    def observable(self, text: str) -> None:
        """Refuse a dotted name that the system cannot observe, as far as it says what it can."""
        first, *parts = text.split(".")
        if first not in self._system.observables:
            known = did_you_mean(first, self._system.observables, most=20)
            raise ValueError(f"`{self._system.name}` has no observable `{first}`{known}")
        known_parts = getattr(self._system, "observable_parts", {}).get(first)
        if known_parts is None:
            return
        if len(parts) > len(known_parts):
            named = ".".join((first, *parts[: len(known_parts)]))
            raise ValueError(f"`{named}` is one value, without parts")
        for part, words in zip(parts, known_parts, strict=False):
            if words is not None and part not in words:
                known = did_you_mean(part, words, most=20)
                raise ValueError(f"`{first}` has no `{part[:40]}`{known}")

    def wrong(self, said: BaseModel) -> Iterator[tuple[Location, str]]:
        """Iterate over what the system finds wrong with what an entry or a fault says."""
        mistakes = getattr(self._system, "mistakes", None)
        if mistakes is not None and self._given is not None:
            yield from mistakes(self._given, said)


def timeline_faults(
    entries: Sequence[EntryName | None],
    nodes: Sequence[Node],
    faults: Sequence[tuple[FaultName, Node]] = (),
) -> Iterator[Fault]:
    """Iterate over what is wrong between the entries: ids taken twice, too many operations.

    The ids of the faults are of the same kind, since names of events begin with either.
    """
    seen: dict[str, int] = {}
    classes = {entry.name for entry in entries if entry}
    named = [
        *(
            (entry.id, entry.name, node)
            for entry, node in zip(entries, nodes, strict=True)
            if entry
        ),
        *((fault.id, "", node) for fault, node in faults),
    ]
    for id_, name, node in named:
        place = node.child("id") or node
        if id_ in seen:
            said = "; give one an `id` of its own" if node.child("id") is None else ""
            yield place.fault(f"the id `{id_}` is taken in line {seen[id_]}{said}")
        elif id_ in classes - {name}:
            yield place.fault(f"the id `{id_}` is the name of another class; choose another")
        seen.setdefault(id_, node.line)
    counts = [1 if entry.repeat is None else entry.repeat for entry in entries if entry]
    total = sum(count for count in counts if count < UNKNOWN_REPEAT)
    if total > MAX_OPERATIONS:
        most = f"{MAX_OPERATIONS:,}"
        yield nodes[0].fault(f"{total:,} operations in one cell; {most} is the most")


def _of_a_fault(name: EventName) -> None:
    """Refuse what a fault does not go through."""
    tail = name.phase or name.command
    if name.index is not None:
        raise ValueError(f"`{name.id}` is a fault, not a repeat; write {name.id}.{tail}")
    if tail not in OF_FAULTS:
        hint = did_you_mean(tail, OF_FAULTS)
        raise ValueError(f"the fault `{name.id}` is never `{tail}`{hint}")


def _of_an_operation(entry: EntryName, name: EventName) -> None:
    """Refuse what no such operation goes through."""
    if name.phase in OF_FAULTS:
        raise ValueError(f"`{name.id}` is no fault, so it is never `{name.phase}`")
    if name.phase in OF_REQUESTS and entry.mode == "submit":
        raise ValueError(
            f"`{name.id}` is a submission, which no request is made for, so it is never "
            f"`{name.phase}`; call its route for that"
        )


def _bare(name: EventName) -> str:
    return name.text.replace(f"{name.id}.{name.index}.", f"{name.id}.", 1)


def _indexed(name: EventName) -> str:
    return name.text.replace(f"{name.id}.", f"{name.id}.0.", 1)
