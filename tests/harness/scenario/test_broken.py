"""Broken files: each says in its first lines which errors it has, and where; no other is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from windtunnel.errors import Problem, ScenarioError
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import load_scenario

FILES = sorted((Path(__file__).parent / "broken").glob("*.yaml"))
_EXPECTED = re.compile(r"#! (?P<place>(?:\S+:)?\d+:\d+) (?P<message>.+)")
"""A place in a file that this one names begins with that file's path."""


def expected(text: str) -> list[tuple[str, str]]:
    lines = text.splitlines()
    return [(m["place"], m["message"]) for line in lines if (m := _EXPECTED.fullmatch(line))]


def found(path: Path) -> tuple[Problem, ...]:
    with pytest.raises(ScenarioError) as caught:
        expand(load_scenario(path, display_name=path.name))
    return caught.value.problems


def place(path: Path, problem: Problem) -> str:
    named = "" if problem.file == path.name else f"{problem.file}:"
    return f"{named}{problem.line}:{problem.column}"


def test_there_are_many() -> None:
    assert len(FILES) > 140


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.usefixtures("toy")
def test_every_mistake_is_told_at_its_place(path: Path) -> None:
    wanted = sorted(expected(path.read_text("utf-8")))
    told = sorted((place(path, problem), problem.message) for problem in found(path))
    assert wanted, "the file says what is expected of it"
    assert [where for where, _ in told] == [where for where, _ in wanted], told
    for (_, message), (_, fragment) in zip(told, wanted, strict=True):
        assert fragment in message


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.usefixtures("toy")
def test_messages_are_for_people(path: Path) -> None:
    jargon = re.compile(r"pydantic|Input should|Value error|https?:|<class|__|\bctx\b")
    for problem in found(path):
        assert "\n" not in str(problem)
        assert not jargon.search(problem.message.replace("__import__", ""))
