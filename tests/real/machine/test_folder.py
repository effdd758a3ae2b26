"""The folder of a run: its user's alone, told from one whose owner is gone, and swept then."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from windtunnel_real.machine.folder import PREFIX, leftovers, make_folder, started


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_it_is_its_users_alone_and_no_leftover_while_its_process_lives() -> None:
    folder = make_folder()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder not in tuple(leftovers())


def test_one_whose_process_is_gone_is_swept_by_the_next() -> None:
    source = "from windtunnel_real.machine.folder import make_folder; print(make_folder())"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TMPDIR": tempfile.gettempdir(),
    }
    done = subprocess.run(
        [sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True
    )
    left = Path(done.stdout.strip())
    assert left.is_dir()
    make_folder()
    assert not left.exists()


def test_one_whose_number_was_given_away_again_is_a_leftover(tmp_path: Path) -> None:
    other = tmp_path / f"{PREFIX}-{os.getpid()}-{started(os.getpid()) - 1}-abc"
    other.mkdir()
    assert other in tuple(leftovers())


def test_a_folder_of_another_name_is_let_be(tmp_path: Path) -> None:
    other = tmp_path / f"{PREFIX}-mine-own-abc"
    other.mkdir()
    make_folder()
    assert other.is_dir()


def test_there_is_no_start_of_a_process_that_is_not_there() -> None:
    assert started(os.getpid()) > 0
    assert started(2**22 + 1) == 0
