"""The repository as data: its root, the files in it, and the sources of the packages."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOTS = {
    "harness": "windtunnel",
    "models": "windtunnel_models",
    "real": "windtunnel_real",
    "reports": "windtunnel_reports",
}


@dataclass(frozen=True)
class Repository:
    """The files of a checkout, each named by its path from the root."""

    root: Path

    @cached_property
    def files(self) -> list[str]:
        """All files that are or would be committed; in an unpacked sdist, all that lie there."""
        names = self._committed() or self._unpacked()
        return sorted(name for name in names if (self.root / name).is_file())

    @cached_property
    def sources(self) -> dict[str, str]:
        """The text of each module of the packages."""
        folders = tuple(f"{root}/{package}/" for root, package in ROOTS.items())
        return self.texts(*(name for name in self._python if name.startswith(folders)))

    @cached_property
    def python(self) -> dict[str, str]:
        """The text of every Python file: packages, tests and scripts."""
        return self.texts(*self._python)

    def _committed(self) -> set[str]:
        listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        try:
            done = subprocess.run(
                listing, cwd=self.root, capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError):
            return set()
        return set(done.stdout.splitlines())

    def _unpacked(self) -> set[str]:
        entries = [path for path in self.root.iterdir() if not path.name.startswith((".", "dist"))]
        paths = [path for entry in entries for path in [entry, *entry.rglob("*")]]
        return {str(path.relative_to(self.root)) for path in paths if path.suffix != ".pyc"}

    @property
    def _python(self) -> list[str]:
        return [name for name in self.files if name.endswith(".py")]

    def texts(self, *names: str) -> dict[str, str]:
        """Read files of UTF-8 text."""
        return {name: (self.root / name).read_text(encoding="utf-8") for name in names}


@pytest.fixture(scope="session")
def repository() -> Repository:
    """Give the checkout these tests lie in."""
    return Repository(Path(__file__).resolve().parents[2])
