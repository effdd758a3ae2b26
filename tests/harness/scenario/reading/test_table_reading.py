"""Reading of rows: in short, in long with worlds and faults, and from a CSV file."""

from __future__ import annotations

from typing import Any

from windtunnel.units import SECOND

Folder = Any

TABLE = "cases: {inputs: [n, m], outputs: [out], rows_from: ../rows.csv}\n"


def test_columns_stand_in_any_order(folder: Folder) -> None:
    folder.write({"rows.csv": "out,m,id,n\n1,$k,first,2\n3,4,,5\n"})
    first, second = folder.cells(TABLE + "let: {k: 8}\n")
    assert (first.name, second.name) == ("probe[case=first]", "probe[case=2]")
    assert dict(first.variables) == {"k": 8, "n": 2, "m": 8, "out": 1}
    assert (second.variables["n"], second.variables["m"], second.variables["out"]) == (5, 4, 3)
    assert {first.line, second.line} == {5}
    assert {first.file} == {"ui/x.yaml"}


def test_a_table_means_the_same_in_the_file_and_beside_it(folder: Folder) -> None:
    folder.write({"rows.csv": "id,n,m,out\na,1,1.5,true\nb,x,2s,~\n"})
    inside = "cases:\n  inputs: [n, m]\n  outputs: [out]\n  rows:\n"
    rows = "    - {id: a, in: [1, 1.5], out: [true]}\n    - {id: b, in: [x, 2s], out: [null]}\n"
    one, other = folder.cells(TABLE), folder.cells(inside + rows)
    assert [dict(cell.variables) for cell in one] == [dict(cell.variables) for cell in other]
    assert [cell.name for cell in one] == [cell.name for cell in other]


def test_an_input_may_be_called_id(folder: Folder) -> None:
    folder.write({"rows.csv": "id,m,n,out\n7,1,2,3\n"})
    text = "cases: {inputs: [id, m, n], outputs: [out], rows_from: ../rows.csv}\n"
    (cell,) = folder.cells(text)
    assert (cell.name, cell.variables["id"]) == ("probe[case=1]", 7)


def test_ten_thousand_rows_are_the_most(folder: Folder) -> None:
    folder.write({"rows.csv": "n,m,out\n" + "1,2,3\n" * 10_001})
    assert folder.refusals(TABLE) == ["rows.csv:10002:1 over 10,000 rows; split the table"]


def test_a_row_may_run_in_one_world_alone(folder: Folder) -> None:
    text = """\
    world: [sim, real]
    cases:
      inputs: [n]
      rows: [{id: both, in: [1]}, {id: one, in: [2], world: real}, {id: two, in: [3], world: [sim]}]
    """
    cells = folder.cells(text)
    assert [(cell.axes["case"], cell.world) for cell in cells] == [
        ("both", "sim"),
        ("both", "real"),
        ("one", "real"),
        ("two", "sim"),
    ]
    assert [cell.axes["case"] for cell in folder.cells(text, world="sim")] == ["both", "two"]


def test_the_faults_of_a_row_come_after_those_of_the_file(folder: Folder) -> None:
    text = """\
    faults: [{at: 0s, do: storm}]
    cases:
      inputs: [n]
      rows:
        - {id: none, in: [1s]}
        - id: more
          in: [2s]
          faults:
            - {at: $n, do: outage}
            - {after: mine.undone, do: storm}
            - {at: 1s, do: storm, id: mine, for: $n}
    """
    none, more = folder.cells(text)
    assert [entry.fault.id for entry in none.faults] == ["fault-0"]
    assert [(entry.fault.id, entry.at, entry.lasts) for entry in more.faults] == [
        ("fault-0", 0, None),
        ("fault-1", 2 * SECOND, None),
        ("fault-2", None, None),
        ("mine", SECOND, 2 * SECOND),
    ]
