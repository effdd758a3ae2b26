"""Loading: a whole file, and everything that is wrong in it at once."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest

from windtunnel import builtin
from windtunnel.errors import ScenarioError
from windtunnel.scenario.expanding.cell_setup import Overrides
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import FIELDS, load_scenario, parse_scenario

TEXT = """\
# first

format: 1
name: probe
summary: what it is
tags: [quick]
covers: [UI-Q1]
system: toy
world: [sim, real]
timeline: [{at: 0s, submit: ping}]
expect: [conservation: {}]
"""


@pytest.mark.usefixtures("toy")
def test_what_a_scenario_says_of_itself(tmp_path: Path) -> None:
    file = tmp_path / "probe.yaml"
    file.write_text(TEXT)
    scenario = load_scenario(file, display_name="shown.yaml")
    assert (scenario.name, scenario.summary, scenario.file) == ("probe", "what it is", "shown.yaml")
    assert (scenario.root.line, scenario.system.name) == (3, "toy")
    assert scenario.variations.worlds == ("sim", "real")
    assert (scenario.tags, scenario.covers) == (("quick",), ("UI-Q1",))
    assert load_scenario(file).file == str(file)


def test_every_line_names_the_file_as_it_is_shown(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path / "none.yaml", display_name="none.yaml")
    assert str(caught.value) == "none.yaml:1:1: error: cannot read it: No such file or directory"


def test_syntax_is_an_error_of_the_file() -> None:
    with pytest.raises(ScenarioError, match=r"^x:2:1: error: not YAML: a value was expected here"):
        parse_scenario("a: [", "x")


@pytest.mark.usefixtures("toy")
def test_mistakes_in_cells_are_told_with_those_of_the_file() -> None:
    text = TEXT.replace("submit: ping", "submit: pign").replace("summary", "sumary")
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, "x")
    assert [problem.line for problem in caught.value.problems] == [5, 10]


@pytest.mark.usefixtures("toy")
def test_mistakes_in_cells_alone_are_told_by_expansion() -> None:
    scenario = parse_scenario(TEXT.replace("submit: ping", "submit: pign"), "x")
    with pytest.raises(ScenarioError):
        expand(scenario)


@pytest.mark.usefixtures("toy")
def test_an_instance_may_be_the_plug_in(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = builtin.load_plugin("systems", "toy")()
    monkeypatch.setattr(builtin, "load_plugin", lambda group, name: plugin)
    assert parse_scenario(TEXT, "x").system is plugin


def test_a_system_that_cannot_be_loaded_is_told_at_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    systems = {"toy": "no.such.module:System"}
    monkeypatch.setattr(builtin, "BUILTIN", {**builtin.BUILTIN, "systems": systems})
    with pytest.raises(ScenarioError, match=r"x:8:9: error: .*no\.such\.module"):
        parse_scenario(TEXT, "x")


@pytest.mark.usefixtures("toy")
def test_a_file_neither_imports_nor_opens_nor_evaluates(monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT + "scheduler: os:system\nlet: {x: os:system, y: '/etc/passwd'}\n"
    parse_scenario(TEXT, "x")  # what is imported lazily is imported

    def refuse(*args: object, **kwargs: object) -> Any:
        raise AssertionError(args)

    for name in ("open", "eval", "exec"):
        monkeypatch.setattr(builtins, name, refuse)
    monkeypatch.setattr(Path, "open", refuse)
    before = set(sys.modules)
    (cell, _) = expand(parse_scenario(text, "x"), Overrides(allow_code=True))
    assert cell.scheduler == "os:system"
    assert set(sys.modules) == before


def test_the_fields_of_a_file() -> None:
    assert {"format", "system", "let", "seed", "given", "timeline", "expect"} <= set(FIELDS)
    assert len(FIELDS) == len(set(FIELDS))


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("field", sorted(set(FIELDS) - {"format"}))
@pytest.mark.parametrize("value", ["null", "5", "text", "[]", "{}", "$x", "[[]]", "{x: []}"])
def test_no_value_of_any_field_is_more_than_an_error(field: str, value: str) -> None:
    lines = [line for line in TEXT.splitlines() if not line.startswith(f"{field}:")]
    text = "\n".join([*lines, f"{field}: {value}", ""])
    try:
        expand(parse_scenario(text, "x"))
    except ScenarioError as error:
        places = [problem.line for problem in error.problems]
        assert max(places) <= len(lines) + 1
