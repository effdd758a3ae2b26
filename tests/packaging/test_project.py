"""The project file: the four source roots are the same wherever they are named."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "harness": "windtunnel",
    "models": "windtunnel_models",
    "real": "windtunnel_real",
    "reports": "windtunnel_reports",
}
ROOTS = list(PACKAGES)
# What several tests share lies on the path too, but is not shipped.
SOURCES = [*ROOTS, "tests/support"]


@pytest.fixture(scope="module")
def tools() -> dict[str, Any]:
    """Give the tools' tables of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tables: dict[str, Any] = project["tool"]
    return tables


def test_every_tool_names_the_same_roots(tools: dict[str, Any]) -> None:
    build = tools["hatch"]["build"]
    assert build["dev-mode-dirs"] == ROOTS
    assert build["targets"]["wheel"]["packages"] == [f"{r}/{p}" for r, p in PACKAGES.items()]
    assert tools["pytest"]["ini_options"]["pythonpath"] == SOURCES
    assert tools["mypy"]["mypy_path"].replace("$MYPY_CONFIG_FILE_DIR/", "").split(":") == SOURCES
    assert tools["pyright"]["extraPaths"] == SOURCES
    assert tools["ruff"]["src"] == SOURCES
    assert tools["importlinter"]["root_packages"] == list(PACKAGES.values())


@pytest.mark.parametrize("root", ROOTS)
def test_a_root_holds_its_package_and_nothing_else(root: str) -> None:
    # An editable install puts the whole root on the path: a loose module would be exposed.
    found = [path.name for path in (ROOT / root).iterdir() if path.name != "__pycache__"]
    assert found == [PACKAGES[root]]


@pytest.mark.parametrize("root", ROOTS)
def test_each_package_is_regular_and_typed(root: str) -> None:
    package = ROOT / root / PACKAGES[root]
    assert (package / "__init__.py").is_file()
    assert (package / "py.typed").is_file()
    folders = {path.parent for path in package.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []
