"""From a request to cells, and back from a cell to the command that replays it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.cells import Cell
from windtunnel.scenario.selecting.files import bundled_root
from windtunnel.scenario.selecting.filters import FilterError, parse_filter
from windtunnel.scenario.selecting.selection import (
    Request,
    content_hash,
    haystack,
    replay_all,
    replay_command,
    select,
)
from windtunnel.scenario.source.source_text import MAX_BYTES

MakeCell = Callable[..., Cell]
SCENARIO = """
format: 1
name: {name}
covers: [UI-Q1]
tags: [tagged]
system: ui
policy: specified
let: {{wait: 1s}}
given: {{actions: {{send_text: {{duration: 1s}}}}}}
matrix: {{wait: [1s, 2s]}}
timeline:
  - {{at: $wait, submit: send_text, id: a}}
expect:
  - conservation: {{of: [send_text]}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("first", "second"):
        Path(f"{name}.yaml").write_text(SCENARIO.format(name=name))
    return tmp_path


def names(request: Request) -> list[str]:
    return [cell.name for cell in select(request).cells]


def test_the_cells_of_all_files_in_order(folder: Path) -> None:
    all_ = ["first[wait=1s]", "first[wait=2s]", "second[wait=1s]", "second[wait=2s]"]
    assert names(Request((".",))) == all_
    assert names(Request(("second.yaml", "first.yaml"))) == [*all_[2:], *all_[:2]]


def test_an_expression_chooses_among_them(folder: Path) -> None:
    assert names(Request((".",), "2s and not second")) == ["first[wait=2s]"]
    assert select(Request((".",), "2s")).deselected == 2
    assert len(names(Request((".",), "UI-Q1 and TAGGED and first.yaml"))) == 2


def test_a_bad_expression_is_told(folder: Path) -> None:
    with pytest.raises(FilterError):
        select(Request((".",), "("))


def test_problems_of_a_file_stand_beside_the_cells_of_the_others(folder: Path) -> None:
    Path("first.yaml").write_text(SCENARIO.format(name="first").replace("expect:", "expct:"))
    selection = select(Request((".",)))
    assert [cell.scenario for cell in selection.cells] == ["second", "second"]
    assert selection.problems
    assert {problem.file for problem in selection.problems} == {"first.yaml"}


def test_overrides_reach_the_cells(folder: Path) -> None:
    cells = select(Request(("first.yaml",), seed=9, policy="specified")).cells
    assert {(cell.seed, cell.policy) for cell in cells} == {(9, "specified")}


@pytest.mark.parametrize("request_", [Request(), Request(seed=3), Request(policy="specified")])
def test_every_bundled_cell_can_be_replayed_alone(request_: Request) -> None:
    cells = select(request_).cells
    assert cells
    for cell in cells:
        program, command, file, *options = shlex.split(replay_command(cell, request_))
        assert (program, command) == ("windtunnel", "run")
        given = dict(zip(options[::2], options[1::2], strict=True))
        seed = given.get("--seed")  # none where it is an axis, which `-k` names
        assert seed is not None or "seed" in cell.axes
        again = select(
            Request(
                (file,),
                given.get("-k"),
                policy=given.get("--policy"),
                seed=None if seed is None else int(seed),
            )
        )
        assert [one.name for one in again.cells] == [cell.name]
        assert again.cells[0].seed == cell.seed


printed = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=8)


@given(value=printed, other=printed)
def test_the_expression_of_a_replay_matches_its_cell(value: str, other: str) -> None:
    cell = Cell(
        *("odd", "a b.yaml", 1, {"x": value}, "sim", "ui", "specified", None, None, 0, None),
        *((), None, 0, None, None, (), {}),  # type: ignore[arg-type]  # no limits are needed
    )
    words = shlex.split(replay_command(cell, Request()))
    assert words[:3] == ["windtunnel", "run", "a b.yaml"]
    chosen = parse_filter(words[4])
    assert chosen(haystack(cell))
    sister = replace(cell, axes={"x": other})
    alike = f"[x={value}]".lower() in haystack(sister).lower()
    assert chosen(haystack(sister)) is alike


def test_a_file_that_looks_like_an_option_is_named_as_a_file(make_cell: MakeCell) -> None:
    cell = make_cell(file="-a.yaml", seed=4)
    assert replay_command(cell, Request()) == "windtunnel run ./-a.yaml --seed 4"
    request = Request(("-a.yaml", "--", "b/-c"))
    assert replay_all(request, [cell]) == "windtunnel run ./-a.yaml ./-- b/-c --seed 4"
    assert request.arguments() == ("./-a.yaml", "./--", "b/-c")


def test_the_replay_of_all_names_a_common_seed(make_cell: MakeCell) -> None:
    cells = [make_cell(seed=4), make_cell(seed=4, scenario="other")]
    request = Request(("a b", "c"), "x and y", policy="listed")
    assert (
        replay_all(request, cells) == "windtunnel run 'a b' c -k 'x and y' --policy listed --seed 4"
    )
    assert replay_all(Request(), [*cells, make_cell(seed=5)]) == "windtunnel run"
    assert replay_all(Request(seed=1), cells) == "windtunnel run --seed 1"
    assert replay_all(Request(scheduler="m:C", allow_code=True), cells) == (
        "windtunnel run --scheduler m:C --allow-code --seed 4"
    )


def test_a_seed_that_is_an_axis_is_not_overridden(make_cell: MakeCell) -> None:
    cell = make_cell(axes={"seed": 4}, seed=4)
    assert replay_command(cell, Request()) == "windtunnel run probe.yaml -k 'probe[seed=4]'"


def test_the_hash_depends_on_what_stands_where(tmp_path: Path) -> None:
    def hashed(*contents: str) -> str:
        files = []
        for number, content in enumerate(contents):
            path = tmp_path / str(number)
            path.write_text(content)
            files.append(path)
        return content_hash(files)

    assert hashed("ab", "c") == hashed("ab", "c")
    assert len({hashed("ab", "c"), hashed("a", "bc"), hashed("c", "ab"), hashed("abc", "")}) == 4


def test_the_hash_is_over_what_a_scenario_includes_too(folder: Path) -> None:
    shared = folder / "_shared.yaml"
    text = (folder / "first.yaml").read_text()
    (folder / "first.yaml").write_text(f"{text}include: _shared.yaml\n")

    def hashed(content: str) -> str:
        shared.write_text(content)
        selection = select(Request(("first.yaml",)))
        assert selection.problems == ()
        return selection.hash

    assert hashed("let: {a: 1}\n") == hashed("let: {a: 1}\n") != hashed("let: {a: 2}\n")


@pytest.mark.parametrize("kind", ["pipe", "endless", "loop", "folder"])
def test_what_is_no_file_is_told_and_never_read(folder: Path, kind: str) -> None:
    path = folder / "odd.yaml"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "endless":
            path.symlink_to("/dev/zero")
        case "loop":
            path.symlink_to(path)
        case "folder":
            path.symlink_to(folder / "missing")
    selection = select(Request(("first.yaml", "odd.yaml")))
    assert {cell.scenario for cell in selection.cells} == {"first"}
    (problem,) = selection.problems
    assert problem.message.startswith("cannot read it: ")


def test_the_hash_reads_no_more_than_a_scenario_may_hold(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"#" * (MAX_BYTES + 1))
    (tmp_path / "larger").write_bytes(b"#" * (MAX_BYTES + 9))
    files = [tmp_path / name for name in ("huge", "larger")]
    assert content_hash(files[:1]) == content_hash(files[1:])


def test_the_bundled_scenarios_have_no_problem() -> None:
    selection = select(Request((str(bundled_root()),), allow_code=True))
    assert selection.problems == ()
    assert selection.cells
