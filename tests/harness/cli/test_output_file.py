"""An output file: complete, or not there."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from windtunnel.cli.output_file import OutputError, OutputFile


def test_it_appears_when_it_is_committed(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("before")
    file = OutputFile("--json", str(path))
    file.write("after é")
    assert path.read_text() == "before"
    file.commit()
    assert path.read_text(encoding="utf-8") == "after é"
    file.discard()
    assert list(tmp_path.iterdir()) == [path]


def test_discarded_it_leaves_no_trace(tmp_path: Path) -> None:
    file = OutputFile("--json", str(tmp_path / "out"))
    file.write("x")
    file.discard()
    file.discard()
    assert list(tmp_path.iterdir()) == []


def test_its_mode_is_that_of_any_new_file_or_of_the_old_one(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    old = tmp_path / "old"
    old.touch()
    old.chmod(0o640)
    for name in ("new", "old"):
        file = OutputFile("--json", str(tmp_path / name))
        file.commit()
    assert (tmp_path / "new").stat().st_mode == plain.stat().st_mode
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "folder" / "real")
    file = OutputFile("--json", str(link))
    file.write("x")
    file.commit()
    assert link.is_symlink()
    assert (tmp_path / "folder" / "real").read_text() == "x"


def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    file = OutputFile("--json", str(pipe))
    file.write("x")
    file.commit()
    reader.join(20)
    assert read == ["x"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".", "it is a folder"),
        ("none/out", "No such file or directory"),
        ("file/out", "Not a directory"),
    ],
)
def test_what_cannot_be_written_is_told(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError) as caught:
        OutputFile("--junit", str(tmp_path / name))
    assert str(caught.value) == f"cannot write --junit {tmp_path / name}: {said}"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.touch(mode=0o444)
    with pytest.raises(OutputError, match="Permission denied"):
        OutputFile("--json", str(path))
