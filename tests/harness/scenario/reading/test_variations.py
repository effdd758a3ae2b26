"""Variations: which points there are, in which order, and what their references stand for."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.cells import Repeats
from windtunnel.scenario.reading.models import OfWorld
from windtunnel.scenario.reading.variations import (
    CaseRow,
    Point,
    Variations,
    frozen,
    repeats_of,
    same,
    selects,
)
from windtunnel.scenario.source.yaml_nodes import Node, compose


def node(value: Any) -> Node:
    root, _ = compose(json.dumps(value))
    return root


def row(id_: str, inputs: list[Any], outputs: list[Any] | None = None) -> CaseRow:
    return CaseRow(id_, Node(None, 1, 1), tuple(map(node, inputs)), tuple(map(node, outputs or [])))


def variations(**fields: Any) -> Variations:
    let = {name: node(value) for name, value in fields.pop("let", {}).items()}
    defaults: dict[str, Any] = {
        "worlds": ("sim",),
        "axes": {},
        "exclude": (),
        "inputs": (),
        "outputs": (),
        "rows": None,
    }
    return Variations(let=let, **{**defaults, **fields})


def labels(found: Variations) -> list[str]:
    return [point.label for point in found.points()]


def test_one_point_without_anything() -> None:
    assert labels(variations()) == [""]


def test_the_matrix_then_the_rows_then_the_worlds() -> None:
    found = variations(
        axes={"b": (1, 2), "a": (True,)},
        rows=(row("x", []), row("y", [])),
        worlds=("sim", "real"),
    )
    assert labels(found) == [
        "[b=1,a=true,case=x,world=sim]",
        "[b=1,a=true,case=x,world=real]",
        "[b=1,a=true,case=y,world=sim]",
        "[b=1,a=true,case=y,world=real]",
        "[b=2,a=true,case=x,world=sim]",
        "[b=2,a=true,case=x,world=real]",
        "[b=2,a=true,case=y,world=sim]",
        "[b=2,a=true,case=y,world=real]",
    ]
    assert found.count() == 8


def test_a_row_may_run_in_one_world_alone() -> None:
    found = variations(
        rows=(row("x", []), replace(row("y", []), worlds=("real",))), worlds=("sim", "real")
    )
    assert labels(found) == ["[case=x,world=sim]", "[case=x,world=real]", "[case=y,world=real]"]


def test_a_world_s_own_variables_take_the_place_of_the_file_s() -> None:
    found = variations(
        let={"a": 1, "b": "$a"},
        axes={"c": (5,)},
        worlds=("sim", "real"),
        world_let={"real": {"a": node(2), "b": node("$a")}},
    )
    assert values(found) == [{"c": 5, "a": 1, "b": 1}, {"c": 5, "a": 2, "b": 2}]


def test_axes_and_cases_override_a_world_s_own_variables() -> None:
    found = variations(
        let={"a": 1, "b": 2},
        axes={"b": (6,)},
        inputs=("a",),
        rows=(row("x", [7]),),
        world_let={"sim": {"a": node(3), "b": node(4)}},
    )
    assert values(found) == [{"a": 7, "b": 6}]


@pytest.mark.parametrize(
    ("said", "repeats"),
    [
        ({}, Repeats(1, 1)),
        ({"repeat": 3}, Repeats(3, 3)),
        ({"repeat": 3, "pass_at_least": 2}, Repeats(3, 2)),
    ],
)
def test_how_often_a_cell_is_played(said: dict[str, int], repeats: Repeats) -> None:
    assert repeats_of(OfWorld.model_validate(said)) == repeats


def test_excluded_points() -> None:
    found = variations(
        axes={"a": (1, 2), "b": (1, 2)}, exclude=({"a": (1,), "b": (2,)}, {"b": (1,)})
    )
    assert labels(found) == ["[a=2,b=2]"]


def test_an_override_leaves_one_value_of_its_axis() -> None:
    found = variations(axes={"policy": ("a", "b"), "x": (1, 2)})
    fixed = found.fixed({"policy": "c", "seed": None})
    assert labels(fixed) == ["[policy=c,x=1]", "[policy=c,x=2]"]
    assert found.fixed({"policy": None}) == found
    assert labels(variations().fixed({"policy": "c"})) == [""]


def values(found: Variations) -> list[dict[str, Any]]:
    return [dict(found.variables(point).values) for point in found.points()]


def test_let_refers_to_what_was_defined_before() -> None:
    assert values(variations(let={"a": 1, "b": "$a", "c": "x$b"})) == [{"a": 1, "b": 1, "c": "x1"}]


def test_an_axis_overrides_let_and_a_case_overrides_both() -> None:
    found = variations(
        let={"a": 0, "b": "$a"},
        axes={"a": (1, 2)},
    )
    assert values(found) == [{"a": 1, "b": 1}, {"a": 2, "b": 2}]
    cases = variations(let={"a": 0, "b": "$a"}, inputs=("a",), rows=(row("x", [5]),))
    assert values(cases) == [{"a": 5, "b": 5}]


def test_cells_of_the_table_may_refer() -> None:
    found = variations(
        let={"n": 3},
        inputs=("x",),
        outputs=("y", "z"),
        rows=(row("r", ["$n"], ["$x", "<$x>"]),),
    )
    (point,) = found.points()
    environment = found.variables(point)
    assert environment.values == {"n": 3, "x": 3}
    assert environment.outputs == {"y": 3, "z": "<3>"}


def test_what_cannot_be_put_together_is_a_fault() -> None:
    found = variations(let={"a": [1], "b": "x$a"})
    (point,) = found.points()
    (fault,) = found.variables(point).faults
    assert "is a list" in fault.message


def test_names() -> None:
    found = variations(let={"a": 1}, axes={"b": (1,)}, inputs=("c",), outputs=("d",))
    assert found.names == {"a", "b", "c"}


def test_selection() -> None:
    assert selects({}, {"a": 1})
    assert selects({"a": (1, 2)}, {"a": 2, "b": 3})
    assert not selects({"a": (1, 2), "b": (4,)}, {"a": 2, "b": 3})
    assert not selects({"z": (1,)}, {})
    assert selects({"z": (None,)}, {})


def test_true_is_not_one() -> None:
    assert same(1, 1.0)
    assert not same(1, True)
    assert not same(False, 0)
    assert same(None, None)


def test_the_world_is_shown_only_where_there_are_several() -> None:
    assert Point({}, None, "sim", several_worlds=False).label == ""
    assert Point({"a": None}, None, "sim", several_worlds=True).label == "[a=null,world=sim]"


@given(
    st.dictionaries(
        st.sampled_from("abc"), st.lists(st.integers(0, 3), min_size=1, unique=True).map(tuple)
    ),
    st.dictionaries(st.sampled_from("abc"), st.integers(0, 3)),
)
def test_excluding_leaves_exactly_what_does_not_match(
    axes: dict[str, tuple[int, ...]], excluded: dict[str, int]
) -> None:
    selection = {axis: (value,) for axis, value in excluded.items()}
    every = [dict(point.axes) for point in variations(axes=axes).points()]
    left = [dict(point.axes) for point in variations(axes=axes, exclude=(selection,)).points()]
    matching = [axes for axes in every if all(axes.get(a) == v for a, v in excluded.items())]
    assert len(every) == variations(axes=axes).count()
    assert left == [axes for axes in every if axes not in matching]


@pytest.mark.parametrize("value", [1, None, "x", [1, [2]], {"a": [1]}])
def test_stand_ins_are_hashable(value: Any) -> None:
    assert hash(frozen(value)) == hash(frozen(value))
