"""Reading of variations: tables and axes, and their mistakes beyond the broken files."""

from __future__ import annotations

from collections.abc import Callable

from windtunnel.scenario.cells import Cell, Repeats

Expand = Callable[..., tuple[Cell, ...]]
Refusals = Callable[..., list[str]]

HEAD = """\
format: 1
name: probe
system: toy
expect: [conservation: {}]
timeline: [{at: 0s, submit: ping}]
"""


def variables(found: tuple[Cell, ...]) -> list[dict[str, object]]:
    return [dict(cell.variables) for cell in found]


def test_axis_values_may_refer_to_let(cells: Expand) -> None:
    text = "let: {a: 1, b: $a}\nmatrix: {x: [$b, 2]}\n"
    assert [cell.axes for cell in cells(HEAD, text)] == [{"x": 1}, {"x": 2}]


def test_an_axis_cannot_refer_to_a_list_or_twice_to_one_value(refusals: Refusals) -> None:
    text = "let: {a: [1], b: 2}\nmatrix: {x: [$a, $b, 2]}\n"
    assert refusals(HEAD, text) == [
        "7:14 an axis takes plain values, not a list",
        "7:22 2 is twice on the axis `x`",
    ]


def test_true_and_one_are_two_values(cells: Expand) -> None:
    assert len(cells(HEAD, "matrix: {x: [1, true, 'one', 1.5]}\n")) == 4


def test_both_forms_of_rows(cells: Expand) -> None:
    text = """\
    let: {x: 0}
    cases:
      inputs: [x]
      outputs: [y]
      rows:
        - [1, a]
        - {id: two, in: [2], out: [b]}
        - {in: [3], out: [c]}
    """
    found = cells(HEAD, text)
    assert variables(found) == [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}, {"x": 3, "y": "c"}]
    assert [cell.axes["case"] for cell in found] == ["1", "two", "3"]


def test_rows_may_have_inputs_or_outputs_alone(cells: Expand) -> None:
    assert variables(cells(HEAD, "cases: {inputs: [x], rows: [[1]]}\n")) == [{"x": 1}]
    assert variables(cells(HEAD, "cases: {outputs: [y], rows: [{out: [1]}]}\n")) == [{"y": 1}]


def test_cells_of_a_row_may_hold_lists(cells: Expand) -> None:
    assert variables(cells(HEAD, "cases: {inputs: [x], rows: [[[1, 2]]]}\n")) == [{"x": [1, 2]}]


def test_rows_that_are_none(refusals: Refusals) -> None:
    text = "cases: {inputs: [x], rows: [1, {id: a, in: [1], world: real}, {xn: [1]}]}\n"
    assert refusals(HEAD, text) == [
        "6:29 a row is a list, or a mapping with `in` and `out`",
        "6:56 this file does not run in `real` (`world` says where)",
        "6:64 unknown field `xn` (known: faults, id, in, out, world)",
    ]


def test_numbers_of_rows_and_given_ids_do_not_clash_unseen(refusals: Refusals) -> None:
    text = "cases: {inputs: [x], rows: [{id: 2, in: [1]}, [1]]}\n"
    assert refusals(HEAD, text) == [
        "6:34 two rows have the id `2`",
        "6:47 two rows have the id `2`",
    ]


def test_a_table_needs_rows(refusals: Refusals) -> None:
    assert refusals(HEAD, "cases: {inputs: [x]}\n") == [
        "6:8 `rows` is required here, or `rows_from`"
    ]
    assert refusals(HEAD, "cases: {rows: 5}\n") == ["6:15 a list is needed here, not 5"]


def test_references_of_rows_are_checked(refusals: Refusals) -> None:
    text = "cases: {inputs: [x], outputs: [y], rows: [[$z, $x], [1, $y]]}\n"
    assert refusals(HEAD, text) == [
        "6:44 `$z` is not defined (known: x)",
        "6:57 `$y` is not defined (known: x)",
    ]


def test_a_column_may_override_let_but_not_an_axis(refusals: Refusals, cells: Expand) -> None:
    assert len(cells(HEAD, "let: {x: 0}\ncases: {inputs: [x], rows: [[1]]}\n")) == 1
    text = "matrix: {x: [0]}\ncases: {inputs: [x, seed], outputs: [z, z], rows: [[1, 2, 3, 4]]}\n"
    assert refusals(HEAD, text) == [
        "7:18 `x` is already a field, a variable, an axis or a column",
        "7:21 `seed` is already a field, a variable, an axis or a column",
        "7:41 `z` is already a field, a variable, an axis or a column",
    ]


def test_the_bounds_are_inclusive(cells: Expand, refusals: Refusals) -> None:
    axes = "matrix: {a: &h [" + ", ".join(map(str, range(100))) + "], b: *h, c: [0%s]}\n"
    assert len(cells(HEAD, axes % "")) == 10_000
    assert refusals(HEAD, axes % ", 1") == [
        "6:9 20,000 cells; a file makes 10,000 at most: split it"
    ]


def test_too_many_rows(refusals: Refusals) -> None:
    rows = ", ".join(["[1]"] * 10_001)
    assert refusals(HEAD, f"cases: {{inputs: [x], rows: [{rows}]}}\n") == [
        "6:28 takes at most 10000 entries"
    ]


def test_what_is_otherwise_in_one_world(cells: Callable[..., tuple[Cell, ...]]) -> None:
    text = """\
    world: [sim, real]
    let: {pace: 1s, twice: $pace}
    per_world: {real: {let: {pace: 2s}, tolerance: 5ms, repeat: 3, pass_at_least: 2}}
    given: {speed: $twice}
    """
    sim, real = cells(HEAD, text)
    assert (sim.given.speed, sim.repeats) == (1_000_000_000, Repeats(1, 1))
    assert (real.given.speed, real.repeats) == (2_000_000_000, Repeats(3, 2))
    assert (sim.tolerance, real.tolerance) == (0, 5_000_000)


def test_an_axis_is_the_same_in_every_world(refusals: Refusals) -> None:
    text = """\
    world: [sim, real]
    let: {a: 1, b: $a, c: 3}
    matrix: {x: [$c, $b]}
    per_world: {real: {let: {a: 2}}}
    """
    assert refusals(HEAD, text) == ["8:18 an axis is the same in every world, but `$b` is not"]
