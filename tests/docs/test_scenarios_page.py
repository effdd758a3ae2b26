"""The page on scenario files is true: its examples pass, it names every field, phase and fault."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.event_names import PHASES
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.reading.entries import TimelineEntry
from windtunnel.scenario.reading.loading import FIELDS
from windtunnel.scenario.reading.models import FEATURES
from windtunnel.scenario.selecting.selection import Request, select
from windtunnel.systems.ui.faults import FAULTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scenarios.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w+\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
SCENARIOS = [block for block in BLOCKS if block.startswith("format:")]
SHARED = [block for block in BLOCKS if not block.startswith("format:")]


def written(block: str, folder: Path) -> Path:
    """Write a block: a scenario, or a file that others name, its own name in its first line."""
    if block.startswith("format:"):
        file = folder / "scenario.yaml"
        file.write_text(block, encoding="utf-8")
        return file
    first, _, rest = block.partition("\n")
    file = folder / first.removeprefix("# ")
    file.write_text(rest, encoding="utf-8")
    return file


@pytest.mark.parametrize("block", SCENARIOS, ids=lambda block: block.split()[3])
def test_the_scenarios_shown_pass(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for shared in SHARED:
        written(shared, tmp_path)
    selection = select(Request(paths=(str(written(block, tmp_path)),)))
    assert not selection.problems
    results = [run_cell(cell) for cell in selection.cells]
    assert [(one.name, one.verdict, one.reason) for one in results] == [
        (one.name, Verdict.PASS, one.reason) for one in results
    ]
    assert results


def test_every_file_shown_is_named_by_a_scenario() -> None:
    names = [block.partition("\n")[0].removeprefix("# ") for block in SHARED]
    assert names
    assert all(any(name in block for block in SCENARIOS) for name in names)


@pytest.mark.parametrize("words", [FIELDS, TimelineEntry.model_fields, PHASES, FAULTS, FEATURES])
def test_every_word_of_the_format_is_told(words: tuple[str, ...]) -> None:
    assert [word for word in words if f"`{word}`" not in TEXT and f"`{word}:" not in TEXT] == []
