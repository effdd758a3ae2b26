"""Inclusion: shared data lies under what a file says itself, and is refused at its own place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.reading.inclusion import _merged
from windtunnel.scenario.reading.loading import parse_scenario
from windtunnel.scenario.source.yaml_nodes import MAX_DEPTH, Node, compose
from windtunnel.units import MS, SECOND


def test_what_the_file_says_itself_wins_at_every_depth(folder: Any) -> None:
    folder.write(
        {
            "_shared/base.yaml": """\
        given: {speed: 5s, mode: fast, lanes: {count: 4}}
        limits: {wall: 7s, events: 9}
        """
        }
    )
    (cell,) = folder.cells(
        "include: ../_shared/base.yaml\ngiven: {speed: 1s, lanes: {}}\nlimits: {wall: 8s}\n"
    )
    assert (cell.given.speed, cell.given.mode, cell.given.lanes.count) == (SECOND, "fast", 4)
    assert (cell.limits.wall, cell.limits.events) == (8 * SECOND, 9)


def test_of_two_files_the_later_wins(folder: Any) -> None:
    folder.write(
        {
            "ui/a.yaml": "let: {x: 1}\ngiven: {speed: 1s, mode: fast}\n",
            "ui/b.yaml": "let: {x: 2, y: $x}\ngiven: {speed: $pace}\n",
        }
    )
    (cell,) = folder.cells("include: [a.yaml, b.yaml]\nlet: {pace: 2s}\n")
    assert (cell.given.speed, cell.given.mode) == (2 * SECOND, "fast")
    assert dict(cell.variables) == {"x": 2, "y": 2, "pace": "2s"}


def test_files_include_others_from_where_they_lie(folder: Any) -> None:
    folder.write(
        {
            "shared/a.yaml": "include: more/b.yaml\ngiven: {mode: fast}\n",
            "shared/more/b.yaml": "include: ../c.yaml\ngiven: {mode: slow, speed: 3s}\n",
            "shared/c.yaml": "given: {lanes: {count: 7}, speed: 9s}\n",
        }
    )
    scenario = folder.scenario("include: ../shared/a.yaml\n")
    assert [path.name for path in scenario.sources] == ["a.yaml", "b.yaml", "c.yaml"]
    (cell,) = folder.cells("include: ../shared/a.yaml\n")
    assert (cell.given.mode, cell.given.speed, cell.given.lanes.count) == ("fast", 3 * SECOND, 7)


def test_a_variable_of_the_file_itself_replaces_one_that_others_refer_to(folder: Any) -> None:
    folder.write({"ui/a.yaml": "let: {base: 1, name: n$base, late: 5}\n"})
    (cell,) = folder.cells("include: a.yaml\nlet: {base: 2, mine: 3, late: $mine}\n")
    assert dict(cell.variables) == {"base": 2, "name": "n2", "mine": 3, "late": 3}


def test_axes_are_shared_too(folder: Any) -> None:
    folder.write({"ui/a.yaml": "matrix: {n: [1, 2, 3], m: [x], exclude: [{n: 3}]}\n"})
    cells = folder.cells("include: a.yaml\nmatrix: {m: [y, z]}\n")
    assert [dict(cell.axes) for cell in cells] == [
        {"n": n, "m": m} for n in (1, 2) for m in ("y", "z")
    ]


def test_a_calibration_profile_is_such_a_file(folder: Any) -> None:
    folder.write({"ui/measured.yaml": "given: {speed: 812ms}\n"})
    (cell,) = folder.cells("include: measured.yaml\n")
    assert cell.given.speed == 812 * MS


def test_null_says_nothing(folder: Any) -> None:
    folder.write({"ui/a.yaml": "given: {mode: fast}\nlet:\n"})
    assert folder.refusals("include: a.yaml\n") == [
        "ui/a.yaml:2:5 `let` is a mapping in an included file"
    ]
    folder.write({"ui/a.yaml": "given: {mode: fast}\n"})
    (cell,) = folder.cells("include: a.yaml\ngiven:\n")
    assert cell.given.mode == "fast"


def test_a_mistake_is_told_where_it_stands(folder: Any) -> None:
    folder.write({"ui/a.yaml": "given:\n  speed: soon\n  moed: fast\n"})
    told = folder.refusals("include: a.yaml\ngiven:\n  lanes: {count: 0}\n")
    assert [line.split()[0] for line in told] == ["ui/a.yaml:2:10", "ui/a.yaml:3:3", "7:18"]
    assert told[1].endswith("did you mean `mode`?")


def test_the_same_file_twice_is_no_circle(folder: Any) -> None:
    folder.write(
        {
            "ui/a.yaml": "include: c.yaml\n",
            "ui/b.yaml": "include: c.yaml\n",
            "ui/c.yaml": "let: {x: 1}\n",
        }
    )
    (cell,) = folder.cells("include: [a.yaml, b.yaml, a.yaml]\n")
    assert dict(cell.variables) == {"x": 1}


def test_many_files_and_large_ones_are_refused(folder: Any) -> None:
    folder.write({"ui/a.yaml": "let: {x: 1}\n"})
    (told,) = folder.refusals(f"include: [{', '.join(['a.yaml'] * 70)}]\n")
    assert told.endswith("more than 64 included files")
    folder.write({"ui/a.yaml": "#" * 900_000 + "\nlet: {x: 1}\n"})
    (told,) = folder.refusals("include: [a.yaml, a.yaml, a.yaml, a.yaml]\n")
    assert told == "5:27 the included files are too large together"
    folder.write({"ui/a.yaml": "#" * 1_100_000})
    assert folder.refusals("include: a.yaml\n") == [
        "ui/a.yaml:1:1 the file is larger than 1024 KiB"
    ]


def test_a_doubling_of_files_ends_soon(folder: Any) -> None:
    for n in range(7):
        folder.write({f"ui/d{n}.yaml": f"include: [{', '.join([f'd{n + 1}.yaml'] * 9)}]\n"})
    folder.write({"ui/d7.yaml": "let: {x: 1}\n"})
    (told,) = folder.refusals("include: d0.yaml\n")
    assert "more than 64 included files" in told


@pytest.mark.usefixtures("toy")
def test_a_text_without_a_place_includes_nothing() -> None:
    with pytest.raises(Exception, match="a text without a place cannot name other files"):
        parse_scenario(
            "format: 1\nname: x\nsystem: toy\ninclude: a.yaml\nexpect: [fifo: {}]\n", "x"
        )


PLAIN = st.recursive(
    st.integers(0, 3), lambda inner: st.dictionaries(st.sampled_from("abc"), inner), max_leaves=8
)


def laid(under: Any, over: Any) -> Any:
    """What merging means, said once more and more simply."""
    if not isinstance(under, dict) or not isinstance(over, dict):
        return over
    return {
        key: laid(under[key], over[key]) if key in under and key in over else {**under, **over}[key]
        for key in {**under, **over}
    }


def node(data: Any, file: str) -> Node:
    root, _ = compose(str(data).replace("'", '"'), file)
    return root


@given(PLAIN, PLAIN)
def test_merging(under: Any, over: Any) -> None:
    merged = _merged(node(under, "under"), node(over, "over"), MAX_DEPTH)
    assert merged.value == laid(under, over)


@given(PLAIN, PLAIN)
def test_every_value_keeps_its_file(under: Any, over: Any) -> None:
    def leaves(of: Node, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
        if not isinstance(of.children, dict):
            return {path: of.file}
        return {
            where: file
            for key, child in of.children.items()
            for where, file in leaves(child, (*path, key)).items()
        }

    own = leaves(node(over, "over"))
    for where, file in leaves(_merged(node(under, "under"), node(over, "over"), MAX_DEPTH)).items():
        assert file == own.get(where, "under")
