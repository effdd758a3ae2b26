"""The guard: nothing begins under a dead parent, and arguments arrive as they are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from children_kit import PATIENCE, python
from windtunnel_real.errors import MissingProgramError
from windtunnel_real.programs import guard
from windtunnel_real.programs.guard import guarded


@pytest.mark.parametrize("script", [guard._GUARD, guard._HELD])
def test_one_whose_parent_died_before_the_kernel_was_asked_begins_nothing(
    script: str, tmp_path: Path
) -> None:
    """The guard finds another parent than the one that started it."""
    command = ["sh", "-c", script, str(os.getpid() + 1), "touch", str(tmp_path / "stepped")]
    assert subprocess.run(command, check=False, timeout=PATIENCE).returncode == 1
    assert not (tmp_path / "stepped").exists()


def test_arguments_arrive_as_they_are(tmp_path: Path) -> None:
    said = ["", "a b", "$HOME", "'\"", "用户", "-c", ";exit 3"]
    text = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(repr(sys.argv[2:]))"
    command = guarded([*python(text), str(tmp_path / "out"), *said])
    assert subprocess.run(command, check=False, timeout=PATIENCE).returncode == 0
    assert (tmp_path / "out").read_text() == repr(said)


def test_the_guard_itself_is_looked_for_too(tmp_path: Path) -> None:
    (tmp_path / "program").symlink_to("/bin/true")
    with pytest.raises(MissingProgramError, match=r"setpriv .*apt-get install util-linux"):
        guarded(["program"], {"PATH": str(tmp_path)})
