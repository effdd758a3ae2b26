"""Plug-ins by name: built-ins first, third parties by entry point, mistakes named."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from windtunnel import builtin
from windtunnel.builtin import BUILTIN, Group, load_object, load_plugin, names
from windtunnel.errors import PluginError, WorldUnavailableError


def publish(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    def entry_points(group: str, name: str | None = None) -> list[EntryPoint]:
        return [p for p in points if p.group == group and name in (None, p.name)]

    monkeypatch.setattr(builtin, "entry_points", entry_points)


@pytest.mark.parametrize("target", ["json:dumps", "json:decoder.JSONDecoder"])
def test_an_object_by_module_and_name(target: str) -> None:
    expected: Any = json
    for part in target.partition(":")[2].split("."):
        expected = getattr(expected, part)
    assert load_object(target) is expected


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("own.py:Class", "a module is named, not its file: own:Class, from its folder"),
        ("a/own:Class", "a module is named, not its file: own:Class, from its folder"),
        *((target, "is not of the form module:Class") for target in ("json", ":x", "json:", "")),
        ("no_such_module:X", "cannot import 'no_such_module': ModuleNotFoundError"),
        ("json:nothing", "module 'json' has no 'nothing'"),
        ("json:dumps.nothing", r"module 'json' has no 'dumps\.nothing'"),
    ],
)
def test_an_object_that_is_not_there(target: str, why: str) -> None:
    with pytest.raises(PluginError, match=why):
        load_object(target)


def test_a_module_that_fails_as_it_is_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "fails_at_import.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginError, match="ZeroDivisionError: division by zero"):
        load_object("fails_at_import:X")


def test_built_ins_are_listed_first_and_entry_points_after() -> None:
    for group in BUILTIN:
        assert names(group)[: len(BUILTIN[group])] == tuple(sorted(BUILTIN[group]))  # type: ignore[arg-type]


def test_a_third_party_comes_in_but_takes_no_built_ins_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish(
        monkeypatch,
        EntryPoint("theirs", "json:dumps", "windtunnel.systems"),
        EntryPoint("ui", "json:loads", "windtunnel.systems"),
    )
    assert names("systems") == ("router", "ui", "theirs")
    assert load_plugin("systems", "theirs") is json.dumps
    assert load_plugin("systems", "ui").__name__ == "UISystem"


def test_an_unknown_name_is_told_with_what_there_is() -> None:
    with pytest.raises(PluginError, match="there is no 'uo' among the systems: router, ui"):
        load_plugin("systems", "uo")


def test_a_world_whose_package_is_not_there_is_unavailable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(builtin, "BUILTIN", {**BUILTIN, "worlds": {"moon": "no_such_module:Moon"}})
    with pytest.raises(WorldUnavailableError, match="the moon world is not part of this install"):
        load_plugin("worlds", "moon")


@pytest.mark.parametrize("group", ["worlds", "doctors"])
def test_a_package_that_the_real_world_lacks_is_named_with_who_tells_more(
    group: Group, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "lacks_a_package.py").write_text("import no_such_package\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(builtin, "BUILTIN", {**BUILTIN, group: {"real": "lacks_a_package:X"}})
    with pytest.raises(
        WorldUnavailableError, match=r"no_such_package.*; `windtunnel doctor` tells"
    ):
        load_plugin(group, "real")


def test_the_doctor_of_the_real_world_is_there() -> None:
    assert callable(load_plugin("doctors", "real"))


def test_the_simulated_world_is_there() -> None:
    assert load_plugin("worlds", "sim").name == "sim"
