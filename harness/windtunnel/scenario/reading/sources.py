"""The sources of a scenario: its own file and those that it names, each read and remembered.

Imports the source texts and the rules for paths.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.scenario.source.csv_nodes import MAX_CSV_BYTES, Table, read_table
from windtunnel.scenario.source.nearby import Origin, PathError
from windtunnel.scenario.source.source_text import MAX_BYTES, read_text
from windtunnel.scenario.source.yaml_nodes import Fault, Node, YamlError


@dataclass(slots=True)
class Sources:
    """Reads what a scenario names; `files` are those read, for a hash over all of them."""

    origin: Origin | None = None
    """The scenario file; None for a text without a place, which can name no file."""
    _files: dict[Path, None] = field(default_factory=dict)

    @property
    def files(self) -> tuple[Path, ...]:
        """Return the files read beside the scenario's own, each once, in order."""
        return tuple(self._files)

    def find(
        self, node: Node, suffix: str, faults: list[Fault], named_by: Origin | None = None
    ) -> Origin | None:
        """Return the file that a node's text means, or None; adds what is wrong with the path."""
        origin = named_by or self.origin
        if origin is None:
            faults.append(node.fault("a text without a place cannot name other files"))
            return None
        try:
            return origin.find(str(node.value), suffix)
        except PathError as error:
            faults.append(node.fault(str(error)))
            return None

    def text(self, origin: Origin, faults: list[Fault], most: int = MAX_BYTES) -> str | None:
        """Return the text of a file that was found, or None; adds what is wrong with it."""
        self._files.setdefault(origin.path)
        try:
            return read_text(origin.path, most)
        except YamlError as error:
            faults.append(error.fault._replace(file=origin.display))
            return None

    def table(self, node: Node, most_rows: int, faults: list[Fault]) -> Table | None:
        """Return the table of the CSV file that a node's text means, or None; adds faults."""
        origin = self.find(node, ".csv", faults)
        text = None if origin is None else self.text(origin, faults, MAX_CSV_BYTES)
        if origin is None or text is None:
            return None
        wrong: list[Fault] = []
        table = read_table(text, origin.display, most_rows, wrong)
        faults += wrong
        return table
