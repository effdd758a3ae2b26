"""Packages: whose files they are, whether they load, and how they are put right."""

from __future__ import annotations

import base64
import hashlib
import sys
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_real.doctor import packages
from windtunnel_real.doctor.packages import MODULES, foreign_files, package

FILES = ("Xlib/__init__.py", "Xlib/display.py", "Xlib/X.py", "Xlib/XK.py", "Xlib/error.py")


def install(folder: Path, files: tuple[str, ...] = FILES) -> PathDistribution:
    """Lay a distribution as an installer does: its files, and the record of their digests."""
    record = []
    for name in files:
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# {name}\n", encoding="utf-8")
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest())
        record.append(f"{name},sha256={digest.rstrip(b'=').decode()},{file.stat().st_size}")
    info = folder / "python_xlib-0.33.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: python-xlib\nVersion: 0.33\n", encoding="utf-8")
    (info / "RECORD").write_text("\n".join([*record, "Xlib/no_digest.py,,"]), encoding="utf-8")
    return PathDistribution(info)


@pytest.mark.parametrize("name", MODULES)
def test_each_of_ours_is_there_and_whole(name: str) -> None:
    assert package(name).state == "ok"


def test_one_that_is_missing_is_told_with_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    seen = package("mss")
    assert (seen.state, seen.text) == ("bad", "it is not installed")
    assert seen.mend == f"{sys.executable} -m pip install mss"


@pytest.mark.parametrize("harm", ["written over", "removed"])
def test_files_that_are_not_its_own_are_told(
    harm: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed = install(tmp_path)
    file = tmp_path / "Xlib" / "display.py"
    file.write_text("# somebody else's\n", encoding="utf-8")
    if harm == "removed":
        file.unlink()
    monkeypatch.setattr(packages, "distribution", lambda _: installed)
    monkeypatch.setattr(
        packages, "packages_distributions", lambda: {"Xlib": ["python-xlib", "python3_xlib"]}
    )
    seen = package("python-xlib")
    assert seen.state == "bad"
    assert seen.text == "Xlib/display.py is not its own: python3-xlib wrote over it"
    pip = f"{sys.executable} -m pip"
    assert seen.mend == (
        f"{pip} uninstall --yes python3-xlib && "
        f"{pip} install --force-reinstall --no-deps python-xlib"
    )


def test_many_files_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed = install(tmp_path)
    for name in FILES:
        (tmp_path / name).unlink()
    monkeypatch.setattr(packages, "distribution", lambda _: installed)
    seen = package("python-xlib")
    assert seen.text == "Xlib/__init__.py, Xlib/display.py, Xlib/X.py and 2 more are not its own"
    assert seen.mend == (f"{sys.executable} -m pip install --force-reinstall --no-deps python-xlib")


def test_one_that_does_not_load_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "broken_one.py").write_text("raise RuntimeError('no libxcb')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(packages, "MODULES", {"mss": "broken_one"})
    seen = package("mss")
    assert (seen.state, seen.text.endswith("does not load: no libxcb")) == ("bad", True)


@given(touched=st.sets(st.sampled_from(FILES)))
def test_exactly_what_was_touched_is_found(
    touched: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("packages")
    installed = install(folder)
    for name in touched:
        (folder / name).write_text("# touched\n", encoding="utf-8")
    assert set(foreign_files(installed)) == {folder / name for name in touched}
