"""The system that a scenario names: a class or an instance."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel import builtin
from windtunnel.errors import PluginError
from windtunnel.scenario.systems import load_system


def test_a_class_is_called_and_an_instance_taken(toy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(load_system("toy"), type(toy))
    monkeypatch.setattr(builtin, "load_plugin", lambda group, name: toy)
    assert load_system("toy") is toy


def test_none_of_that_name() -> None:
    with pytest.raises(PluginError, match="no 'nothing' among the systems"):
        load_system("nothing")
