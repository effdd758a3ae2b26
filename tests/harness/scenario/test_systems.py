"""The system that a scenario names: a class or an instance."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel import builtin, kinds
from windtunnel.errors import PluginError
from windtunnel.scenario.systems import load_system


def test_a_class_is_called_and_an_instance_taken(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(load_system("toy"), type(toy))
    monkeypatch.setattr(builtin, "load_plugin", lambda group, name: toy)
    assert load_system("toy") is toy


def test_none_of_that_name() -> None:
    with pytest.raises(PluginError, match="no 'nothing' among the systems"):
        load_system("nothing")


def test_one_that_does_not_say_on_what_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "load_plugin", lambda group, name: object())
    with pytest.raises(PluginError, match="`mine` does not say on which `parts`"):
        load_system("mine")


def test_one_that_brings_kinds_of_event(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "_kinds", known := dict(kinds.KINDS))
    row = kinds.Kind("a courier arrives", "system")
    monkeypatch.setattr(type(toy), "kinds", {"courier.arrived": row}, raising=False)
    load_system("toy")
    load_system("toy")  # in each worker
    assert known["courier.arrived"] is row


def test_one_that_means_something_else_by_a_known_kind(
    toy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = kinds.Kind("a telephone rings", "world")
    monkeypatch.setattr(type(toy), "kinds", {"call.started": row}, raising=False)
    with pytest.raises(PluginError, match=r"`toy`: there is a kind .* named 'call\.started'"):
        load_system("toy")
