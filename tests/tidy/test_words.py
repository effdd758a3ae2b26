"""Words: what no file of the repository says, and what lies where only data belongs."""

from __future__ import annotations

import re
from typing import Protocol

import pytest

# Written in halves, so that this file does not say them.
UNFINISHED = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
FOREIGN = [
    # places on the machine of whoever wrote a file
    "/wo" + "rk/",
    "/ro" + "ot/",
    # how a file came about, which is nothing to its reader
    "help" + "ers?",
    "sub" + "agents?",
    "Cla" + "ude",
    "Anthro" + "pic",
    "Chat" + "GPT",
    "Co-Authored" + "-By",
]
NOT_TEXT = (".png", ".gif", ".gz", ".zip", ".whl", ".db", ".ico", ".woff2")


class Repository(Protocol):
    """What these tests read."""

    files: list[str]

    def texts(self, *names: str) -> dict[str, str]:
        """Read files."""


def said(words: list[str], texts: dict[str, str]) -> list[str]:
    """Each place where one of the words stands, as path:line: word."""
    whole = [rf"(?<!\w){word}" if word[0] == "/" else rf"\b{word}\b" for word in words]
    sought = re.compile("|".join(whole), re.IGNORECASE)
    return [
        f"{name}:{number}: {match.group()}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        for match in sought.finditer(line)
    ]


@pytest.mark.parametrize("words", [UNFINISHED, FOREIGN], ids=["unfinished", "foreign"])
def test_no_file_says(words: list[str], repository: Repository) -> None:
    names = [name for name in repository.files if not name.endswith(NOT_TEXT)]
    places = said(words, repository.texts(*names))
    assert not places, "\n".join(places)


def test_constraints_name_no_host_and_no_path(repository: Repository) -> None:
    lines = repository.texts("constraints.txt")["constraints.txt"].splitlines()
    assert [line for line in lines if "/" in line or " @ " in line or line.startswith("-")] == []


def test_there_is_a_changelog(repository: Repository) -> None:
    assert "CHANGELOG.md" in repository.files


def test_scenarios_hold_no_code(repository: Repository) -> None:
    data = (".yaml", ".csv", ".md")
    names = [name for name in repository.files if name.startswith("scenarios/")]
    assert names
    assert [name for name in names if not name.endswith(data)] == []


def test_a_word_is_seen_whole_in_any_case_and_in_a_path() -> None:
    words = ["se" + "cret", "/pla" + "ce/"]
    texts = {"a": "a Secret.\nsecretary\n", "b": "no/place/x\n'/place/x\n"}
    assert said(words, texts) == ["a:1: Secret", "b:2: /place/"]
