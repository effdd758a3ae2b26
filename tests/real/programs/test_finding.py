"""The finding: a program is found by its environment's PATH, or the way to it is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from display_kit import false_program
from windtunnel.errors import WorldError, WorldUnavailableError
from windtunnel_real.errors import DisplayStartError, MissingProgramError
from windtunnel_real.programs.finding import PACKAGES, find_program


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("scrot", r"no program scrot on the PATH: install it \(apt-get install scrot\)"),
        ("Xvfb", r"\(apt-get install xvfb\)"),
        ("setpriv", r"\(apt-get install util-linux\)"),
        ("no-such", r"no program no-such on the PATH: install it \(or put its folder on the PATH"),
        ("/no/such", r"no program at /no/such, or it may not be run"),
    ],
)
def test_a_program_that_is_missing_is_named_with_the_way_to_it(
    tmp_path: Path, name: str, says: str
) -> None:
    with pytest.raises(MissingProgramError, match=says):
        find_program(name, {"PATH": str(tmp_path)})


def test_it_means_no_world_before_a_run_and_the_end_of_one_within() -> None:
    assert issubclass(MissingProgramError, WorldUnavailableError)
    assert issubclass(MissingProgramError, DisplayStartError)
    assert issubclass(MissingProgramError, WorldError)


def test_a_file_that_may_not_be_run_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("data", encoding="utf-8")
    with pytest.raises(MissingProgramError, match="may not be run"):
        find_program(str(tmp_path / "data"), {})


def test_our_own_environment_is_meant_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = false_program(tmp_path / "bin", "Xthing", "exit 0")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert find_program("Xthing") == str(program)
    assert find_program("Xthing", dict(os.environ)) == str(program)


def test_without_a_path_the_systems_own_is_meant() -> None:
    assert Path(find_program("sh", {})).name == "sh"


def test_what_we_start_is_installed_here_under_these_names() -> None:
    assert [Path(find_program(name)).name for name in PACKAGES] == list(PACKAGES)
