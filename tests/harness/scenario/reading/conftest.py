"""A scenario file with others beside it, loaded or refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from windtunnel.errors import ScenarioError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.cell_setup import Overrides
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import load_scenario
from windtunnel.scenario.reading.scenario import Scenario

HEAD = "format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\n"


class Folder:
    """Files below one root; the scenario is `ui/x.yaml`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, texts: Mapping[str, str]) -> None:
        """Write files, by their paths below the root."""
        for name, text in texts.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), "utf-8")

    def scenario(self, text: str) -> Scenario:
        """Return the scenario of a text, put after a head of four lines."""
        path = self.root / "ui" / "x.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEAD + dedent(text), "utf-8")
        return load_scenario(path, display_name="ui/x.yaml", root=self.root)

    def cells(self, text: str, **options: Any) -> tuple[Cell, ...]:
        """Return its cells."""
        return expand(self.scenario(text), Overrides(**options))

    def refusals(self, text: str) -> list[str]:
        """Return the problems as `file:line:column message`, the scenario's without its name."""
        with pytest.raises(ScenarioError) as caught:
            self.cells(text)
        told = (f"{p.file}:{p.line}:{p.column} {p.message}" for p in caught.value.problems)
        return [line.removeprefix("ui/x.yaml:") for line in told]


@pytest.fixture
def folder(tmp_path: Path, toy: object) -> Folder:
    """Return a folder for a scenario of the toy system and the files it names."""
    return Folder(tmp_path)
