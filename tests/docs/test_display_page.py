"""The page on the real display is true: what it names is there, its tables are the code's."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from windtunnel.scenario.selecting.selection import Request, select
from windtunnel_real.doctor.kinds import KINDS
from windtunnel_real.drivers.driver import DRIVERS
from windtunnel_real.standin.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "display.md").read_text(encoding="utf-8")
SCENARIOS = {path.stem for path in (ROOT / "scenarios" / "ui").glob("*.yaml")}
LONGEST = 60_000
"""Bytes of a picture in the documentation."""


def section(title: str) -> str:
    _, found, after = TEXT.partition(f"## {title}\n")
    assert found, title
    return after.partition("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    """Return the rows of a section's table, cell by cell, without the header."""
    lines = [line for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


def names(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


TROUBLE = rows("What goes wrong on displays")


@pytest.fixture(scope="module")
def tests_there() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "tests/real").rglob("test_*.py"))
    found = {name for text in texts for name in re.findall(r"def (test_\w+)", text)}
    assert len(found) > 300
    return found


def test_every_test_that_is_named_is_there(tests_there: set[str]) -> None:
    named = set(re.findall(r"`(test_\w+)`", TEXT))
    assert len(named) > 50
    assert named - tests_there == set()


@pytest.mark.parametrize("row", TROUBLE, ids=lambda row: re.sub(r"\W+", "-", row[0])[:40])
def test_every_trouble_is_provoked_and_answered(row: list[str]) -> None:
    what, provoked, done = row
    assert what
    assert done
    named = names(provoked)
    assert [one for one in named if one.startswith("test_") or one in SCENARIOS] == named != []


def test_what_the_doctor_is_said_to_see_it_sees() -> None:
    said = {name for *_, done in TROUBLE for name in names(done.partition("doctor: ")[2])}
    assert len(said) > 15
    assert said - {kind.title for kind in KINDS.values()} == set()


def test_every_scenario_that_is_named_allows_it_or_is_there() -> None:
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+){2,})`", TEXT))
    assert named <= SCENARIOS
    for name in (one for one in named if one.endswith("-on-a-display")):
        cells = select(Request((f"ui/{name}.yaml",), world="real")).cells
        assert len({cell.seed for cell in cells}) == 20


def test_the_drivers_are_those_of_the_code() -> None:
    assert tuple(row[0].strip("`") for row in rows("Drivers")) == DRIVERS


def test_the_commands_of_the_stand_in_are_those_of_the_code() -> None:
    assert {name for row in rows("The stand-in") for name in names(row[0])} == set(COMMANDS)


def test_every_option_is_one_of_the_command(tmp_path: Path, shown: Callable[..., str]) -> None:
    told = shown(tmp_path, "run", "--help")
    above, _, _ = TEXT.partition("## When a command")
    options = set(re.findall(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*", above))
    assert len(options) > 5
    assert [option for option in sorted(options) if option not in told] == []


def test_the_picture_of_the_stand_in_is_small() -> None:
    picture = ROOT / "docs" / "standin.png"
    assert "(standin.png)" in TEXT
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size <= LONGEST


def test_the_page_is_read_in_one_sitting() -> None:
    assert len(TEXT.splitlines()) <= 250
