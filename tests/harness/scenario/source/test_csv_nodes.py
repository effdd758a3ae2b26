"""CSV nodes: what a table says and where each field of it stands."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.source import csv_nodes
from windtunnel.scenario.source.csv_nodes import MAX_COLUMNS, Table, column_faults, read_table
from windtunnel.scenario.source.yaml_nodes import Fault, Node

FIELD = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


def table(text: str, most_rows: int = 100) -> tuple[Table | None, list[str]]:
    faults: list[Fault] = []
    found = read_table(text, "t.csv", most_rows, faults)
    assert all(fault.file == "t.csv" for fault in faults)
    return found, [f"{fault.line}:{fault.column} {fault.message}" for fault in faults]


def rows(text: str) -> list[list[Any]]:
    found, faults = table(text)
    assert found is not None
    assert faults == []
    return [row.value for row in found.rows]


def test_values_mean_what_they_mean_in_a_scenario() -> None:
    assert rows("a,b,c,d,e,f\n1,1.5,true,1s,no,\n010,0x10,~, x ,$n,-.5\n") == [
        [1, 1.5, True, "1s", "no", None],
        [10, 16, None, "x", "$n", -0.5],
    ]


def test_what_is_quoted_is_a_text() -> None:
    assert rows('a,b\n"1","say ""no"""\n"x, y","two\nlines"\n') == [
        ["1", 'say "no"'],
        ["x, y", "two\nlines"],
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_line_end_will_do(line_end: str) -> None:
    text = f'a,b{line_end}"1{line_end}2",3{line_end}{line_end}x,y{line_end}'
    found, faults = table(text)
    assert found is not None
    assert faults == []
    places = [(node.line, node.column) for row in found.rows for node in row.nodes()]
    assert places == [(2, 1), (3, 4), (5, 1), (5, 3)]


def test_a_last_line_needs_no_end_and_empty_lines_are_no_rows() -> None:
    assert rows("\na\n\n1\n\n\n2") == [[1], [2]]
    assert rows("a,b\n1,") == [[1, None]]
    assert rows('a\n~\n""\n') == [[None], [""]]


def test_rows_that_do_not_fit() -> None:
    found, faults = table("a,b\n1\n1,2\n1,2,3\n")
    assert found is not None
    assert [row.value for row in found.rows] == [[1, 2]]
    assert faults == [
        "2:1 this row has 1 fields for 2 columns",
        "4:1 this row has 3 fields for 2 columns",
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [('a\n"x\n', "2:1"), ('a,b\nx,y"z\n', "2:3"), ('a,b\nx,"y"z\n', "2:3"), ('"a\nb",c"\n', "2:4")],
)
def test_quotation_marks_in_the_wrong_place(text: str, place: str) -> None:
    _, (fault, *others) = table(text)
    assert fault.startswith(f"{place} a quotation mark")
    assert others == []


def test_headers_that_name_no_columns() -> None:
    assert table("") == (None, ["1:1 the table is empty; its first line names the columns"])
    _, faults = table("a,a,,3\n")
    assert faults == [
        "1:3 the column `a` is here twice",
        "1:5 a column's name is a text, not None",
        "1:6 a column's name is a text, not 3",
    ]
    _, faults = table(",".join(f"c{n}" for n in range(MAX_COLUMNS + 1)))
    assert len(faults) == 1


def test_columns_that_nothing_knows_or_that_are_missing() -> None:
    found, _ = table("inputt,b\n")
    assert found is not None
    assert [fault[:3] for fault in column_faults(found, ("input", "b", "c"), ("id",))] == [
        (1, 1, "unknown column `inputt`; did you mean `input`?"),
        (1, 1, "the column `input` is required here"),
        (1, 1, "the column `c` is required here"),
    ]
    assert found.columns == {"inputt": 0, "b": 1}


def test_long_numbers_and_too_many_rows() -> None:
    _, faults = table(f"a\n{'9' * 50}\n")
    assert faults == ["2:1 a number of 50 characters is too long; quote it if it is a text"]
    found, faults = table("a\n1\n2\n3\n", most_rows=2)
    assert found is not None
    assert len(found.rows) == 2
    assert faults == ["4:1 over 2 rows; split the table"]


def test_rows_that_do_not_fit_count_as_well() -> None:
    _, faults = table("a,b\n1\n2\n3\n4\n", most_rows=2)
    assert [fault[:4] for fault in faults] == ["2:1 ", "3:1 ", "4:1 "]
    assert faults[-1] == "4:1 over 2 rows; split the table"


@pytest.mark.parametrize(("before", "line"), [("", 1), ("a,b\n", 2)])
def test_a_row_that_does_not_end_is_not_read_to_its_end(before: str, line: int) -> None:
    _, faults = table(before + "," * 1_000_000 + '"')
    assert faults == [f"{line}:{MAX_COLUMNS + 1} over {MAX_COLUMNS} columns"]


def test_empty_lines_are_passed_over_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    make = csv_nodes._node

    def counted(match: re.Match[str], line: int, *more: Any) -> Node:
        made.append(line)
        return make(match, line, *more)

    monkeypatch.setattr(csv_nodes, "_node", counted)
    found, faults = table("\n \n\t\r\na\n" + "\r\n \n" * 1000 + "1\n\n")
    assert found is not None
    assert faults == []
    assert [(row.line, row.value) for row in found.rows] == [(2005, [1])]
    assert made == [4, 2005]


@given(st.lists(st.lists(FIELD, min_size=2, max_size=2), min_size=1, max_size=6))
def test_quoted_fields_are_as_the_standard_library_writes_them(wanted: list[list[str]]) -> None:
    file = io.StringIO()
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["a", "b"], *wanted])
    assert rows(file.getvalue()) == wanted


@given(st.lists(st.lists(FIELD, min_size=2, max_size=2), min_size=1, max_size=6))
def test_every_field_stands_where_it_says(wanted: list[list[str]]) -> None:
    file = io.StringIO()
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["a", "b"], *wanted])
    lines = file.getvalue().split("\n")
    found, _ = table(file.getvalue())
    assert found is not None
    for row in found.rows:
        for node in row.nodes():
            written = '"' + node.value.replace('"', '""').split("\n")[0]
            assert lines[node.line - 1][node.column - 1 :].startswith(written)


@given(st.text(st.sampled_from('ab1",\n\r $'), max_size=30))
def test_every_text_is_read_or_told(text: str) -> None:
    found, faults = table(text)
    assert found is not None or faults
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for fault in faults:
        line, column = map(int, fault.split()[0].split(":"))
        assert 1 <= line <= len(lines)
        assert 1 <= column <= len(lines[line - 1]) + 1
