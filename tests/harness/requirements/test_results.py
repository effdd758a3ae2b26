"""Results of an earlier run: read line by line, refused with the line that is wrong."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.requirements.results import ResultsError, read_verdicts


def line(name: str, verdict: str, version: int = 1) -> str:
    return json.dumps({"v": version, "name": name, "verdict": verdict}) + "\n"


@given(st.dictionaries(st.text(min_size=1), st.sampled_from(list(Verdict))))
def test_what_was_written_is_read(verdicts: dict[str, Verdict]) -> None:
    lines = [line(name, verdict) for name, verdict in verdicts.items()]
    assert read_verdicts([*lines, "\n"], "r.json") == verdicts


def test_the_later_of_two_stands() -> None:
    assert read_verdicts([line("a", "fail"), line("a", "pass")], "r") == {"a": Verdict.PASS}


@pytest.mark.parametrize(
    "wrong", ["{", "[]", "3", '{"v": 1}', line("a", "green"), '{"v":1,"name":"a","verdict":[]}']
)
def test_what_is_no_result_line(wrong: str) -> None:
    with pytest.raises(ResultsError, match=r"r.json:2: this is no result line"):
        read_verdicts([line("a", "pass"), wrong], "r.json")


def test_another_version() -> None:
    with pytest.raises(ResultsError, match=r"r.json:1: version 2, this one reads 1"):
        read_verdicts([line("a", "pass", version=2)], "r.json")
