"""Markers: found wherever they stand, in files that are not imported."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.requirements.markers import find_markers

SOURCE = '''\
import pytest
from pytest import mark

raise SystemExit("it is not imported")
pytestmark = [pytest.mark.spec("A-1"), pytest.mark.slow]

@pytest.mark.spec("A-2", "A-3")
@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.spec("A-4"))])
def test_one(x): ...

@mark.spec(*("A-5", "A-6"))
class TestAll:
    @mark.spec("A-7")
    async def test_two(self): ...

@pytest.mark.other("A-8")
@thing.spec("A-9")
def test_three():
    """pytest.mark.spec("A-10")"""
'''


def found(folder: Path, source: str) -> dict[str, str]:
    (folder / "test_it.py").write_text(source)
    return {one.id: one.test.removeprefix(str(folder)) for one in find_markers([folder]).marked}


def test_each_is_found_with_what_it_stands_at(tmp_path: Path) -> None:
    assert found(tmp_path, SOURCE) == {
        "A-1": "/test_it.py",
        "A-2": "/test_it.py::test_one",
        "A-3": "/test_it.py::test_one",
        "A-4": "/test_it.py::test_one",
        "A-5": "/test_it.py::TestAll",
        "A-6": "/test_it.py::TestAll",
        "A-7": "/test_it.py::TestAll::test_two",
    }


def test_the_place_is_that_of_the_id(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SOURCE)
    places = {one.id: (one.line, one.column) for one in find_markers([tmp_path]).marked}
    assert (places["A-1"], places["A-3"]) == ((5, 32), (7, 26))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def broken(:\n", "1:12: error: cannot read it: "),
        (
            "import pytest\n@pytest.mark.spec(IDS)\ndef test(): ...\n",
            "2:19: error: `spec` takes ids",
        ),
        ("@pytest.mark.spec()\ndef test(): ...\n", "1:2: error: `spec` takes ids"),
        ("@pytest.mark.spec(*IDS)\ndef test(): ...\n", "1:19: error: `spec` takes ids"),
        ("x = '\\0'\n\0", "cannot read it: "),
        ("(" * 5000 + ")" * 5000, "cannot read it: "),
        (f"x = {'-' * 100_000}1", "cannot read it: "),
        (f"x = {'a.' * 50_000}b", "cannot read it: "),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, source: str, said: str) -> None:
    file = tmp_path / "test_it.py"
    file.write_bytes(source.encode())
    (problem,) = find_markers([tmp_path]).problems
    assert said in str(problem)
    assert str(problem).startswith(f"{file}:")


def test_files_are_read_once_and_hidden_folders_not_at_all(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    for file in (tmp_path / "test_a.py", tmp_path / ".venv" / "test_b.py"):
        file.write_text("pytestmark = pytest.mark.spec('A-1')\n")
    markers = find_markers([tmp_path, tmp_path / "test_a.py", tmp_path])
    assert [one.test for one in markers.marked] == [str(tmp_path / "test_a.py")]


ids = st.text("ABC-123", min_size=1, max_size=8)


@given(st.lists(st.lists(ids, min_size=1, max_size=4), max_size=5))
def test_no_id_is_lost(
    tmp_path_factory: pytest.TempPathFactory, decorated: list[list[str]]
) -> None:
    lines = [
        f"@pytest.mark.spec({', '.join(map(repr, names))})\ndef test_{number}(): ...\n"
        for number, names in enumerate(decorated)
    ]
    folder = tmp_path_factory.mktemp("markers")
    (folder / "test_it.py").write_text("\n".join(lines))
    marked = find_markers([folder]).marked
    assert [one.id for one in marked] == [name for names in decorated for name in names]


def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "test_a.py")
    (tmp_path / "test_b.py").symlink_to("/dev/zero")
    problems = find_markers([tmp_path, Path("/dev/zero")]).problems
    assert [one.message for one in problems] == ["cannot read it: it is no file"] * 3


def test_what_is_skipped_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "@pytest.mark.skip(reason='x')\n@pytest.mark.spec('A-1')\ndef test_one(): ...\n"
        "@mark.skip\nclass TestAll:\n  @mark.spec('A-2')\n  def test_two(self): ...\n"
        "@pytest.mark.skipif(True)\n@pytest.mark.spec('A-3')\ndef test_three(): ...\n"
    )
    found = {one.id: one.skipped for one in find_markers([tmp_path]).marked}
    assert found == {"A-1": True, "A-2": True, "A-3": False}


def test_what_python_warns_of_in_a_test_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("x = '\\d'\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_markers([tmp_path]).problems == ()
