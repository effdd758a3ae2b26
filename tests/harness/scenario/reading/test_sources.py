"""Sources: what a scenario names is read, remembered and refused at the place that names it."""

from __future__ import annotations

from pathlib import Path

from windtunnel.scenario.reading.sources import Sources
from windtunnel.scenario.source.nearby import Origin
from windtunnel.scenario.source.yaml_nodes import Fault, Node


def test_what_was_read_is_remembered_once_in_order(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv"):
        (tmp_path / name).write_text("x\n1\n")
    sources, faults = Sources(Origin(tmp_path / "x.yaml", "x.yaml", tmp_path)), list[Fault]()
    for name in ("b.csv", "a.csv", "b.csv"):
        table = sources.table(Node(name, 1, 1), 10, faults)
        assert table is not None
        assert [row.value for row in table.rows] == [[1]]
    assert [path.name for path in sources.files] == ["b.csv", "a.csv"]
    assert faults == []


def test_what_is_wrong_with_a_path_is_told_where_it_stands(tmp_path: Path) -> None:
    sources, faults = Sources(Origin(tmp_path / "x.yaml", "x.yaml", tmp_path)), list[Fault]()
    assert sources.table(Node("none.csv", 3, 7), 10, faults) is None
    assert [(f.line, f.column, f.file) for f in faults] == [(3, 7, "")]


def test_what_is_wrong_with_a_content_is_told_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"x\n\xff\n")
    sources, faults = Sources(Origin(tmp_path / "x.yaml", "ui/x.yaml", tmp_path)), list[Fault]()
    assert sources.table(Node("a.csv", 3, 7), 10, faults) is None
    assert [(f.line, f.column, f.file) for f in faults] == [(2, 1, "ui/a.csv")]
    assert [path.name for path in sources.files] == ["a.csv"]


def test_a_text_without_a_place_names_no_file() -> None:
    faults: list[Fault] = []
    assert Sources().table(Node("a.csv", 3, 7), 10, faults) is None
    assert faults == [Fault(3, 7, "a text without a place cannot name other files")]
