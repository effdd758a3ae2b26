"""The doctor's command: its table, the lines that mend, those for machines, the exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from windtunnel import builtin

Call = Callable[..., Result]
Say = Callable[..., list[str | None]]


def row(name: str, state: str, place: str = "machine", **more: str) -> dict[str, Any]:
    told = {"id": name, "place": place, "title": f"the {name}", "state": state, "seen": "so it is"}
    noted = {"breaks": f"{name} breaks", "mend": f"mend {name}"} if state in {"bad", "warn"} else {}
    return told | noted | more


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Say:
    """Give a function that sets what the doctor says; it returns the displays it was asked for."""

    def set_rows(*rows: dict[str, Any]) -> list[str | None]:
        asked: list[str | None] = []

        def examine(display: str | None) -> list[dict[str, Any]]:
            asked.append(display)
            return list(rows)

        monkeypatch.setattr(builtin, "load_plugin", lambda *_: examine)
        return asked

    return set_rows


@pytest.mark.parametrize(
    ("states", "code", "summary"),
    [
        (["ok"], 0, "the real world can run here: 1 ok"),
        (["ok", "warn", "unseen"], 0, "the real world can run here: 1 ok, 1 warn, 1 unseen"),
        (["warn", "bad"], 4, "the real world cannot run here: 1 warn, 1 bad"),
    ],
)
def test_only_what_is_bad_keeps_it_from_running(
    states: list[str], code: int, summary: str, call: Call, say: Say
) -> None:
    say(*(row(f"n{number}", state) for number, state in enumerate(states)))
    result = call("doctor")
    assert (result.exit_code, result.stderr) == (code, "")
    assert result.stdout.splitlines()[-1] == summary


def test_what_to_do_stands_below_the_gravest_first(call: Call, say: Say) -> None:
    say(row("a", "ok"), row("b", "warn"), row("c", "bad"), row("d", "bad", mend=""))
    lines = call("doctor").stdout.splitlines()
    assert lines[0].split() == ["state", "what", "seen"]
    assert [line.split()[:3] for line in lines[2:6]] == [
        ["ok", "the", "a"], ["warn", "the", "b"], ["bad", "the", "c"], ["bad", "the", "d"],
    ]  # fmt: skip
    assert [line for line in lines[6:-2] if line] == [
        "bad   the c: c breaks",
        "      mend c",
        "bad   the d: d breaks",
        "warn  the b: b breaks",
        "      mend b",
    ]


def test_a_line_that_mends_is_never_broken(
    call: Call, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    long = "apt-get install --yes --no-install-recommends something-with-a-long-name"
    say(row("a", "bad", mend=long, breaks="word " * 20))
    lines = call("doctor").stdout.splitlines()
    assert f"      {long}" in lines
    assert max(len(line) for line in lines if long not in line) <= 46


def test_places_are_set_apart(call: Call, say: Say) -> None:
    say(row("a", "ok", "programs"), row("b", "ok", "programs"), row("c", "ok", "display"))
    lines = call("doctor").stdout.splitlines()
    assert [bool(line) for line in lines[2:6]] == [True, True, False, True]


def test_rows_that_were_not_looked_at_for_one_reason_are_one(call: Call, say: Say) -> None:
    unseen = [row(name, "unseen", "display", seen="there is no display") for name in "abc"]
    say(row("x", "bad"), *unseen, row("d", "unseen", "display", seen="no scrot"))
    result = call("doctor")
    assert [line.split(maxsplit=3) for line in result.stdout.splitlines() if "unseen " in line] == [
        ["unseen", "3", "others", "there is no display"],
        ["unseen", "the", "d", "no scrot"],
    ]
    assert result.stdout.endswith(": 1 bad, 4 unseen\n")


def test_control_characters_do_not_reach_the_terminal(call: Call, say: Say) -> None:
    say(row("a", "bad", seen="\x1b[31mred", breaks="\x07", mend="\x1b]0;x"))
    assert not {"\x1b", "\x07"} & set(call("doctor").stdout)


def test_a_display_is_handed_on(call: Call, say: Say) -> None:
    asked = say(row("a", "ok"))
    call("doctor")
    call("doctor", "--display", ":7")
    assert asked == [None, ":7"]


def test_lines_for_machines_on_standard_output(call: Call, say: Say) -> None:
    rows = [row("a", "ok"), row("b", "bad")]
    say(*rows)
    result = call("doctor", "--json")
    assert result.exit_code == 4
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"v": 1, **one} for one in rows
    ]
    assert result.stderr.endswith("the real world cannot run here: 1 ok, 1 bad\n")


def test_lines_for_machines_in_a_file(call: Call, say: Say, tmp_path: Path) -> None:
    say(row("a", "ok"))
    file = tmp_path / "doctor.json"
    result = call("doctor", "--json", str(file))
    assert json.loads(file.read_text(encoding="utf-8"))["id"] == "a"
    assert "the real world can run here" in result.stdout
    assert call("doctor", "--json", str(tmp_path / "no" / "file")).exit_code == 2


def test_an_installation_without_the_real_world(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = {**builtin.BUILTIN, "doctors": {"real": "no_such_package.doctor:examine"}}
    monkeypatch.setattr(builtin, "BUILTIN", nowhere)
    result = call("doctor")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr == "Error: the real world is not part of this installation\n"


def test_an_installation_without_the_extra_is_told_the_lines(environment: dict[str, str]) -> None:
    block = (
        "import sys\n"
        "for name in ('Xlib', 'mss', 'numpy', 'PIL'): sys.modules[name] = None\n"
        "from windtunnel.cli import main\nmain(['doctor'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", block], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (4, "")
    assert f"{sys.executable} -m pip install" in done.stdout
    assert done.stdout.endswith(" unseen\n")
