"""The programs of the real display: seen to, or said to be missing, and no run green then."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

RunTests = Callable[..., pytest.RunResult]
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "display-programs"
NEEDED = ("bash", "env", "find", "id", "rm", "timeout", "touch")
"""What the script itself needs."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a folder that alone is on the PATH: with none of the programs of the display."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return folder


def write(folder: Path, name: str, script: str = "") -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)


def run(path: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(path)} | more
    command = [str(SCRIPT), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def as_root(path: Path) -> None:
    (path / "id").unlink()
    write(path, "id", "echo 0")


def as_user(path: Path) -> None:
    (path / "id").unlink()
    write(path, "id", "echo 1000")


APT = """\
echo "$DEBIAN_FRONTEND $*" >>"$LOG"
case "$*" in
*" update"*) : >"$LISTS" ;;
*) [ -e "$LISTS" ] || exit 100
   for name in Xvfb xdotool scrot openbox xauth; do
       echo '#!/bin/sh' >"$BIN/$name"; /bin/chmod +x "$BIN/$name"
   done ;;
esac
"""


def test_missing_ones_are_named(path: Path) -> None:
    assert run(path, "--missing").stdout.split()[:5] == [
        "xvfb", "xdotool", "scrot", "openbox", "xauth",
    ]  # fmt: skip
    write(path, "Xvfb")
    write(path, "xdotool")
    assert run(path, "--missing").stdout.split()[:3] == ["scrot", "openbox", "xauth"]


def test_with_all_of_them_nothing_is_said_or_done(path: Path) -> None:
    for name in ("Xvfb", "xdotool", "scrot", "openbox", "xauth"):
        write(path, name)
    write(path, "apt-get", "exit 1")
    done = run(path)
    if "fonts" in done.stderr:
        pytest.fail("this machine has no Chinese font: .ci/display-programs installs one")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert run(path, "--missing").stdout == ""


def test_root_installs_after_an_update_where_there_are_no_lists(path: Path, tmp_path: Path) -> None:
    as_root(path)
    write(path, "apt-get", APT)
    log = tmp_path / "log"
    more = {"LOG": str(log), "LISTS": str(tmp_path / "lists"), "BIN": str(path)}
    done = run(path, **more)
    assert (done.returncode, done.stderr) == (0, "")
    said = log.read_text(encoding="utf-8").splitlines()
    assert [("install" in line, "update" in line) for line in said] == [
        (True, False), (False, True), (True, False),
    ]  # fmt: skip
    assert all(line.startswith("noninteractive ") for line in said)
    assert "--no-install-recommends xvfb xdotool scrot openbox xauth" in said[-1]


def test_a_user_is_told_the_line_and_nothing_is_installed(path: Path, tmp_path: Path) -> None:
    as_user(path)
    write(path, "apt-get", APT)
    done = run(path, LOG=str(tmp_path / "log"))
    assert done.returncode == 1
    assert done.stderr.startswith("NOT RUN: all that needs a real display, for want of xvfb ")
    assert "sudo sh -c 'apt-get update && apt-get install --yes " in done.stderr
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize(("ci", "asked"), [("", False), ("true", True)])
def test_in_ci_a_sudo_that_asks_nothing_installs(
    ci: str, asked: bool, path: Path, tmp_path: Path
) -> None:
    as_user(path)
    write(path, "apt-get", APT)
    write(path, "sudo", 'shift; exec "$@"')
    (path / "true").symlink_to("/bin/true")
    (tmp_path / "lists").touch()
    more = {"LOG": str(tmp_path / "log"), "LISTS": str(tmp_path / "lists"), "BIN": str(path)}
    assert run(path, CI=ci, **more).returncode == (0 if asked else 1)
    assert (tmp_path / "log").exists() == asked


def test_nothing_is_installed_where_nobody_wants_it(path: Path, tmp_path: Path) -> None:
    as_root(path)
    write(path, "apt-get", APT)
    done = run(path, INSTALL="no", LOG=str(tmp_path / "log"))
    assert (done.returncode, (tmp_path / "log").exists()) == (1, False)


def test_another_package_manager_is_left_alone(path: Path) -> None:
    done = run(path)
    assert done.returncode == 1
    assert "install with your package manager what Debian calls xvfb " in done.stderr


def test_after_a_failure_there_is_no_second_one_within_the_hour(path: Path, tmp_path: Path) -> None:
    as_root(path)
    log, mark = tmp_path / "log", tmp_path / "failed"
    write(path, "apt-get", 'echo "$*" >>"$LOG"; exit 100')
    for _ in range(2):
        done = run(path, "--again", str(mark), LOG=str(log))
        assert (done.returncode, "NOT RUN" in done.stderr) == (1, True)
    tries = len(log.read_text(encoding="utf-8").splitlines())
    assert tries == 2  # one install, one update
    os.utime(mark, (0, 0))
    run(path, "--again", str(mark), LOG=str(log))
    assert len(log.read_text(encoding="utf-8").splitlines()) == 2 * tries


REAL_TESTS = """\
import pytest

def test_of_a_display(): raise AssertionError("it was run")

@pytest.mark.skip("for another reason")
def test_left_out(): raise AssertionError("it was run")
"""


@pytest.mark.parametrize("more", [(), ("-n1",)], ids=["alone", "xdist"])
def test_a_run_without_them_says_so_and_is_not_green(
    more: tuple[str, ...], pytester: pytest.Pytester, run_tests: RunTests
) -> None:
    lay(pytester.path, "echo xvfb; echo scrot")
    done = run_tests("-q", "-p", "no:cacheprovider", "--color=yes", *more)
    text = done.stdout.str()
    assert "NOT RUN: 1 real tests: no xvfb, scrot; .ci/display-programs installs them" in text
    last = done.outlines[-1]
    assert "1 not run" in last
    assert "1 skipped" in last
    assert "1 passed" in last
    assert "\x1b[33m" in last  # yellow, with a test that passed: not green
    assert "\x1b[32m\x1b[1m1 passed" not in last


def test_with_them_the_tests_are_run(pytester: pytest.Pytester, run_tests: RunTests) -> None:
    lay(pytester.path, ":")
    done = run_tests("-q", "-p", "no:cacheprovider")
    assert "1 failed, 1 passed, 1 skipped" in done.outlines[-1]
    assert "NOT RUN" not in done.stdout.str()
    done = run_tests("-q", "-p", "no:cacheprovider", "-m", "not real")
    assert "1 passed, 2 deselected" in done.outlines[-1]


@pytest.fixture
def run_tests(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> RunTests:
    """Give a function that runs pytest in a process: in this one our conftest is imported."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    return pytester.runpytest_subprocess


def lay(root: Path, script: str) -> None:
    """Lay a project as ours is: a script that tells what is missing, a real test and another."""
    (root / ".ci").mkdir()
    write(root / ".ci", "display-programs", script)
    (root / "pytest.ini").write_text(
        "[pytest]\naddopts = --import-mode=importlib\nmarkers =\n    real: x\n", encoding="utf-8"
    )
    (root / "tests" / "real").mkdir(parents=True)
    conftest = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    (root / "tests" / "conftest.py").write_text(conftest, encoding="utf-8")
    (root / "tests" / "real" / "test_real.py").write_text(REAL_TESTS, encoding="utf-8")
    (root / "tests" / "test_other.py").write_text("def test_it(): pass\n", encoding="utf-8")
