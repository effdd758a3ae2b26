"""The wheel: it holds the packages and the scenarios, and what is installed from it runs."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

from packaging_kit import build, install, run

PACKAGES = ("windtunnel", "windtunnel_models", "windtunnel_real", "windtunnel_reports")


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


def test_the_wheel_holds_the_data_beside_the_modules(wheel: Path, checkout: Path) -> None:
    data = {
        name
        for root in ("harness", "models", "real", "reports")
        for name in below(checkout / root, "*.*")
        if not name.endswith((".py", ".pyc"))
    }
    assert "windtunnel/requirements/ui.yaml" in data
    assert data <= set(contents(wheel))


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
    site = install(wheel, tmp_path / "site")
    # Ahead of an editable install on the path; the dependencies come from behind it.
    where = [sys.executable, "-c", "import windtunnel; print(windtunnel.__file__)"]
    assert run(*where, cwd=tmp_path, PYTHONPATH=str(site)).startswith(str(site))
    script = site / "bin" / "windtunnel"
    listed = run(sys.executable, script, "list", cwd=tmp_path, PYTHONPATH=str(site), COLUMNS="200")
    stems = {path.stem for path in (checkout / "scenarios").rglob("*.yaml")}
    assert stems
    assert {stem for stem in stems if stem not in listed} == set()
