"""The JUnit report: result lines as test suites that CI systems show.

Reads result lines (DESIGN §3) and nothing else. Imports the standard library.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final

Line = Mapping[str, Any]

ELEMENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "fail": "failure",
        "error": "error",
        "unknown": "error",
        "vacuous": "error",
        "skipped": "skipped",
    }
)
"""Verdict → element of a test case; a pass has none. What is not known to hold is never green."""
QUARANTINED: Final = "quarantined"
"""The status of what runs and is shown, and does not count."""
_ILLEGAL: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(lines: Iterable[Line]) -> str:
    """Return the XML document of the result lines: a suite per scenario file, a case per cell.

    `unknown` and `vacuous` are errors of that type: the run says nothing, which must not look
    like success. What is quarantined and does not pass is skipped, with its verdict and reason: it
    does not count. Times are real seconds. Characters that XML cannot hold are written as escapes.
    """
    root = ET.Element("testsuites", name="windtunnel")
    suites = groupby(sorted(lines, key=_file), key=_file)  # sorting is stable: cells keep order
    cases = [_suite(root, file, list(group)) for file, group in suites]
    _count(root, [line for group in cases for line in group])
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, file: str, lines: Sequence[Line]) -> Sequence[Line]:
    suite = ET.SubElement(root, "testsuite", name=_legal(file))
    _count(suite, lines)
    for line in lines:
        _case(suite, line)
    return lines


def _count(element: ET.Element, lines: Sequence[Line]) -> None:
    """Set the totals that readers expect on a suite and on the root."""
    kinds = [_kind(line) for line in lines]
    element.set("tests", str(len(lines)))
    element.set("failures", str(kinds.count("failure")))
    element.set("errors", str(kinds.count("error")))
    element.set("skipped", str(kinds.count("skipped")))
    element.set("time", f"{sum(float(line.get('seconds', 0)) for line in lines):.6f}")


def _case(suite: ET.Element, line: Line) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        name=_legal(line["name"]),
        classname=_legal(line["scenario"]),
        file=_legal(line["file"]),
        line=str(line["line"]),
        time=f"{float(line.get('seconds', 0)):.6f}",
    )
    _properties(case, line)
    verdict = str(line["verdict"])
    if kind := _kind(line):
        element = ET.SubElement(case, kind)
        element.set("message", _legal(_message(line, verdict)))
        if verdict != "skipped":
            element.set("type", verdict)
            element.text = _legal(_explanation(line))
    if line.get("output"):
        ET.SubElement(case, "system-out").text = _legal(line["output"])


def _kind(line: Line) -> str:
    """Return the element of a test case, or `""` for a pass."""
    verdict = str(line["verdict"])
    if verdict == "pass":
        return ""
    return "skipped" if line.get("status") == QUARANTINED else ELEMENTS.get(verdict, "error")


def _message(line: Line, verdict: str) -> str:
    reason = str(line.get("reason") or verdict)
    set_aside = line.get("status") == QUARANTINED and verdict != "skipped"
    return f"{QUARANTINED}, {verdict}: {reason}" if set_aside else reason


def _properties(case: ET.Element, line: Line) -> None:
    values = [(name, line.get(name)) for name in ("seed", "digest", "world", "policy", "scheduler")]
    values.append(("frames", line.get("kept")))
    values += [("covers", covered) for covered in line.get("covers", ())]
    values += _standing(line)
    found = [(name, value) for name, value in values if value not in (None, "")]
    if found:
        properties = ET.SubElement(case, "properties")
        for name, value in found:
            ET.SubElement(properties, "property", name=name, value=_legal(value))


def _standing(line: Line) -> list[tuple[str, Any]]:
    """Return a status that is not the usual one, and the reason of a pass that has one."""
    status = line.get("status", "active")
    passed = line["verdict"] == "pass"
    return [
        ("status", status if status != "active" else None),
        ("reason", line.get("reason") if passed else None),
    ]


def _explanation(line: Line) -> str:
    """Return the checks that did not pass with their excerpts, and the command that replays."""
    parts = [str(line["reason"])] if line.get("reason") else []
    for check in line.get("checks", ()):
        if check["verdict"] in ("pass", "skipped"):
            continue
        place = f"{line['file']}:{check['line']}" if check["line"] else "always on"
        parts.append(f"{place}: {check['verdict']}: {check['name']}: {check['message']}")
        parts.extend(f"    {event}" for event in check.get("excerpt", ()))
    parts.append(f"frames: {line['kept']}" if line.get("kept") else "")
    parts.append(f"replay: {line['replay']}" if line.get("replay") else "")
    return "\n".join(part for part in parts if part)


def _file(line: Line) -> str:
    return str(line["file"])


def _legal(value: object) -> str:
    """Return the text with what XML 1.0 cannot hold written as an escape."""
    return _ILLEGAL.sub(lambda match: ascii(match.group())[1:-1], str(value))
