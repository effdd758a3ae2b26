"""Cells: their names, and the operations that a template makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.scenario.cells import Cell, Template, axes_label


@pytest.mark.parametrize(
    ("axes", "label"),
    [
        ({}, ""),
        ({"a": 1}, "[a=1]"),
        ({"b": "x", "a": 1.5}, "[b=x,a=1.5]"),
        ({"a": None, "b": True, "c": False}, "[a=null,b=true,c=false]"),
    ],
)
def test_the_label_of_axes(axes: dict[str, Any], label: str) -> None:
    assert axes_label(axes) == label


def test_the_name_of_a_cell(make_cell: Callable[..., Cell]) -> None:
    assert make_cell().name == "probe"
    assert make_cell(axes={"a": True}).name == "probe[a=true]"


def test_operations_of_a_repeat_are_numbered() -> None:
    def made(number: int) -> str:
        return f"args {number}"

    template = Template("submit", "job", "a", repeated=True, make_args=made, options="options")
    operation = template.make(3)
    assert (operation.id, operation.mode, operation.name) == ("a.3", "submit", "job")
    assert (operation.args, operation.options) == ("args 3", "options")


def test_a_single_operation_has_the_bare_id() -> None:
    template = Template("call", "x.y", "a", repeated=False, make_args=str, options=None)
    assert template.make(0).id == "a"
