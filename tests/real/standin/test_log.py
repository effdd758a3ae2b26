"""The log: lines are JSON, in order, in the file before anybody hears them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from windtunnel.acting import Acting
from windtunnel_real.standin.log import Log, as_line


def test_lines_are_in_the_file_before_they_are_heard(tmp_path: Path) -> None:
    file = tmp_path / "log"
    log, heard = Log(file), []

    def hear(line: Any) -> None:
        heard.append((line["kind"], file.read_text("utf-8").count("\n")))

    log.listener = hear
    log.note("click", target="search")
    log.record("message.delivered", "op", "actor", "send_text", "bob", "", {"text": "你好"})
    waiting = log.has_lines
    assert waiting
    assert not file.read_text("utf-8")
    log.tell()
    assert not log.has_lines
    assert heard == [("click", 2), ("message.delivered", 2)]
    first, second = map(json.loads, file.read_text("utf-8").splitlines())
    assert first["resource"] == "wechat"
    assert first["details"] == {"target": "search"}
    assert (second["resource"], second["details"]) == ("bob", {"text": "你好"})
    assert first["at"] <= second["at"]
    log.tell()
    assert file.read_text("utf-8").count("\n") == 2


def test_a_second_process_appends(tmp_path: Path) -> None:
    for kind in ("one", "two"):
        log = Log(tmp_path / "log")
        log.note(kind)
        log.tell()
    lines = (tmp_path / "log").read_text("utf-8").splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["one", "two"]


def test_what_a_click_hit_instead_is_no_line(surface: Any) -> None:
    surface.missed("search", "popup", Acting("", ""))
    assert surface.trace.missed == "popup"
    assert not surface.trace.has_lines


@given(st.text())
def test_any_text_is_a_line(text: str) -> None:
    line = as_line({"text": text})
    assert line.count("\n") == 1
    written = line.encode(errors="backslashreplace").decode()
    assert json.loads(written) == {"text": text}
