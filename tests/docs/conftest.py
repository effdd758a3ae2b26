"""A command of the pages, run as a reader would, and what it printed without what varies."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Shown = Callable[..., str]


@pytest.fixture
def shown() -> Shown:
    """Give a function that runs `windtunnel` in a folder and returns what it prints, timeless."""

    def run(folder: Path, *arguments: str) -> str:
        paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
        done = subprocess.run(
            [sys.executable, "-m", "windtunnel", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONUTF8": "1", "COLUMNS": "200"},
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert not done.stderr, done.stderr
        return timeless(done.stdout)

    return run


@pytest.fixture
def printed() -> Callable[[str, str], str]:
    """Give a function that returns what a page shows below `    $ command`, timeless."""

    def find(page: str, command: str) -> str:
        _, found, below = page.partition(f"    $ {command}\n")
        assert found, f"the page does not show `{command}`"
        lines = re.match(r"(?:    .*\n|\n(?=    ))*", below)
        assert lines is not None
        return timeless(re.sub(r"^    ", "", lines.group(), flags=re.MULTILINE))

    return find


def timeless(text: str) -> str:
    """Return an output without the seconds that it took."""
    return re.sub(r"\d+\.\d\d s", "0.00 s", text).strip()
