"""The page on systems is true: its system is loaded and plays, its tables are those of the code."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

from windtunnel import kinds
from windtunnel.checks.base import Verdict
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.selecting.selection import Request, select
from windtunnel.scenario.systems import load_system
from windtunnel.systems.base import System, SystemUnderTest
from windtunnel.world import WorldSpec
from windtunnel_models.parts import Ground, Part
from windtunnel_models.world import PARTS, SimWorld

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "systems.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
PROJECT = tomllib.loads(BLOCKS["toml"])["project"]
COMMAND = "windtunnel run crash.yaml"
METADATA = f"Metadata-Version: 2.1\nName: {PROJECT['name']}\nVersion: {PROJECT['version']}\n"


def install(folder: Path, source: str) -> None:
    """Put the module shown and its scenario there, as an installed distribution has them."""
    (folder / "shop.py").write_text(source, encoding="utf-8")
    (folder / "crash.yaml").write_text(BLOCKS["yaml"], encoding="utf-8")
    info = folder / "shop-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA, encoding="utf-8")
    ((group, points),) = PROJECT["entry-points"].items()
    lines = "".join(f"{name} = {target}\n" for name, target in points.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines}", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a folder on the path; what is loaded from it, and declared by it, goes again."""
    known = set(kinds.KINDS)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("shop", None)
    for name in kinds.KINDS.keys() - known:
        del kinds._kinds[name]  # nobody else takes a kind back


def play(folder: Path, *, explore: int | None = None) -> list[CellResult]:
    file = folder / "crash.yaml"
    ties = f"ties: {{order: seeded, explore: {explore}}}\n" if explore else ""
    file.write_text(BLOCKS["yaml"] + ties, encoding="utf-8")
    selection = select(Request(paths=(str(file),)))
    assert not selection.problems
    return [run_cell(cell) for cell in selection.cells]


def test_the_system_shown_plays_its_scenario_in_many_orders(folder: Path) -> None:
    install(folder, BLOCKS["python"])
    results = play(folder, explore=60)
    assert [(one.verdict, one.reason) for one in results] == [(Verdict.PASS, "")] * 2


def test_the_command_shown_prints_what_is_shown(
    tmp_path: Path, shown: Callable[..., str], printed: Callable[[str, str], str]
) -> None:
    install(tmp_path, BLOCKS["python"])
    assert shown(tmp_path, *COMMAND.split()[1:]) == printed(TEXT, COMMAND)


def test_a_wake_up_that_is_lost_is_found_by_exploration(folder: Path) -> None:
    clear, wait = r"^ +self\._news\.clear\(\).*\n", r"^( +)(await self\._news\.wait\(\))\n"
    assert "--explore 60" in TEXT
    source = re.sub(clear, "", BLOCKS["python"], flags=re.MULTILINE)
    late = re.sub(wait, r"\1self._news.clear()\n\1\2\n", source, flags=re.MULTILINE)
    assert late.count("_news.clear()") == 1
    install(folder, late)
    assert {one.verdict for one in play(folder)} == {Verdict.PASS}
    assert {one.verdict for one in play(folder, explore=60)} == {Verdict.FAIL}


def test_the_lines_of_the_system_shown_are_counted() -> None:
    assert f"in {len(BLOCKS['python'].splitlines())} lines:" in " ".join(TEXT.split())


def members(protocol: type) -> set[str]:
    methods = {name for name, value in vars(protocol).items() if callable(value)}
    named = set(get_type_hints(protocol)) | methods
    return {name for name in named if not name.startswith("_")}


def table(first: str) -> dict[str, list[str]]:
    """Return the rows of the table whose first column is so called, by each name in that column."""
    _, found, after = TEXT.partition(f"\n| {first} |")
    assert found
    rows = [line.split("|")[1:-1] for line in after.partition("\n\n")[0].splitlines()[2:]]
    return {name: row[1:] for row in rows for name in re.findall(r"`(\w+)", row[0])}


def test_every_attribute_of_a_system_is_told(folder: Path) -> None:
    optional = {"kinds", "batches", "brings", "background", "mistakes", "observable_parts"}
    told = set(table("attribute"))
    assert told == members(System) | optional
    documented = re.sub(r"\(given[^)]*\)", "", System.__doc__ or "")
    assert all(f"`{name}`" in documented for name in optional)
    install(folder, BLOCKS["python"])
    shop = load_system("shop")
    assert [name for name in members(System) | {"kinds"} if not hasattr(shop, name)] == []


def test_what_is_built_has_what_is_told() -> None:
    sentence = TEXT.partition("What `build` returns has ")[2].partition(".")[0]
    assert set(re.findall(r"`(\w+)`", sentence)) == members(SystemUnderTest)


def members_of_part() -> set[str]:
    return {name for name, value in vars(Part).items() if isinstance(value, property)}


def test_a_part_has_what_is_told() -> None:
    assert set(table("a part needs")) >= members_of_part()
    sentence = TEXT.partition("takes a\n`Ground` (")[2].partition(")")[0]
    assert len(sentence.split(", ")) == len(get_type_hints(Ground))


def test_the_parts_are_those_of_the_world() -> None:
    parts = table("part")
    assert set(parts) == set(PARTS)
    for name, (ports, _faults) in parts.items():
        part = SimWorld(WorldSpec(given={}, parts=(name,))).parts[name]
        offered = ports.partition(", and from")[0]
        assert set(re.findall(r"`(\w+)`", offered)) == set(part.ports)
