"""The page on pytest is true: its tests pass, its settings are read, its options exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from windtunnel.cli.coverage import command
from windtunnel.requirements.catalogue import load_catalogue

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pytest.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [body for name, body in found if name == language]


def left_out(config: pytest.Config) -> list[str]:
    names = [one for one in config.getini("addopts") if one.startswith("no:")]
    return [part for name in names for part in ("-p", name)]


def test_the_tests_shown_pass(pytester: pytest.Pytester, pytestconfig: pytest.Config) -> None:
    (settings,) = blocks("toml")
    pytester.makefile(".toml", pyproject=settings)
    for folder in ("tests", "scenarios"):
        pytester.mkdir(folder)
    shown = blocks("python")
    for number, block in enumerate(shown):
        (pytester.path / "tests" / f"test_shown_{number}.py").write_text(block)
    (pytester.path / "scenarios" / "a.yaml").write_text(scenario_in(shown))
    plugin = ("-p", "windtunnel.pytest_plugin", *left_out(pytestconfig))
    result = pytester.runpytest(*plugin, "--strict-config")
    result.assert_outcomes(passed="".join(shown).count("def test_") + 1)


def scenario_in(shown: list[str]) -> str:
    (text,) = (
        found for block in shown for found in re.findall(r'"""\\\n(.*?)"""', block, re.DOTALL)
    )
    return str(text)


def test_the_catalogue_shown_is_one(tmp_path: Path) -> None:
    (shown,) = blocks("yaml")
    file = tmp_path / "requirements.yaml"
    file.write_text(shown, encoding="utf-8")
    assert list(load_catalogue([file]).texts) == ["MY-1", "MY-2"]


def test_the_options_named_are_there(
    pytester: pytest.Pytester, pytestconfig: pytest.Config
) -> None:
    named = set(re.findall(r"--windtunnel-[a-z-]+", PAGE.read_text(encoding="utf-8")))
    plugin = ("-p", "windtunnel.pytest_plugin", *left_out(pytestconfig))
    listed = pytester.runpytest(*plugin, "--help").stdout.str()
    assert named == set(re.findall(r"--windtunnel-[a-z]+(?:-[a-z]+)*", listed))


def test_the_options_of_coverage_are_there() -> None:
    shown = re.findall(
        r"^    windtunnel coverage (.*?)(?: {2,}#.*)?$", PAGE.read_text(), re.MULTILINE
    )
    named = {word for line in shown for word in line.split() if word.startswith("--")}
    there = {name for option in command.params for name in option.opts}
    assert named
    assert named <= there
