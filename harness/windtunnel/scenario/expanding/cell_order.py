"""The order of a cell: pairs of events whose second is held back, and circles among them.

Imports the models of entries, `timeline_names`, `validation` and `cells`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from windtunnel.event_names import EventName
from windtunnel.scenario.cells import Held
from windtunnel.scenario.expanding.timeline_names import OF_FAULTS, TimelineNames
from windtunnel.scenario.reading.entries import OrderPair
from windtunnel.scenario.source.messages import Mistake
from windtunnel.scenario.source.validation import Typed, fault_at, validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node

Point = int | str
"""What waits: the number of a pair, or the id of an entry or a fault."""

_LAST: Final = frozenset({"settled", "answered", "responded"})
"""Phases after an operation's last command."""
_MOST_CIRCLES: Final = 20
"""Circles of one cell that are told."""
_LONGEST_CHAIN: Final = 6
"""Pairs of a circle that a message names one by one."""


def type_pair(data: dict[str, Any], *, node: Node, names: TimelineNames) -> Typed[Held]:
    """Return the pair of the data, or everything that is wrong with it."""
    typed = validated(OrderPair, data, node, context=names)
    if typed.value is None:
        return Typed(None, typed.faults)
    first, then = typed.value.first, typed.value.then
    if said := _not_held(then):
        return Typed(None, (fault_at(node, Mistake(("then",), at_key=False, message=said)),))
    return Typed(Held(node.line, first, then))


def _not_held(then: EventName) -> str:
    """Return why an event cannot be held back, or `""`."""
    if then.phase == "submitted" or (then.command and then.begin):
        return ""
    instead = ""
    if then.command and then.command not in OF_FAULTS:
        instead = f": write {then.text}.begin"
    return (
        f"`{then.text}` cannot be held back{instead}; the second of a pair is a submission "
        "(ID.submitted) or a command's begin (ID.N.COMMAND.begin)"
    )


def order_faults(
    pairs: Sequence[Held],
    nodes: Sequence[Node],
    waits: Mapping[str, EventName],
    names: TimelineNames,
) -> Iterator[Fault]:
    """Iterate over the pairs that wait, directly or through others, for themselves.

    `waits` has what each entry and fault waits for (`after`), by its id.
    """
    graph = _Waiting(pairs, waits, names).graph() if pairs else {}
    for _ in range(_MOST_CIRCLES):
        circle = _circle(graph)
        if not circle:
            return
        number = min(circle)
        held = [pairs[one] for one in circle]
        yield nodes[number].fault(_said(pairs[number], held))
        del graph[number]


def _circle(graph: Mapping[Point, Collection[Point]]) -> list[int]:
    """Return the pairs of one circle, in the order in which each waits for the next, or none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [point for point in reversed(error.args[1][1:]) if isinstance(point, int)]
    return []


def _said(pair: Held, circle: Sequence[Held]) -> str:
    if len(circle) == 1:
        return f"`{pair.then.text}` waits for `{pair.first.text}`, which cannot come before it"
    shown = [f"{held.then.text} after {held.first.text}" for held in circle[:_LONGEST_CHAIN]]
    return f"these wait for each other: {', '.join(shown)}"


class _Waiting:
    """Who waits for whom: a pair (its number) and an entry or a fault (its id) for others."""

    def __init__(
        self, pairs: Sequence[Held], waits: Mapping[str, EventName], names: TimelineNames
    ) -> None:
        self._pairs = pairs
        self._waits = waits
        self._names = names
        self._held: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, pair in enumerate(pairs):
            self._held[_operation(pair.then)].append(number)

    def graph(self) -> dict[Point, tuple[Point, ...]]:
        """Return what each waits for."""
        found: dict[Point, tuple[Point, ...]] = {}
        for number, pair in enumerate(self._pairs):
            found[number] = tuple(self._needs(pair.first))
        for id_, after in self._waits.items():
            found[id_] = tuple(self._needs(after))
        return found

    def _needs(self, event: EventName) -> Iterator[Point]:
        """Iterate over what has to have been let go for an event to happen."""
        if event.id in self._waits:
            yield event.id
        for number in self._held.get(_operation(event), ()):
            if self._comes_with(self._pairs[number].then, event):
                yield number

    def _comes_with(self, held: EventName, event: EventName) -> bool:
        """Tell whether an event of the same operation surely comes with or after the held one."""
        if held.phase:
            return True  # nothing of an operation comes before its submission
        if event.phase:
            return event.phase in _LAST
        commands = self._names.commands_of(event.id)
        before, after = _place(commands, held), _place(commands, event)
        if before is None or after is None:  # of a batch, which only the run tells
            return held.command == event.command and held.nth <= event.nth
        return before <= after


def _operation(event: EventName) -> tuple[str, int]:
    return event.id, event.index or 0


def _place(commands: Sequence[str], event: EventName) -> int | None:
    found = [place for place, name in enumerate(commands) if name == event.command]
    return found[event.nth - 1] if event.nth <= len(found) else None
