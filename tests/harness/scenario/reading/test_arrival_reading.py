"""Reading of `from_csv`: when operations arrive and what each brings."""

from __future__ import annotations

from typing import Any

from windtunnel.units import MS, SECOND

Folder = Any

ENTRY = "timeline: [{at: 1s, submit: job, id: a, from_csv: {file: jobs.csv}, args: %s}]\n"


def test_each_operation_has_its_row(folder: Folder) -> None:
    folder.write({"ui/jobs.csv": 'name,at,size\nbob,0s,3\n"7",1.5s,4\neve,1500ms,5\n'})
    (cell,) = folder.cells(ENTRY % "{name: '$i-$name', size: $size}")
    (entry,) = cell.timeline
    assert (entry.at, entry.repeat, entry.offsets) == (SECOND, 3, (0, 1500 * MS, 1500 * MS))
    made = [entry.template.make(number) for number in range(3)]
    assert [operation.id for operation in made] == ["a.0", "a.1", "a.2"]
    assert [(o.args.name, o.args.size) for o in made] == [("0-bob", 3), ("1-7", 4), ("2-eve", 5)]


def test_what_no_column_is_used_of(folder: Folder) -> None:
    folder.write({"ui/jobs.csv": "at\n0s\n2s\n"})
    (cell,) = folder.cells(ENTRY % "{name: x}")
    assert [cell.timeline[0].template.make(n).args.name for n in (0, 1)] == ["x", "x"]
    assert cell.timeline[0].template.make(0).args is cell.timeline[0].template.make(1).args


def test_a_dollar_in_a_table_is_a_dollar(folder: Folder) -> None:
    folder.write({"ui/jobs.csv": "at,name\n0s,$i $x\n"})
    (cell,) = folder.cells(ENTRY % "{name: $name}")
    assert cell.timeline[0].template.make(0).args.name == "$i $x"


def test_others_name_an_operation_by_its_row(folder: Folder) -> None:
    folder.write({"ui/jobs.csv": "at\n0s\n2s\n"})
    text = (ENTRY % "{name: x}").replace("]\n", ", {after: a.%d.settled, submit: ping}]\n")
    assert folder.cells(text % 1)[0].timeline[1].after.text == "a.1.settled"
    (told,) = folder.refusals(text % 2)
    assert told.endswith("`a` has no operation 2: the last of 2 is a.1")


def test_no_more_than_ten_bad_rows_are_told(folder: Folder) -> None:
    rows = "".join(f"{n}s,x{n}\n" for n in range(50))
    folder.write({"ui/jobs.csv": "at,size\n" + rows})
    told = folder.refusals(ENTRY % "{name: x, size: $size}")
    assert len(told) == 10
    assert told[0].endswith("not 'x0' (from `$size`) [ui/jobs.csv:2]")
    assert told[9].endswith("[ui/jobs.csv:11]")


def test_the_table_is_one_of_the_sources(folder: Folder) -> None:
    folder.write({"ui/jobs.csv": "at\n0s\n"})
    scenario = folder.scenario(ENTRY % "{name: x}")
    assert [path.name for path in scenario.sources] == ["jobs.csv"]
