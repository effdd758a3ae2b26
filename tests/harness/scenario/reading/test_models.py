"""Models of format 1: defaults, and what agrees with what."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.scenario.reading.models import (
    DeclaredFailure,
    ExpectOptions,
    Identity,
    Matrix,
    Observe,
    Run,
    TieRule,
    Variation,
)
from windtunnel.units import HOUR, MS, SECOND


def test_defaults() -> None:
    run = Run()
    assert (run.seed, run.settle, run.until, run.ties) == (0, 0, None, TieRule())
    assert (run.limits.sim, run.limits.wall, run.limits.events) == (HOUR, 60 * SECOND, 1_000_000)
    variation = Variation(system="ui")
    assert variation.world == ["sim"]
    assert variation.matrix.axes == {}
    assert variation.cases is None
    assert ExpectOptions().severity == "error"


def test_one_world_may_stand_without_a_list() -> None:
    assert Variation.model_validate({"system": "ui", "world": "real"}).world == ["real"]


def test_axes_keep_the_order_of_the_file() -> None:
    matrix = Matrix.model_validate({"b": [1], "exclude": [{"a": [1, 2]}], "a": [1, 2]})
    assert list(matrix.axes) == ["b", "a"]
    assert matrix.exclude == [{"a": [1, 2]}]


def test_one_value_of_a_selection_may_stand_without_a_list() -> None:
    assert ExpectOptions.model_validate({"when": {"a": 1, "b": [1, 2]}}).when == {
        "a": [1],
        "b": [1, 2],
    }


def test_figures_may_be_durations_in_seconds() -> None:
    declared = DeclaredFailure.model_validate({"measured": "1500ms", "tolerance": 0.5})
    assert (declared.measured, declared.tolerance) == (1.5, 0.5)
    assert DeclaredFailure().measured is None


def test_durations_become_nanoseconds() -> None:
    assert Observe.model_validate({"at": "5ms"}).at == 5 * MS


def test_nothing_is_converted() -> None:
    for data in ({"seed": "1"}, {"seed": True}, {"seed": 1.0}, {"limits": {"events": "5"}}):
        with pytest.raises(ValidationError):
            Run.model_validate(data)


@pytest.mark.parametrize("name", ["a b", "-a", "", "ä", "a/b", "a" * 101, "a\n"])
def test_names_can_stand_in_a_shell_and_a_path(name: str) -> None:
    with pytest.raises(ValidationError):
        Identity.model_validate({"format": 1, "name": name})
    Identity.model_validate({"format": 1, "name": "a-b_c.2"})


@pytest.mark.parametrize("value", [0, 2, "1", True, None, 1.5])
def test_only_format_1_is_read(value: Any) -> None:
    with pytest.raises(ValidationError, match="reads format 1"):
        Identity.model_validate({"format": value, "name": "a"})
