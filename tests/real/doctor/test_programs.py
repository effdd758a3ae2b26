"""Programs: there or not, running or not, and the fonts."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import ImageFont

from doctor_kit import write_program
from windtunnel_real.doctor import programs
from windtunnel_real.doctor.programs import ASKED, fonts, program
from windtunnel_real.doctor.seen import bad, warn
from windtunnel_real.errors import StandinError
from windtunnel_real.standin import fonts as standin_fonts


@pytest.mark.parametrize("name", ASKED)
def test_each_of_ours_is_there_and_runs(name: str) -> None:
    seen = program(name, bad)
    assert (seen.state, seen.text.endswith(f"/{name}")) == ("ok", True)


def test_one_that_is_missing_is_as_grave_as_it_was_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program("scrot", warn) == warn("there is none on the PATH")
    assert program("Xvfb", bad) == bad("there is none on the PATH")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo scrot version 9.8 >&2", "9.8, {path}"),
        ("echo hello", "{path}"),
        (
            "echo one; echo libX.so: not found; exit 127",
            "{path} does not run: exit code 127, libX.so: not found",
        ),
        ("exit 3", "{path} does not run: exit code 3, it says nothing"),
    ],
)
def test_what_it_says_is_told(
    script: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write_program(tmp_path, "scrot", script)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    seen = program("scrot", warn)
    assert seen.text == told.format(path=path)
    assert seen.state == ("warn" if "does not run" in told else "ok")


def test_one_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write_program(tmp_path, "scrot", "exec sleep 1000")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(programs, "_PATIENCE_S", 0.2)
    seen = program("scrot", warn)
    assert (seen.state, "does not answer within 0.2 s" in seen.text) == ("warn", True)


def test_one_that_is_no_program_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write_program(tmp_path, "scrot", "").write_text("words", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "does not run: Exec format error" in program("scrot", warn).text


def test_a_font_with_chinese_letters_is_found() -> None:
    assert fonts().state == "ok"


def test_a_font_without_them_is_worth_knowing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Boxes:
        def getmask(self, _: str) -> bytes:
            return b"box"

    monkeypatch.setattr(ImageFont, "truetype", lambda *_, **__: Boxes())
    seen = fonts()
    assert (seen.state, "has no Chinese letters" in seen.text) == ("warn", True)


def test_no_font_at_all_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> Path:
        raise StandinError("no TrueType font")

    monkeypatch.setattr(standin_fonts, "font_file", find)
    assert fonts() == bad("no TrueType font")
