"""What the tests of packaging share: our programs run, a distribution built and installed.

In a folder on the path, since test modules cannot import one another.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What a build reads.
PARTS = (
    "harness", "models", "real", "reports", "scenarios", "pyproject.toml", "LICENSE", ".gitignore",
    "README.md", "CHANGELOG.md", "constraints.txt", "Makefile", "conftest.py",
)  # fmt: skip
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")


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
    """Build the sdist or the wheel (`wheel:editable`: that of an editable install)."""
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", into, cwd=source)
    (built,) = into.iterdir()
    return built


def install(wheel: Path, site: Path) -> Path:
    """Install a wheel into a folder, without what it needs; give the folder."""
    run(*PIP, "--no-deps", "--no-index", "--target", site, wheel, cwd=site.parent)
    return site
