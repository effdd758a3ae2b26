"""The JUnit report, read back by others' parsers."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

from windtunnel_reports.junit import ELEMENTS, write_junit


def line(**fields: Any) -> dict[str, Any]:
    plain = {
        "v": 1,
        "scenario": "s",
        "file": "a.yaml",
        "line": 3,
        "name": "s[x=1]",
        "world": "sim",
        "policy": "specified",
        "scheduler": None,
        "seed": 7,
        "verdict": "pass",
        "reason": "",
        "checks": [],
        "digest": "abc",
        "seconds": 0.25,
        "replay": "windtunnel run a.yaml --seed 7",
        "covers": ["UI-Q1", "UI-Q2"],
    }
    return plain | fields


def tree(lines: list[dict[str, Any]]) -> ET.Element:
    return ET.fromstring(write_junit(lines).encode())  # noqa: S314 - we wrote it


def parsed(*lines: dict[str, Any]) -> Any:
    return JUnitXml.fromstring(write_junit(lines).encode())


def properties(one: dict[str, Any]) -> dict[str, str]:
    return {found.attrib["name"]: found.attrib["value"] for found in tree([one]).iter("property")}


def test_a_suite_per_file_a_case_per_cell() -> None:
    report = parsed(
        line(),
        line(name="s[x=2]", verdict="fail"),
        line(file="b.yaml", name="t", verdict="skipped"),
        line(name="s[x=3]", verdict="unknown"),
    )
    assert [(suite.name, [case.name for case in suite]) for suite in report] == [
        ("a.yaml", ["s[x=1]", "s[x=2]", "s[x=3]"]),
        ("b.yaml", ["t"]),
    ]
    assert (report.tests, report.failures, report.errors, report.skipped) == (4, 1, 1, 1)
    assert report.time == 1.0
    first = next(iter(report))
    assert (first.tests, first.failures, first.errors, first.skipped) == (3, 1, 1, 0)


@pytest.mark.parametrize(
    ("verdict", "kind"),
    [
        ("fail", Failure),
        ("error", Error),
        ("unknown", Error),
        ("vacuous", Error),
        ("skipped", Skipped),
        ("something new", Error),
    ],
)
def test_only_a_pass_is_green(verdict: str, kind: Any) -> None:
    (case,) = next(iter(parsed(line(verdict=verdict, reason="the reason"))))
    result: Any
    (result,) = case.result
    assert isinstance(result, kind)
    assert result.message == "the reason"
    if kind is not Skipped:
        assert result.type == verdict
    assert next(iter(next(iter(parsed(line()))))).result == []


def test_every_verdict_is_mapped() -> None:
    from windtunnel.checks.base import Verdict

    assert {"pass", *ELEMENTS} == set(Verdict)


def test_a_failure_says_where_what_and_how_to_replay() -> None:
    failed = {"name": "count", "verdict": "fail", "line": 9, "message": "2, not 3"}
    checks = [
        {**failed, "excerpt": ["> 1s #4", "  2s #5"]},
        {**failed, "name": "fifo", "verdict": "pass", "excerpt": []},
        {**failed, "name": "settled", "line": 0, "excerpt": []},
    ]
    (case,) = next(iter(parsed(line(verdict="fail", reason="why", checks=checks))))
    assert case.result[0].text.split("\n") == [
        "why",
        "a.yaml:9: fail: count: 2, not 3",
        "    > 1s #4",
        "      2s #5",
        "always on: fail: settled: 2, not 3",
        "replay: windtunnel run a.yaml --seed 7",
    ]


def test_properties_and_output() -> None:
    lines = [line(output="printed", scheduler="m:C")]
    (case,) = next(iter(parsed(*lines)))
    properties = tree(lines).iter("property")
    assert [(one.get("name"), one.get("value")) for one in properties] == [
        ("seed", "7"),
        ("digest", "abc"),
        ("world", "sim"),
        ("policy", "specified"),
        ("scheduler", "m:C"),
        ("covers", "UI-Q1"),
        ("covers", "UI-Q2"),
    ]
    assert case.system_out == "printed"
    assert (case.classname, case.time) == ("s", 0.25)


@given(st.text(st.characters()), st.text(st.characters(codec="utf-8")))
def test_any_text_makes_well_formed_xml(text: str, printed: str) -> None:
    texts = dict.fromkeys(("name", "scenario", "file", "reason", "replay"), text)
    fields = line(verdict="fail", output=printed, covers=[text], **texts)
    case = tree([fields]).find("testsuite/testcase")
    assert case is not None
    assert case.find("failure") is not None
    assert case.find("system-out") is not None or not printed


def test_illegal_characters_are_shown() -> None:
    (case,) = next(iter(parsed(line(verdict="fail", reason="\x1b[31m \x00 \udcff é 🎈"))))
    assert case.result[0].message == "\\x1b[31m \\x00 \\udcff é 🎈"


def test_no_lines_are_an_empty_report(tmp_path: Path) -> None:
    report = parsed()
    assert (report.tests, list(report)) == (0, [])


@pytest.mark.parametrize("verdict", ["fail", "error", "unknown", "vacuous"])
def test_what_is_quarantined_does_not_count_and_says_why(verdict: str) -> None:
    report = parsed(line(status="quarantined", verdict=verdict, reason="too late"), line())
    assert (report.failures, report.errors, report.skipped) == (0, 0, 1)
    ((case, _),) = report
    (told,) = case.result
    assert isinstance(told, Skipped)
    assert told.message == f"quarantined, {verdict}: too late"
    assert "replay: windtunnel run a.yaml --seed 7" in told.text
    assert properties(line(status="quarantined", verdict=verdict))["status"] == "quarantined"


def test_what_is_quarantined_and_passes_or_is_skipped_is_shown_as_that() -> None:
    report = parsed(
        line(status="quarantined"), line(status="quarantined", verdict="skipped", reason="no world")
    )
    ((passed, skipped),) = report
    assert passed.result == []
    assert [told.message for told in skipped.result] == ["no world"]


def test_what_is_open_is_shown_by_its_verdict_and_its_reason() -> None:
    known = line(status="open", reason="open, fails still: too late")
    mended = line(status="open", verdict="fail", reason="open, but it passes")
    report = parsed(known, mended)
    ((fails, passes),) = report
    assert fails.result == []
    found = properties(known)
    assert (found["status"], found["reason"]) == ("open", "open, fails still: too late")
    assert [(type(told), told.message) for told in passes.result] == [
        (Failure, "open, but it passes")
    ]


@pytest.mark.parametrize("verdict", ["pass", "fail"])
def test_the_folder_of_the_frames_is_a_property_and_part_of_a_failure(verdict: str) -> None:
    kept = line(verdict=verdict, kept="frames/s-1")
    assert properties(kept)["frames"] == "frames/s-1"
    ((case,),) = parsed(kept)
    texts = [result.text.splitlines()[-2] for result in case.result]
    assert texts == (["frames: frames/s-1"] if verdict == "fail" else [])
    assert "frames" not in properties(line(verdict=verdict, kept=""))


def test_an_ordinary_cell_has_no_status() -> None:
    assert not {"status", "reason"} & properties(line(status="active")).keys()
