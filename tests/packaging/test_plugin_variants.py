"""The pytest plug-in in each form of Windtunnel: bare checkout, editable, installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from packaging_kit import ROOT, build, install, run

SCENARIO = """\
format: 1
name: one-send
system: ui
policy: specified
timeline:
  - {at: 0s, submit: send_text, id: send, args: {to: alice, text: hello}}
expect:
  - count: {of: send_text, equals: 1}
"""
TEST = """\
import asyncio
import pathlib

import pytest
import windtunnel as package


@pytest.mark.spec("MY-1")
def test_time(windtunnel):
    assert windtunnel.run(asyncio.sleep(3600, "slept"), deadline="2h") == "slept"
    print("imported from", pathlib.Path(package.__file__).parent)
"""
# A folder of an editable install becomes one of the interpreter's by `site`.
PYTEST = (
    "import site, sys; site.addsitedir(sys.argv.pop(1)); import pytest; sys.exit(pytest.main())"
)
SOURCES = ("harness", "models", "real", "reports")

Project = Path
Start = Callable[..., str]


@pytest.fixture
def start(tmp_path: Path, pytestconfig: pytest.Config) -> Start:
    """Give a function that runs pytest over a project with a scenario and a test."""
    project = tmp_path / "project"
    (project / "scenarios").mkdir(parents=True)
    (project / "scenarios" / "one.yaml").write_text(SCENARIO)
    (project / "test_it.py").write_text(TEST)
    settings = "[pytest]\nstrict = true\nwindtunnel_scenarios = scenarios\n"
    (project / "pytest.ini").write_text(settings)
    left_out = [one for one in pytestconfig.getini("addopts") if one.startswith("no:")]
    others = [part for name in left_out for part in ("-p", name)]

    def call(site: Path, *arguments: str, path: str = "") -> str:
        program = [sys.executable, "-c", PYTEST, site, "-rA", *others, *arguments]
        return run(*program, cwd=project, PYTHONPATH=path)

    return call


def check(printed: str, source: Path) -> None:
    assert "2 passed" in printed
    assert "PASSED scenarios/one.yaml::one-send" in printed
    assert f"imported from {source}" in printed


def test_in_a_bare_checkout_it_is_named(start: Start, tmp_path: Path, checkout: Path) -> None:
    roots = os.pathsep.join(str(checkout / root) for root in SOURCES)
    printed = start(tmp_path, "-p", "windtunnel.pytest_plugin", path=roots)
    check(printed, checkout / "harness" / "windtunnel")


@pytest.mark.parametrize("named", [(), ("-p", "windtunnel.pytest_plugin")])
def test_installed_it_is_there_and_may_be_named(
    start: Start, tmp_path: Path, wheel: Path, named: tuple[str, ...]
) -> None:
    site = install(wheel, tmp_path / "site")
    check(start(site, *named, path=str(site)), site / "windtunnel")


def test_an_editable_install_is_there(start: Start, tmp_path: Path, checkout: Path) -> None:
    folder = tmp_path / "wheel"
    site = install(build(checkout, folder, "wheel:editable"), tmp_path / "site")
    # Ahead of an editable install of our own, which the interpreter may have.
    roots = os.pathsep.join(str(checkout / root) for root in SOURCES)
    check(start(site, path=os.pathsep.join((str(site), roots))), checkout / "harness")


def test_it_can_be_left_out(start: Start, tmp_path: Path, wheel: Path) -> None:
    site = install(wheel, tmp_path / "site")
    with pytest.raises(AssertionError, match="fixture 'windtunnel' not found"):
        start(site, "-p", "no:windtunnel.pytest_plugin", "-o", "strict=false", path=str(site))


def test_our_own_checkout_names_it() -> None:
    assert '"windtunnel.pytest_plugin"' in (ROOT / "conftest.py").read_text(encoding="utf-8")
