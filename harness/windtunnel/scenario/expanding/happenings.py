"""The happenings of a cell: its timeline, its faults and their order, with all that names them.

Imports the typing of single entries, faults and pairs, and the cell that is being typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from windtunnel.scenario.cells import Entry, FaultEntry, Held
from windtunnel.scenario.expanding.arrivals import UNKNOWN_ARRIVALS, Arrivals, draw_arrivals
from windtunnel.scenario.expanding.cell_faults import type_fault
from windtunnel.scenario.expanding.cell_order import order_faults, type_pair
from windtunnel.scenario.expanding.cell_timeline import EntryTyper, circular
from windtunnel.scenario.expanding.timeline_names import (
    EntryName,
    FaultName,
    TimelineNames,
    entry_name,
    fault_name,
    timeline_faults,
)
from windtunnel.scenario.expanding.typing_cell import TypingCell
from windtunnel.scenario.reading.entries import ARRIVALS
from windtunnel.scenario.reading.scenario import Part
from windtunnel.scenario.source.validation import Typed

T = TypeVar("T")


class Happenings:
    """Types what happens in one cell; `seed` is None where it is wrong."""

    def __init__(self, cell: TypingCell, given: Any, seed: int | None) -> None:  # noqa: ANN401 - the system's own model
        row = cell.point.row
        self._cell = cell
        self._scenario = cell.scenario
        self._given = given
        self._seed = seed
        of_the_row = cell.scenario.row_faults.get(row.id, ()) if row else ()
        self._fault_parts = (*cell.scenario.faults, *of_the_row)
        self.names = self._names()

    def _names(self) -> TimelineNames:
        """Return the names, the same object for the same entries: the memo tells cells by it."""
        parts = self._scenario.timeline
        entries = tuple(self._entry_name(part) for part in parts)
        faults = tuple(self._fault_name(*numbered) for numbered in enumerate(self._fault_parts))
        key = (entries, faults, id(self._given))
        if key not in self._cell.shared.timelines:
            found = [entry for entry in entries if entry is not None]
            variables = frozenset(self._cell.all_values)
            names = TimelineNames(found, self._scenario.system, self._given, variables, faults)
            named = list(zip(faults, (part.node for part in self._fault_parts), strict=True))
            wrong = timeline_faults(entries, [part.node for part in parts], named)
            self._cell.shared.timelines[key] = names, tuple(wrong)
        names, told = self._cell.shared.timelines[key]
        self._cell.add(told)
        return names

    def _entry_name(self, part: Part) -> EntryName | None:
        """Return what others can name of an entry; of one that is wrong, what it literally says."""
        arrivals = self._arrivals(part)
        return entry_name(self._data(part), None if arrivals is None else arrivals.count)

    def _arrivals(self, part: Part) -> Arrivals | None:
        """Return when an entry's operations arrive, where it says so by other than `repeat`."""
        if not part.node.keys.keys() & ARRIVALS:
            return None
        make = partial(draw_arrivals, seed=self._seed, table=part.arrivals)
        drawn = self._cell.memo.typed(part, self._cell.values, make, "arrivals", self._seed)
        return drawn.value or UNKNOWN_ARRIVALS

    def _fault_name(self, number: int, part: Part) -> FaultName:
        return fault_name(self._data(part), number, part.node.line)

    def _data(self, part: Part) -> dict[str, Any]:
        data: Typed[dict[str, Any]] = self._cell.memo.typed(part, self._cell.values, Typed, "data")
        said: dict[str, Any] = part.node.value if data.value is None else data.value
        return said

    def timeline(self) -> tuple[Entry, ...]:
        """Return the entries that are right, in the order of the file."""
        typer = EntryTyper(self._scenario.system, self._given, self.names, self._scenario.file)

        def make(part: Part) -> Callable[[Any], Typed[Entry]]:
            arrivals = self._arrivals(part)
            return partial(typer.type_entry, node=part.node, arrivals=arrivals, table=part.arrivals)

        return self._each(self._scenario.timeline, make)

    def faults(self) -> tuple[FaultEntry, ...]:
        """Return the faults that are right: the file's, then those of the row."""
        numbers = {id(part): number for number, part in enumerate(self._fault_parts)}

        def make(part: Part) -> Callable[[Any], Typed[FaultEntry]]:
            id_ = self._fault_name(numbers[id(part)], part).id
            return partial(
                type_fault, node=part.node, id_=id_, system=self._scenario.system, names=self.names
            )

        return self._each(self._fault_parts, make)

    def order(
        self, timeline: tuple[Entry, ...], faults: tuple[FaultEntry, ...]
    ) -> tuple[Held, ...]:
        """Return the pairs that are right; adds the circles among all that waits."""
        parts = self._scenario.order
        pairs = self._each(parts, lambda part: partial(type_pair, node=part.node, names=self.names))
        ids = [(entry.template.id, entry.after) for entry in timeline]
        ids += [(entry.fault.id, entry.after) for entry in faults]
        nodes = [part.node for part in (*self._scenario.timeline, *self._fault_parts)]
        if len(ids) < len(nodes) or len(pairs) < len(parts):
            return pairs
        found = tuple(circular((*named, node) for named, node in zip(ids, nodes, strict=True)))
        waits = {id_: after for id_, after in ids if after}
        self._cell.add(
            found or order_faults(pairs, [part.node for part in parts], waits, self.names)
        )
        return pairs

    def _each(
        self, parts: Iterable[Part], make: Callable[[Part], Callable[[Any], Typed[T]]]
    ) -> tuple[T, ...]:
        """Return what the parts come to, less those that are wrong; arrivals hang on the seed."""
        cell, names = self._cell, self.names
        found = []
        for part in parts:
            seed = self._seed if part.node.keys.keys() & ARRIVALS else None
            found.append(cell.take(cell.memo.typed(part, cell.values, make(part), names, seed)))
        return tuple(one for one in found if one is not None)
