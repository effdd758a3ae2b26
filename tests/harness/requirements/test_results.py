"""Results of an earlier run: read line by line, refused with the line that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.requirements.coverage import OPEN
from windtunnel.requirements.results import ResultsError, read_outcomes


def line(name: str, verdict: str, version: int = 1, file: str = "f", **more: str) -> str:
    return json.dumps({"v": version, "file": file, "name": name, "verdict": verdict, **more}) + "\n"


@given(st.dictionaries(st.text(min_size=1), st.sampled_from(list(Verdict))))
def test_what_was_written_is_read(verdicts: dict[str, Verdict]) -> None:
    lines = [line(name, verdict) for name, verdict in verdicts.items()]
    wanted = {("f", name): verdict for name, verdict in verdicts.items()}
    assert read_outcomes([*lines, "\n"], "r.json") == wanted


def test_the_later_of_two_stands() -> None:
    assert read_outcomes([line("a", "fail"), line("a", "pass")], "r") == {("f", "a"): Verdict.PASS}


@pytest.mark.parametrize(
    "wrong",
    [
        "{",
        "[]",
        "3",
        '{"v": 1}',
        line("a", "green"),
        '{"v":1,"file":"f","name":"a","verdict":[]}',
        '{"v":1,"name":"a","verdict":"pass"}',
        "[" * 100_000,
    ],
)
def test_what_is_no_result_line(wrong: str) -> None:
    with pytest.raises(ResultsError, match=r"r.json:2: this is no result line"):
        read_outcomes([line("a", "pass"), wrong], "r.json")


def test_another_version() -> None:
    with pytest.raises(ResultsError, match=r"r.json:1: version 2, this one reads 1"):
        read_outcomes([line("a", "pass", version=2)], "r.json")


def test_what_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    file.write_bytes(line("a", "pass").encode() + b"\xff\n")
    with file.open(encoding="utf-8") as lines, pytest.raises(ResultsError, match="is not UTF-8"):
        read_outcomes(lines, "r.json")


def test_cells_of_two_files_that_have_one_name_are_two() -> None:
    lines = [line("a", "pass", file="x"), line("a", "fail", file="y")]
    assert read_outcomes(lines, "r") == {("x", "a"): Verdict.PASS, ("y", "a"): Verdict.FAIL}


def test_what_fails_as_it_is_known_to_has_not_passed() -> None:
    lines = [line("a", "pass", status="open"), line("b", "fail", status="open")]
    lines += [line("c", "pass", status="quarantined")]
    assert list(read_outcomes(lines, "r").values()) == [OPEN, Verdict.FAIL, Verdict.PASS]
