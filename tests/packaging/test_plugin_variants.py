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
import importlib
import pathlib

import pytest


@pytest.mark.spec("MY-1")
def test_time(windtunnel):
    assert windtunnel.run(asyncio.sleep(3600, "slept"), deadline="2h") == "slept"
    for name in ("windtunnel", "windtunnel_models", "windtunnel_real", "windtunnel_reports"):
        package = importlib.import_module(name)
        print("imported from", pathlib.Path(package.__file__).parent)
"""
# What is in a folder, an editable install too, becomes the interpreter's by `site`: ahead of an
# install of our own that it may have.
PYTEST = """\
import site, sys
before = list(sys.path)
site.addsitedir(sys.argv.pop(1))
sys.path[:] = [each for each in sys.path if each not in before] + before
import pytest
sys.exit(pytest.main())
"""
SOURCES = {
    "harness": "windtunnel",
    "models": "windtunnel_models",
    "real": "windtunnel_real",
    "reports": "windtunnel_reports",
}

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


def check(printed: str, *packages: Path) -> None:
    assert "2 passed" in printed
    assert "PASSED scenarios/one.yaml::one-send" in printed
    imported = [line for line in printed.splitlines() if line.startswith("imported from ")]
    assert imported == [f"imported from {package}" for package in packages]


def packages_of(checkout: Path) -> list[Path]:
    return [checkout / root / name for root, name in SOURCES.items()]


def test_in_a_bare_checkout_it_is_named(start: Start, tmp_path: Path, checkout: Path) -> None:
    roots = os.pathsep.join(str(checkout / root) for root in SOURCES)
    printed = start(tmp_path, "-p", "windtunnel.pytest_plugin", path=roots)
    check(printed, *packages_of(checkout))


@pytest.mark.parametrize("named", [(), ("-p", "windtunnel.pytest_plugin")])
def test_installed_it_is_there_and_may_be_named(
    start: Start, tmp_path: Path, wheel: Path, named: tuple[str, ...]
) -> None:
    site = install(wheel, tmp_path / "site")
    check(start(site, *named), *(site / name for name in SOURCES.values()))


def test_an_editable_install_is_there(start: Start, tmp_path: Path, checkout: Path) -> None:
    folder = tmp_path / "wheel"
    site = install(build(checkout, folder, "wheel:editable"), tmp_path / "site")
    check(start(site), *packages_of(checkout))


def test_it_can_be_left_out(start: Start, tmp_path: Path, wheel: Path) -> None:
    site = install(wheel, tmp_path / "site")
    with pytest.raises(AssertionError, match="fixture 'windtunnel' not found"):
        start(site, "-p", "no:windtunnel.pytest_plugin", "-o", "strict=false")


def test_our_own_checkout_names_it() -> None:
    assert '"windtunnel.pytest_plugin"' in (ROOT / "conftest.py").read_text(encoding="utf-8")
