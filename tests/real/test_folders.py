"""Our folders: their user's alone, told from one whose owner is gone, and swept then."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from display_kit import state_of, wait_until
from windtunnel_real.folders import PREFIX, leftovers, make_folder, remove_folder, started


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def parts_of(folder: Path) -> list[int]:
    """Return namespace, process and its start, as the name has them."""
    return [int(part) for part in folder.name.removeprefix(f"{PREFIX}-").split("-")[:3]]


def named(where: Path, namespace: int, pid: int, since: int) -> Path:
    folder = where / f"{PREFIX}-{namespace}-{pid}-{since}-abc"
    folder.mkdir()
    return folder


def test_it_is_its_users_alone_and_no_leftover_while_its_process_lives(tmp_path: Path) -> None:
    folder = make_folder()
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder not in tuple(leftovers(tmp_path))
    assert make_folder() != folder
    assert folder.is_dir()


def test_one_may_lie_in_another(tmp_path: Path) -> None:
    outer = make_folder()
    inner = make_folder(outer)
    assert inner.parent == outer
    (inner / "file").write_text("text", encoding="utf-8")
    remove_folder(outer)
    remove_folder(outer)
    assert not outer.exists()


def test_one_whose_process_is_gone_is_swept_by_the_next() -> None:
    source = "from windtunnel_real.folders import make_folder; print(make_folder())"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TMPDIR": tempfile.gettempdir(),
    }
    done = subprocess.run(
        [sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True
    )
    left = Path(done.stdout.strip())
    (left / "deep").mkdir()
    assert left.is_dir()
    make_folder()
    assert not left.exists()


def test_one_whose_number_was_given_away_again_is_a_leftover(tmp_path: Path) -> None:
    namespace, pid, since = parts_of(make_folder())
    assert pid == os.getpid()
    assert named(tmp_path, namespace, pid, since - 1) in tuple(leftovers(tmp_path))


def test_one_of_another_namespace_is_let_be(tmp_path: Path) -> None:
    """Its process may well live: here nobody can see it."""
    namespace, pid, since = parts_of(make_folder())
    other = named(tmp_path, namespace + 1, pid, since - 1)
    make_folder()
    assert other.is_dir()


@given(name=st.from_regex(rf"{PREFIX}-[a-z0-9-]{{0,30}}", fullmatch=True))
def test_a_folder_of_another_name_is_let_be(name: str) -> None:
    with tempfile.TemporaryDirectory() as where:
        (Path(where) / name).mkdir()
        assert not list(leftovers(Path(where)))


def test_one_that_has_ended_is_gone_though_nobody_has_reaped_it() -> None:
    with subprocess.Popen(["true"]) as process:
        wait_until(lambda: state_of(process.pid) == "Z", "it has ended")
        assert started(process.pid) == 0


def test_there_is_no_start_of_a_process_that_is_not_there() -> None:
    assert started(os.getpid()) > 0
    assert started(2**22 + 1) == 0
