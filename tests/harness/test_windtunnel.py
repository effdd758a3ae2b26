"""The package: its public names, loaded when they are first used."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import windtunnel

HARNESS = Path(windtunnel.__file__).parents[1]


@pytest.mark.parametrize("name", sorted(windtunnel._HOME))
def test_every_name_is_found_at_its_home(name: str) -> None:
    home = importlib.import_module(windtunnel._HOME[name])
    assert getattr(windtunnel, name) is getattr(home, name)


def test_the_names_are_listed() -> None:
    assert dir(windtunnel) == sorted([*windtunnel._HOME, "__version__"]) == windtunnel.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'windtunnel' has no attribute 'Nothing'"):
        _ = windtunnel.Nothing


def test_importing_the_package_imports_nothing_else() -> None:
    script = "import sys, windtunnel; print(*(m for m in sys.modules if 'windtunnel' in m))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(HARNESS)},
    )
    assert done.stdout.split() == ["windtunnel"]
