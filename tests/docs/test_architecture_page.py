"""The page on the architecture is true: what its tree names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from windtunnel.services import backend, dispatcher

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
SOURCES = [
    path.relative_to(ROOT / root)
    for root in ("harness/windtunnel", "models", "reports", "real")
    for path in (ROOT / root).rglob("*")
    if path.suffix in {".py", ".yaml"} or path.is_dir()
]
TREE = TEXT.partition("What runs, and")[2].partition("## Directions")[0]
PLACE = re.compile(r"((?:[a-z_]+/)+)(?: \([^)]*\))?: ([a-z_/.]+(?:[,;] [a-z_/.]+)*)")


def named() -> list[str]:
    """Return each file of the tree, with its folder: `cluster/hosts`; one with `.py` by itself."""
    return [
        name.removesuffix(".py") if name.endswith(".py") else folder + name.rstrip("/")
        for folder, names in PLACE.findall(TREE)
        for name in re.split(r"[,;] ", names)
        if "/" not in name.rstrip("/")
    ]


def is_there(name: str) -> bool:
    return any(
        f"/{path.with_suffix('') if path.suffix == '.py' else path}".endswith(f"/{name}")
        for path in SOURCES
    )


def test_the_tree_names_many_files() -> None:
    assert len(named()) > 150  # else the test below reads little of it


@pytest.mark.parametrize("folder", sorted({name.rpartition("/")[0] for name in named()}))
def test_every_file_of_the_tree_is_there(folder: str) -> None:
    files = [name for name in named() if name.rpartition("/")[0] == folder]
    assert [name for name in files if not is_there(name)] == []


def test_a_file_that_is_not_there_is_seen() -> None:
    assert is_there("cluster/hosts")
    assert not is_there("cluster/ghosts")


@pytest.mark.parametrize("package", [backend, dispatcher])
def test_the_parties_of_the_router_are_told_to_be_apart(package: object) -> None:
    assert f"{package.__name__.rpartition('.')[2]}" in TEXT.partition("Inside services:")[2][:60]  # type: ignore[attr-defined]
