"""Where results go: lines of JSON, whatever the figures are."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import JUnitXml

from windtunnel.checks.base import Verdict
from windtunnel.cli.output_file import OutputError
from windtunnel.cli.sinks import JsonStdout, JunitFile, TraceFile, to_json
from windtunnel.errors import Problem
from windtunnel.scenario.results import CellResult

RESULT = CellResult(
    *("s", "f.yaml", 1, "s[x=1]", {"x": 1}, "sim", "specified", None, 0, Verdict.PASS),
    digest="d",
    trace=('{"t":0}\n', '{"t":1}'),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), values))
def test_any_line_is_one_line_of_strict_json(line: dict[str, object]) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    text = to_json(line)
    assert "\n" not in text
    assert text.isascii()
    assert json.loads(text, parse_constant=refuse).keys() == line.keys()


def test_what_json_lacks_is_a_string() -> None:
    assert json.loads(to_json({"a": [math.inf, {"b": math.nan}], "c": 1.5})) == {
        "a": ["inf", {"b": "nan"}],
        "c": 1.5,
    }


def test_a_closed_stream_is_told() -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(OutputError, match="cannot write standard output: Broken pipe"):
        JsonStdout(Closed()).add(RESULT, {})


def test_a_trace_names_its_cell(tmp_path: Path) -> None:
    sink = TraceFile(str(tmp_path / "t"))
    sink.add(RESULT, {})
    sink.commit()
    assert [json.loads(line) for line in (tmp_path / "t").read_text().splitlines()] == [
        {"cell": "s[x=1]", "file": "f.yaml", "world": "sim", "verdict": "pass", "digest": "d"},
        {"t": 0},
        {"t": 1},
    ]


def test_a_broken_file_is_no_green_report(tmp_path: Path) -> None:
    problems = [Problem("b.yaml", 3, 1, "wrong"), Problem("b.yaml", 4, 1, "also wrong")]
    sink = JunitFile(str(tmp_path / "j"), problems)
    sink.add(RESULT, RESULT.as_json())
    sink.commit()
    report = JUnitXml.fromfile(str(tmp_path / "j"))
    assert (report.tests, report.errors) == (2, 1)
    assert "b.yaml:4:1: error: also wrong" in (tmp_path / "j").read_text()


def test_a_broken_file_of_an_odd_name_is_checked_again_by_it(tmp_path: Path) -> None:
    sink = JunitFile(str(tmp_path / "j"), [Problem("-a b.yaml", 3, 1, "wrong")])
    sink.commit()
    assert "replay: windtunnel check './-a b.yaml'" in (tmp_path / "j").read_text()
