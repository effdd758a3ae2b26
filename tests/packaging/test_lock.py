"""The lock: constraints.txt pins all that an installation needs, on each Python we support."""

from __future__ import annotations

import importlib.util
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11", "3.12", "3.13")


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lock", ROOT / ".ci" / "lock.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


lock = load_script()


def parse(lines: list[str]) -> list[Requirement]:
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def applies(requirement: Requirement, python: str, extra: str = "") -> bool:
    environment = {"python_version": python, "python_full_version": f"{python}.0", "extra": extra}
    return requirement.marker is None or requirement.marker.evaluate(environment)


def pinned(lines: list[str], python: str) -> dict[str, Requirement]:
    """Give the pins that apply to one Python; raise if one name is pinned twice."""
    pins: dict[str, Requirement] = {}
    for pin in parse(lines):
        if applies(pin, python):
            assert pin.name not in pins, f"{pin.name} is pinned twice for {python}"
            pins[pin.name] = pin
    return pins


def missing(wanted: list[str], pins: dict[str, Requirement], python: str) -> set[str]:
    """Name what is wanted, directly or by what is installed here, and has no fitting pin."""
    waiting = [requirement for requirement in parse(wanted) if applies(requirement, python)]
    seen: set[tuple[str, str]] = set()
    lacking: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        pin = pins.get(name)
        if pin is None or not requirement.specifier.contains(version_of(pin), prereleases=True):
            lacking.add(str(requirement))
        for extra in ["", *requirement.extras]:
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += [r for r in needs(name) if applies(r, python, extra)]
    return lacking


def version_of(pin: Requirement) -> str:
    (specifier,) = pin.specifier
    assert specifier.operator == "=="
    return specifier.version


def needs(name: str) -> list[Requirement]:
    try:
        return parse(requires(name) or [])
    except PackageNotFoundError:  # an optional peer that is not installed here
        return []


@pytest.mark.parametrize("python", PYTHONS)
def test_all_that_is_asked_for_is_pinned(python: str) -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    lacking = missing(lock.requirements(), pinned(lines, python), python)
    assert not lacking, f"run `make lock`: {sorted(lacking)}"


def test_a_missing_pin_and_one_that_does_not_fit_are_seen() -> None:
    pins = pinned(["pytest==9.2.0", "click==7.0"], "3.11")
    assert missing(["click>=8.1", "nothing-like-it"], pins, "3.11") == {
        "click>=8.1",
        "nothing-like-it",
    }
    assert "pluggy" in " ".join(missing(["pytest"], pins, "3.11"))
    assert missing(['click>=8.1; python_version >= "3.12"'], pins, "3.11") == set()


names = st.sampled_from(["a", "b-c", "d"])
versions = st.sampled_from(["1.0", "2.0"])


@given(st.fixed_dictionaries({python: st.dictionaries(names, versions) for python in PYTHONS}))
def test_merged_pins_say_on_each_python_what_was_resolved_there(
    resolved: dict[str, dict[str, str]],
) -> None:
    lines = lock.merge(resolved)
    assert [pin.name for pin in parse(lines)] == sorted(pin.name for pin in parse(lines))
    for python in PYTHONS:
        found = {name: version_of(pin) for name, pin in pinned(lines, python).items()}
        assert found == resolved[python]


def test_pins_all_pythons_share_carry_no_marker() -> None:
    assert lock.merge({python: {"a": "1.0"} for python in PYTHONS}) == ["a==1.0"]
