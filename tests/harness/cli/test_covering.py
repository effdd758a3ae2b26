"""Covering: the table, the list of what is missing, mistakes, JSON lines and exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import Result

from windtunnel import builtin
from windtunnel.world import WorldSpec
from windtunnel_models.world import SimWorld

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

Call = Callable[..., Result]
SCENARIO = """\
format: 1
name: one-send
system: ui
policy: specified
covers: [MY-1, MY-2]
timeline:
  - {at: 0s, submit: send_text, id: send, args: {to: alice, text: hello}}
expect:
  - count: {of: send_text, equals: 1}
"""


@pytest.fixture
def cover(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Give a function that calls the command over a project of one scenario and one test."""
    monkeypatch.chdir(tmp_path)
    write("mine.yaml", "MY-1: One.\nMY-2: Two.\nMY-3: Three.\nMY-4: Four.\n")
    write("scenarios/one.yaml", SCENARIO)
    write("tests/test_it.py", "@pytest.mark.spec('MY-2', 'MY-3')\ndef test_it(): ...\n")
    return lambda *arguments: call("coverage", "--catalogue", "mine.yaml", *arguments)


def write(name: str, text: str) -> None:
    file = Path(name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


def rows(result: Result) -> list[list[str]]:
    lines = result.stdout.splitlines()
    return [line.split() for line in lines if line.startswith("MY-")]


def test_who_names_each_and_what_came_of_it(cover: Call) -> None:
    result = cover("scenarios")
    assert (result.exit_code, result.stderr) == (0, "")
    assert rows(result) == [
        ["MY-1", "pass", "one-send"],
        ["MY-2", "pass", "one-send", "test_it"],
        ["MY-3", "–", "test_it"],
    ]
    assert "not covered:\n  MY-4: Four.\n" in result.stdout
    assert result.stdout.endswith("3 of 4 requirements covered, 1 cell of 1 file\n")


def test_a_requirement_that_is_not_covered_fails_only_where_all_are_required(cover: Call) -> None:
    result = cover("scenarios", "--require-all")
    assert result.exit_code == 1
    assert result.stdout.endswith("--require-all: not every requirement is covered\n")
    write("tests/test_more.py", "pytestmark = pytest.mark.spec('MY-4')\n")
    assert cover("scenarios", "--require-all").exit_code == 0


def test_a_scenario_that_fails_covers_and_is_red(cover: Call) -> None:
    write("scenarios/one.yaml", SCENARIO.replace("equals: 1", "equals: 2"))
    result = cover("scenarios")
    assert result.exit_code == 1
    assert rows(result)[0] == ["MY-1", "fail", "one-send"]
    assert result.stdout.endswith("\n1 cell failed: one-send\n")


def test_a_scenario_that_was_skipped_does_not_cover(
    cover: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_is(monkeypatch, "nowhere.to.be:World")
    write("scenarios/one.yaml", SCENARIO.replace("system:", "world: [real]\nsystem:"))
    result = cover("scenarios")
    assert result.exit_code == 5
    assert "  MY-1: One. (only by scenarios that were skipped)\n" in result.stdout


def test_no_frames_are_kept_that_nobody_is_told_of(
    cover: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"

    class Keeping(SimWorld):
        name = "real"

        def __init__(self, spec: WorldSpec) -> None:
            super().__init__(spec)
            asked.write_text(spec.options.frames)

    module = ModuleType("keeping_of_the_tests")
    module.Keeping = Keeping  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    real_is(monkeypatch, f"{module.__name__}:Keeping")
    write("scenarios/one.yaml", SCENARIO.replace("system:", "world: [real]\nsystem:"))
    assert cover("scenarios").exit_code == 0
    assert asked.read_text() == "none"


def real_is(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    """Put a class into the place of the real world."""
    worlds = {**builtin.BUILTIN["worlds"], "real": target}
    monkeypatch.setattr(builtin, "BUILTIN", {**builtin.BUILTIN, "worlds": worlds})


def test_what_is_quarantined_does_not_gate(cover: Call) -> None:
    red = SCENARIO.replace("equals: 1", "equals: 2")
    write("scenarios/one.yaml", red.replace("system:", "status: quarantined\nsystem:"))
    result = cover("scenarios")
    assert result.exit_code == 0
    assert rows(result)[0] == ["MY-1", "fail", "one-send"]
    assert "1 cell failed" not in result.stdout


def test_what_is_known_to_fail_is_open_and_not_passed(cover: Call, call: Call) -> None:
    red = SCENARIO.replace("equals: 1", "equals: 2")
    write("scenarios/one.yaml", red.replace("system:", "status: open\nsystem:"))
    assert call("run", "scenarios", "--json", "results.json").exit_code == 0
    for more in ((), ("--results", "results.json")):
        result = cover("scenarios", *more)
        assert result.exit_code == 0
        assert rows(result)[0] == ["MY-1", "open", "one-send"]


def test_two_scenarios_of_one_name_are_two(cover: Call) -> None:
    red = SCENARIO.replace("equals: 1", "equals: 2").replace("[MY-1, MY-2]", "[MY-3]")
    write("scenarios/two.yaml", red)
    result = cover("scenarios")
    assert [row[:2] for row in rows(result)] == [
        ["MY-1", "pass"],
        ["MY-2", "pass"],
        ["MY-3", "fail"],
    ]


def test_a_scenario_that_says_nothing_does_not_cover(cover: Call) -> None:
    write("scenarios/one.yaml", SCENARIO + "limits: {sim: 1ms}\n")
    result = cover("scenarios")
    assert result.exit_code == 3
    assert "  MY-1: One. (only by scenarios that were unknown)\n" in result.stdout
    assert result.stdout.endswith("\n1 cell unknown: one-send\n")


def test_a_test_that_is_skipped_does_not_cover(cover: Call) -> None:
    write("tests/test_it.py", "@pytest.mark.skip\n@pytest.mark.spec('MY-4')\ndef test_it(): ...\n")
    result = cover("scenarios")
    assert "  MY-4: Four. (only by tests that are skipped)\n" in result.stdout


def test_no_scenario_is_overwritten(cover: Call) -> None:
    result = cover("scenarios", "--json", "scenarios/one.yaml")
    assert result.exit_code == 2
    assert "an output is not named *.yaml" in result.stderr
    assert Path("scenarios/one.yaml").read_text() == SCENARIO


def test_a_scheduler_that_does_not_fit_is_a_mistake(cover: Call) -> None:
    result = cover("scenarios", "--scheduler", "json:JSONDecoder")
    assert result.exit_code == 2
    assert rows(result)[0] == ["MY-1", "error", "one-send"]


def test_ids_that_are_no_requirements_are_told_at_their_places(cover: Call) -> None:
    write("scenarios/one.yaml", SCENARIO.replace("[MY-1, MY-2]", "[MY-1, MY-22]"))
    write("tests/test_more.py", "@mark.spec('MY-1',\n  'YM-1')\ndef test_it(): ...\n")
    result = cover("scenarios")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "scenarios/one.yaml:5:16: error: there is no requirement `MY-22`; did you mean `MY-2`?",
        "tests/test_more.py:2:3: error: there is no requirement `YM-1`; did you mean `MY-1`?",
    ]


def test_a_broken_scenario_and_a_broken_test_are_mistakes(cover: Call) -> None:
    write("scenarios/two.yaml", "format: 1\n")
    write("tests/test_more.py", "def broken(:\n")
    result = cover("scenarios")
    assert result.exit_code == 2
    assert "scenarios/two.yaml:1:1: error:" in result.stderr
    assert "tests/test_more.py:1:12: error: cannot read it" in result.stderr
    assert rows(result)[0] == ["MY-1", "pass", "one-send"]


def test_verdicts_of_an_earlier_run(cover: Call, call: Call) -> None:
    assert call("run", "scenarios", "--json", "results.json").exit_code == 0
    write("results.json", Path("results.json").read_text().replace('"pass"', '"vacuous"'))
    result = cover("scenarios", "--results", "results.json")
    assert result.exit_code == 3
    assert rows(result)[0] == ["MY-1", "vacuous", "one-send"]


def test_a_cell_that_an_earlier_run_lacks_has_not_passed(cover: Call) -> None:
    write("results.json", "")
    result = cover("scenarios", "--results", "results.json")
    assert result.exit_code == 3
    assert "  MY-1: One. (only by scenarios that were not run)\n" in result.stdout
    assert result.stdout.endswith("\n1 cell not run: one-send\n")


def test_results_that_are_none(cover: Call) -> None:
    write("results.json", "words\n")
    result = cover("scenarios", "--results", "results.json")
    assert result.exit_code == 2
    assert "results.json:1: this is no result line" in result.stderr


@pytest.mark.parametrize("where", ["-", "out.json"])
def test_lines_for_machines(cover: Call, where: str) -> None:
    result = cover("scenarios", "--json", where)
    text = result.stdout if where == "-" else Path(where).read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["id"], line["covered"], line["verdict"]) for line in lines] == [
        ("MY-1", True, "pass"), ("MY-2", True, "pass"), ("MY-3", True, ""), ("MY-4", False, ""),
    ]  # fmt: skip
    assert "requirements covered" in (result.stderr if where == "-" else result.stdout)


def test_which_catalogue_is_used_is_said_where_none_is_named(cover: Call, call: Call) -> None:
    said = "requirements: the bundled catalogue (--catalogue FILE takes yours)\n"
    result = call("coverage", "scenarios")
    assert result.exit_code == 2  # its ids are those of a catalogue that was not named
    assert said in result.stdout
    assert said not in cover("scenarios").stdout


def test_our_own_ids_are_all_known(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).resolve().parents[3]
    monkeypatch.chdir(root)
    with_no_run = ("--results", "/dev/null")
    assert call("coverage", *with_no_run).stderr == ""
