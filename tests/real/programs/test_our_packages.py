"""Our packages: a bare checkout is enough, and what is installed is left to the interpreter."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from children_kit import python
from windtunnel_real import errors
from windtunnel_real.programs.our_packages import with_our_packages


def test_our_packages_are_found_from_a_bare_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda name: "/nowhere")
    environment = with_our_packages({"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)})
    text = "import windtunnel.trace, windtunnel_real.errors as e; print(e.__file__)"
    said = subprocess.check_output(python(text), env=environment, text=True, cwd="/")
    assert Path(said.strip()).samefile(errors.__file__)
    assert environment["PYTHONPATH"].split(os.pathsep)[2:] == [str(tmp_path)]


def test_what_is_installed_is_left_to_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(Path(errors.__file__).parents[1])
    monkeypatch.setattr(sysconfig, "get_path", lambda name: root)
    path = with_our_packages({}).get("PYTHONPATH", "").split(os.pathsep)
    assert root not in path
