"""The wheel: it holds the packages and the scenarios, and what is installed from it runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("windtunnel", "windtunnel_models", "windtunnel_real", "windtunnel_reports")
# What a build reads.
PARTS = (
    "harness", "models", "real", "reports", "scenarios", "pyproject.toml", "LICENSE", ".gitignore",
    "README.md", "CHANGELOG.md", "constraints.txt", "Makefile",
)  # fmt: skip


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a program of ours and give what it printed; its complaint is the failure's message."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(source: Path, into: Path, kind: str) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", into, cwd=source)
    (built,) = into.iterdir()
    return built


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what a build reads, so that nothing is left in the checkout itself."""
    copy = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        if (ROOT / part).is_dir():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, copy / part, ignore=ignore)
        elif (ROOT / part).exists():
            shutil.copy(ROOT / part, copy / part)
    return copy


@pytest.fixture(scope="session")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the checkout."""
    return build(checkout, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="session")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist from the checkout and unpack it."""
    folder = tmp_path_factory.mktemp("sdist")
    archive = build(checkout, folder, "sdist")
    with tarfile.open(archive) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # it came with 3.11.4
        tar.extractall(folder)  # noqa: S202 - an archive of our own
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def contents(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def below(folder: Path, pattern: str) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob(pattern)}


def test_the_wheel_holds_every_module_and_its_mark_of_types(wheel: Path, checkout: Path) -> None:
    names = set(contents(wheel))
    for root, package in zip(("harness", "models", "real", "reports"), PACKAGES, strict=True):
        assert below(checkout / root, "*.py") <= names
        assert f"{package}/py.typed" in names


def test_the_wheel_holds_every_scenario_and_nothing_beside(wheel: Path, checkout: Path) -> None:
    names = contents(wheel)
    shipped = {n.removeprefix("windtunnel/_scenarios/") for n in names if "/_scenarios/" in n}
    assert below(checkout / "scenarios", "*.yaml") <= shipped
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_the_wheel_made_from_the_sdist_is_the_same(
    wheel: Path, sdist: Path, tmp_path: Path
) -> None:
    assert below(sdist / "scenarios", "*.yaml")
    assert contents(build(sdist, tmp_path, "wheel")) == contents(wheel)


def test_what_is_installed_runs_and_finds_its_scenarios(
    wheel: Path, checkout: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    run(*pip, "--no-deps", "--no-index", "--target", site, wheel, cwd=tmp_path)
    # Ahead of an editable install on the path; the dependencies come from behind it.
    where = [sys.executable, "-c", "import windtunnel; print(windtunnel.__file__)"]
    assert run(*where, cwd=tmp_path, PYTHONPATH=str(site)).startswith(str(site))
    script = site / "bin" / "windtunnel"
    listed = run(sys.executable, script, "list", cwd=tmp_path, PYTHONPATH=str(site), COLUMNS="200")
    stems = {path.stem for path in (checkout / "scenarios").rglob("*.yaml")}
    assert stems
    assert {stem for stem in stems if stem not in listed} == set()
