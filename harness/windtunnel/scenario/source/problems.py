"""Problems of a scenario file: each at its place, once, and named for the cells that have it.

Imports the errors and `yaml_nodes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NoReturn

from windtunnel.errors import Problem, ScenarioError
from windtunnel.scenario.source.yaml_nodes import Fault, Node

MOST: Final = 100
"""Problems shown of one file; of the rest, the number."""


@dataclass(slots=True)
class Problems:
    """Collects faults; `raise_any` ends the reading of a file."""

    file: str
    _cells: dict[Fault, list[str]] = field(default_factory=dict)
    _everywhere: set[Fault] = field(default_factory=set)
    _unreadable: set[Fault] = field(default_factory=set)
    """Places, as faults without a message."""
    cells: int = 0
    """How many cells were checked."""

    def add(self, *faults: Fault) -> None:
        """Add faults of the file as a whole."""
        self._everywhere.update(faults)

    def add_unreadable(self, *faults: Fault) -> None:
        """Add faults of the YAML itself; what follows from them at the same place is not told."""
        self.add(*faults)
        self._unreadable.update(fault._replace(message="") for fault in faults)

    def at(self, node: Node, message: str) -> None:
        """Add a fault at a value."""
        self.add(node.fault(message))

    def add_for(self, cell: str, faults: Iterable[Fault]) -> None:
        """Add faults that one cell has."""
        for fault in faults:
            self._cells.setdefault(fault, []).append(cell)

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self._everywhere or self._cells)

    def end(self, fault: Fault) -> NoReturn:
        """Raise `ScenarioError` with all problems and a last one that nothing can be read after."""
        self.add(fault)
        raise ScenarioError(tuple(self._problems()))

    def raise_any(self) -> None:
        """Raise `ScenarioError` with all problems, if there are any."""
        if self:
            raise ScenarioError(tuple(self._problems()))

    def _problems(self) -> Iterator[Problem]:
        of_cells = (
            fault for fault in self._cells if fault._replace(message="") not in self._unreadable
        )
        told = self._everywhere | {self._named(fault) for fault in of_cells}
        found = sorted(told, key=lambda fault: (fault.file, fault))
        for fault in found[:MOST]:
            yield fault._replace(message=one_line(fault.message)).problem(self.file)
        if len(found) > MOST:
            more = f"… and {len(found) - MOST} more"
            yield found[MOST - 1]._replace(message=more).problem(self.file)

    def _named(self, fault: Fault) -> Fault:
        cells = self._cells[fault]
        if len(cells) >= self.cells or not cells[0]:
            return fault
        more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
        return fault._replace(message=f"{fault.message} [in {cells[0]}{more}]")


def one_line(message: str) -> str:
    """Return the message with line breaks and other control characters escaped."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in message)
